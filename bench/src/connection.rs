//! One running contender and the pipe to it.
//!
//! Reads and writes on the thread that measures: a hand-over to another thread would add its own
//! time to every number. The price is that each wait names its deadline.
//!
//! Must stay true: the process is gone and reaped when the connection is dropped.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{
    fs::File,
    io::{Read, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::process::CommandExt,
    },
    path::PathBuf,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::Duration,
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

use crate::{
    contender::Contender, deadline::Deadline, exit::ExitWatch, fault::Fault, folders::Place,
    message::Message, stop,
};

/// How much is read at once: what a pipe holds.
const READ: usize = 64 * 1024;

/// How long a poll may take before it is looked whether the user stopped the bench.
const LOOK: Duration = Duration::from_millis(200);

/// How long a contender may take to end before it is killed.
const END: Duration = Duration::from_secs(5);

/// How much of the end of its stderr is shown when a contender fails.
const LAST_WORDS: usize = 400;

/// A contender that runs.
#[derive(Debug)]
pub struct Connection {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    log: PathBuf,
    buffer: Vec<u8>,
    /// What of `buffer` is not yet taken.
    unread: std::ops::Range<usize>,
    next_id: u64,
    /// Session updates that were read.
    pub updates: u64,
}

/// What a wait brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    /// There is output of the contender, or its end.
    pub output: bool,
    /// The other thing that was waited for is there.
    pub other: bool,
}

impl Connection {
    /// Starts the contender. Nothing is said yet.
    ///
    /// # Errors
    /// The program does not start.
    pub fn start(contender: &Contender, place: &Place) -> Result<Self, Fault> {
        stop::check()?;
        let log = place.log();
        let mut command = contender.command(&place.state());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).map_err(Fault::machine("making a log file"))?)
            .current_dir(place.workspace())
            .process_group(0);
        let mut child = command.spawn().map_err(|source| Fault::Start {
            program: contender.program().to_owned(),
            source,
        })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let Some(output) = output else {
            return Err(Fault::Ended {
                what: "its output",
                last_words: String::new(),
            });
        };
        Ok(Self {
            child,
            input,
            output,
            log,
            buffer: vec![0; 2 * READ],
            unread: 0..0,
            next_id: 0,
            updates: 0,
        })
    }

    /// Its process id.
    pub fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// Sends a request and returns its id. `params` is JSON text.
    ///
    /// # Errors
    /// The contender does not read any more.
    pub fn send(&mut self, method: &str, params: &str) -> Result<u64, Fault> {
        let id = self.next_id;
        self.next_id += 1;
        self.write(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n"
        ))?;
        Ok(id)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The contender does not read any more.
    pub fn notify(&mut self, method: &str, params: &str) -> Result<(), Fault> {
        self.write(&format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{params}}}\n"
        ))
    }

    fn write(&mut self, line: &str) -> Result<(), Fault> {
        let written = match &mut self.input {
            Some(input) => input.write_all(line.as_bytes()),
            None => Ok(()),
        };
        written.map_err(|_| self.ended("a line to be read"))
    }

    /// Waits until there is output, or `other` is readable or closed.
    ///
    /// # Errors
    /// Neither came until the deadline, or the user stopped the bench.
    pub fn wait(&self, other: Option<BorrowedFd<'_>>, deadline: Deadline) -> Result<Ready, Fault> {
        if memchr::memchr(b'\n', &self.buffer[self.unread.clone()]).is_some() {
            return Ok(Ready {
                output: true,
                other: false,
            });
        }
        let mut fds = vec![PollFd::new(self.output.as_fd(), PollFlags::POLLIN)];
        fds.extend(other.map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        loop {
            stop::check()?;
            let left = deadline.left()?.min(LOOK);
            match poll(
                &mut fds,
                PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX),
            ) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => break,
                Err(errno) => return Err(Fault::machine("poll")(errno)),
            }
        }
        let ready = |index: usize| fds.get(index).and_then(PollFd::any).unwrap_or(false);
        Ok(Ready {
            output: ready(0),
            other: ready(1),
        })
    }

    /// The next line, if a whole one has been read. Reads at most once, and only where it does not
    /// have to wait when [`Connection::wait`] said that there is output.
    ///
    /// # Errors
    /// The output has ended.
    pub fn read(&mut self, what: &'static str) -> Result<Option<Message>, Fault> {
        if let Some(message) = self.take()? {
            return Ok(Some(message));
        }
        self.make_room();
        let read = match self.output.read(&mut self.buffer[self.unread.end..]) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(None),
            Err(error) => return Err(Fault::machine("reading its output")(error)),
        };
        if read == 0 {
            return Err(self.ended(what));
        }
        self.unread.end += read;
        self.take()
    }

    /// The next line that has been read whole, after having done what it asks for.
    ///
    /// # Errors
    /// The contender does not read our answers any more.
    pub fn take(&mut self) -> Result<Option<Message>, Fault> {
        let unread = &self.buffer[self.unread.clone()];
        let Some(length) = memchr::memchr(b'\n', unread) else {
            return Ok(None);
        };
        let message = Message::read(&unread[..length]);
        self.unread.start += length + 1;
        match &message {
            Message::Update => self.updates += 1,
            Message::Permission { id, option } => self.permit(id, option.as_deref())?,
            Message::Request(id) => self.write(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32601,\"message\":\"no such method\"}}}}\n"
            ))?,
            Message::Answer { .. } | Message::Noise => {}
        }
        Ok(Some(message))
    }

    fn permit(&mut self, id: &str, option: Option<&str>) -> Result<(), Fault> {
        let outcome = match option {
            Some(option) => format!(
                "{{\"outcome\":\"selected\",\"optionId\":{}}}",
                serde_json::Value::from(option)
            ),
            None => "{\"outcome\":\"cancelled\"}".to_owned(),
        };
        self.write(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"outcome\":{outcome}}}}}\n"
        ))
    }

    /// Moves what is unread to the front, and makes room for at least one read behind it.
    fn make_room(&mut self) {
        if self.unread.start > 0 {
            self.buffer.copy_within(self.unread.clone(), 0);
            self.unread = 0..self.unread.len();
        }
        if self.buffer.len() - self.unread.end < READ {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
    }

    /// Waits for the answer to a request.
    ///
    /// # Errors
    /// It does not come in time, or it is an error.
    pub fn answer(
        &mut self,
        request: u64,
        method: &'static str,
        deadline: Deadline,
    ) -> Result<String, Fault> {
        loop {
            if self.wait(None, deadline)?.output
                && let Some(Message::Answer { id, result }) = self.read("an answer")?
                && id == request
            {
                return result.map_err(|error| Fault::Refused { method, error });
            }
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// As [`Connection::answer`].
    pub fn request(
        &mut self,
        method: &'static str,
        params: &str,
        within: Duration,
    ) -> Result<String, Fault> {
        let deadline = Deadline::after("answer", within);
        let id = self.send(method, params)?;
        self.answer(id, method, deadline)
    }

    /// Closes the contender's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Ends the process at once, and all of its process group.
    pub fn kill(&self) {
        let _ = killpg(self.pid(), Signal::SIGKILL);
    }

    /// Begins to watch for the end of the process.
    pub fn watch_exit(&self) -> ExitWatch {
        ExitWatch::start(self.pid())
    }

    fn ended(&self, what: &'static str) -> Fault {
        let log = std::fs::read(&self.log).unwrap_or_default();
        let last_words = String::from_utf8_lossy(&log[log.len().saturating_sub(LAST_WORDS)..]);
        Fault::Ended {
            what,
            last_words: last_words.trim().to_owned(),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.close_input();
        let exit = self.watch_exit();
        if exit.wait(END).is_none() {
            self.kill();
        }
        let _ = self.child.wait();
    }
}
