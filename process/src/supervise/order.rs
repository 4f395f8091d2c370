//! What the owner tells a new supervisor to start.
//!
//! The order goes over the control socket and not over the command line, for two reasons: a
//! command such as `pkill -f name` must not find its own supervisor, and a descriptor (the
//! command's standard input) can go along with it, which needs no unsafe code on either side.
//!
//! On the socket: eight bytes, the length of the body, with the descriptor attached to them; then
//! the body, whose fields each end with a NUL (none of them can hold one).

use std::{
    ffi::{OsStr, OsString},
    io::{self, IoSlice, IoSliceMut, Read as _},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{
            ffi::{OsStrExt as _, OsStringExt as _},
            net::UnixStream,
        },
    },
    path::PathBuf,
    time::Duration,
};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};

/// The longest order. The kernel accepts about 2 MiB of arguments by default; with ten times that
/// the refusal is still its own (`E2BIG`), and a wrong length cannot make us ask for all memory.
const MAX_ORDER: usize = 20 * 1024 * 1024;

/// What a command may do to the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Whatever the user may do.
    Full,
    /// Read and execute everything, change nothing but a private temporary folder.
    ///
    /// How far that is enforced is reported as a [`Confinement`](super::Confinement).
    ReadOnly,
}

/// How strictly the supervisor must make a command read-only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Confine {
    /// Not at all.
    No,
    /// As far as this kernel can.
    AsFarAsPossible,
    /// Or do not start it. The owner asks for this where it has seen that the kernel can, so that
    /// an unexpected failure cannot start a command unprotected.
    Must,
}

/// What the standard input of the command is.
#[derive(Debug)]
pub(crate) enum Input {
    /// `/dev/null`: never the owner's own.
    Null,
    /// The reading end of a pipe to the owner.
    Pipe(OwnedFd),
}

/// What to start, and how.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) confine: Confine,
    pub(crate) input: Input,
    /// The soft limit of open files to restore; see `init`.
    pub(crate) open_files: Option<u64>,
    /// From SIGTERM to SIGKILL; whole milliseconds.
    pub(crate) grace: Duration,
    /// The private temporary folder to make for a confined command.
    pub(crate) folder: PathBuf,
    pub(crate) cwd: PathBuf,
    /// A path, or a name to look up on the `PATH` of the command.
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

impl Order {
    /// Sends the head of the order, with the standard input of the command, and returns the body
    /// that must follow it. The head is small and first, so this never waits.
    pub(crate) fn send_head(self, control: impl AsFd) -> io::Result<Vec<u8>> {
        let body = self.body();
        let head = (body.len() as u64).to_le_bytes();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut attached = SendAncillaryBuffer::new(&mut space);
        let input = match &self.input {
            Input::Null => None,
            Input::Pipe(fd) => Some([fd.as_fd()]),
        };
        if let Some(fds) = &input {
            attached.push(SendAncillaryMessage::ScmRights(fds));
        }
        let parts = [IoSlice::new(&head)];
        rustix::net::sendmsg(control, &parts, &mut attached, SendFlags::NOSIGNAL)?;
        Ok(body)
    }

    /// Waits for an order. Blocks: until it has one, a supervisor has nothing else to do.
    pub(super) fn receive(mut control: &UnixStream) -> io::Result<Self> {
        let mut head = [0; 8];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut attached = RecvAncillaryBuffer::new(&mut space);
        let got = rustix::net::recvmsg(
            control,
            &mut [IoSliceMut::new(&mut head)],
            &mut attached,
            RecvFlags::CMSG_CLOEXEC,
        )?;
        let mut input = Input::Null;
        for message in attached.drain() {
            if let RecvAncillaryMessage::ScmRights(fds) = message {
                input = fds.last().map_or(Input::Null, Input::Pipe);
            }
        }
        control.read_exact(&mut head[got.bytes..])?;
        let length = usize::try_from(u64::from_le_bytes(head)).unwrap_or(usize::MAX);
        if length > MAX_ORDER {
            return Err(io::Error::other("the order is too long"));
        }
        let mut body = vec![0; length];
        control.read_exact(&mut body)?;
        Self::parse(&body, input).ok_or_else(|| io::Error::other("not an order"))
    }

    /// Whether any field holds a NUL, which no path and no argument can.
    pub(crate) fn holds_nul(&self) -> bool {
        [self.cwd.as_os_str(), &self.program]
            .into_iter()
            .chain(self.args.iter().map(OsString::as_os_str))
            .any(|field| field.as_bytes().contains(&0))
    }

    fn body(&self) -> Vec<u8> {
        let confine = match self.confine {
            Confine::No => "no",
            Confine::AsFarAsPossible => "as-far-as-possible",
            Confine::Must => "must",
        };
        let open_files = self.open_files.map_or_else(String::new, |n| n.to_string());
        let grace = self.grace.as_millis().to_string();
        let head = [
            OsStr::new(confine),
            OsStr::new(&open_files),
            OsStr::new(&grace),
            self.folder.as_os_str(),
            self.cwd.as_os_str(),
            &self.program,
        ];
        let mut body = Vec::new();
        for field in head
            .into_iter()
            .chain(self.args.iter().map(OsString::as_os_str))
        {
            body.extend_from_slice(field.as_bytes());
            body.push(0);
        }
        body
    }

    fn parse(body: &[u8], input: Input) -> Option<Self> {
        let mut fields = body.strip_suffix(&[0])?.split(|&byte| byte == 0);
        let confine = match fields.next()? {
            b"no" => Confine::No,
            b"as-far-as-possible" => Confine::AsFarAsPossible,
            b"must" => Confine::Must,
            _ => return None,
        };
        let open_files = match str::from_utf8(fields.next()?).ok()? {
            "" => None,
            number => Some(number.parse().ok()?),
        };
        let grace = str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let owned = |field: &[u8]| OsString::from_vec(field.to_vec());
        Some(Self {
            confine,
            input,
            open_files,
            grace: Duration::from_millis(grace),
            folder: owned(fields.next()?).into(),
            cwd: owned(fields.next()?).into(),
            program: owned(fields.next()?),
            args: fields.map(owned).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn order(input: Input) -> Order {
        Order {
            confine: Confine::Must,
            input,
            open_files: Some(1024),
            grace: Duration::from_millis(400),
            folder: "/tmp/private".into(),
            cwd: "/a folder".into(),
            program: "sh".into(),
            args: ["-c", "", "printf '%s\n' 'a b'"].map(Into::into).into(),
        }
    }

    #[test]
    fn an_order_arrives_as_it_was_sent() {
        let (owner, supervisor) = UnixStream::pair().unwrap();
        let sent = format!("{:?}", order(Input::Null));
        let body = order(Input::Null).send_head(&owner).unwrap();
        (&owner).write_all(&body).unwrap();
        assert_eq!(format!("{:?}", Order::receive(&supervisor).unwrap()), sent);
    }

    #[test]
    fn the_standard_input_goes_along() {
        let (owner, supervisor) = UnixStream::pair().unwrap();
        let (reader, mut writer) = io::pipe().unwrap();
        let body = order(Input::Pipe(reader.into())).send_head(&owner).unwrap();
        (&owner).write_all(&body).unwrap();
        let Input::Pipe(fd) = Order::receive(&supervisor).unwrap().input else {
            panic!("no descriptor came along");
        };
        writer.write_all(b"hello").unwrap();
        drop(writer);
        let mut text = String::new();
        std::fs::File::from(fd).read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn what_is_no_order_is_refused() {
        for body in [
            "",
            "no",
            "maybe\0\x001\0t\0/\0sh\0",
            "no\0many\x001\0t\0/\0sh\0",
            "no\0\0soon\0t\0/\0sh\0",
            "no\0\x001\0t\0/\0",
        ] {
            assert!(
                Order::parse(body.as_bytes(), Input::Null).is_none(),
                "{body:?}"
            );
        }
    }
}
