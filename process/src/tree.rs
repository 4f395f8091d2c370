//! A running tree of processes, as the owner sees it: its supervisor and the control socket.
//!
//! ```text
//! Running --exited, signaled--> LeaderEnded --gone--> AllEnded --supervisor reaped--> Gone
//!    \--end of the socket-----------\--------> Abandoned --reaped, swept-------------/
//! ```
//!
//! Must stay true: every wait here may be dropped half way and begun again, because callers wait
//! for several things at once. What was learnt is kept in the state.
//!
//! Dropping a `Tree` is the last line of defence, and needs no code: the socket closes, and the
//! supervisor ends the tree by itself.

use std::{io, os::unix::net::UnixStream as StdUnixStream, time::Duration};

use rustix::net::SendFlags;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    process::{Child, ChildStderr, ChildStdout},
    time::{Instant, timeout_at},
};

use super::{
    Confinement,
    sweep::{self, TreeId},
};
use crate::supervise::{Failure, Report, Request};

/// How long a tree may take to be gone once it must end, on top of the supervisor's grace: time to
/// see that a SIGKILL has worked. Only a process that hangs in the kernel needs longer.
const END_DEADLINE: Duration = Duration::from_millis(1_200);

/// How long a tree may take to be gone, once it must end, that gets this grace. A process that is
/// there for longer hangs in the kernel, and the tree counts as [`Ended::Lost`].
pub(super) const fn longest_end(grace: Duration) -> Duration {
    grace.saturating_add(END_DEADLINE)
}

/// The longest report. Ours have fewer than 200 bytes.
const MAX_REPORT: usize = 4_096;

/// How a command ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this status.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
    /// Its time was over.
    TimedOut,
    /// The turn was cancelled.
    Cancelled,
    /// It is not known how, or not known that it has; the text says why.
    Lost(String),
}

/// Why a tree did not start.
pub(super) enum NotStarted {
    Failed(Failure),
    /// The supervisor was killed.
    Lost,
}

#[derive(Debug)]
enum State {
    Running,
    LeaderEnded(Ended),
    /// The supervisor has said that no process is left, but is still there itself.
    AllEnded(Ended),
    /// The supervisor has ended without saying so.
    Abandoned(Ended),
    Gone(Ended),
}

/// A tree of processes that was started here. See the module's page for what dropping it does.
#[derive(Debug)]
pub struct Tree {
    id: TreeId,
    supervisor: Child,
    control: UnixStream,
    /// What has arrived of the next report.
    inbox: Vec<u8>,
    state: State,
    confinement: Confinement,
    left_behind: usize,
    /// From SIGTERM to SIGKILL.
    grace: Duration,
    /// When to give up, once the tree must end.
    deadline: Option<Instant>,
}

impl Tree {
    pub(super) fn new(
        supervisor: Child,
        id: TreeId,
        control: StdUnixStream,
        grace: Duration,
    ) -> io::Result<Self> {
        control.set_nonblocking(true)?;
        Ok(Self {
            id,
            supervisor,
            control: UnixStream::from_std(control)?,
            inbox: Vec::new(),
            state: State::Running,
            confinement: Confinement::None("it may change files".to_owned()),
            left_behind: 0,
            grace,
            deadline: None,
        })
    }

    /// Sends the order, and waits until its command runs.
    pub(super) async fn start(&mut self, order: &[u8]) -> Result<(), NotStarted> {
        if self.control.write_all(order).await.is_err() {
            return Err(NotStarted::Lost);
        }
        loop {
            match self.report().await {
                Some(Report::Confined(confinement)) => self.confinement = confinement,
                Some(Report::Started(_)) => return Ok(()),
                Some(Report::Failed(failure)) => return Err(NotStarted::Failed(failure)),
                _ => return Err(NotStarted::Lost),
            }
        }
    }

    /// The leader's own output, if it was piped. The first call takes it.
    pub(super) fn take_output(&mut self) -> Option<(ChildStdout, ChildStderr)> {
        Some((
            self.supervisor.stdout.take()?,
            self.supervisor.stderr.take()?,
        ))
    }

    /// Waits for the supervisor itself, after which the kernel knows nothing of it any more.
    pub(super) async fn reap(&mut self) {
        // An error would mean that it was reaped already.
        let _ = self.supervisor.wait().await;
        sweep::ended(&self.id, matches!(self.state, State::AllEnded(_)));
    }

    /// Whether the leader may still run.
    pub(super) const fn is_running(&self) -> bool {
        matches!(self.state, State::Running)
    }

    /// How far a read-only tree is confined.
    pub const fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// How many processes the leader left running, which were then ended. Known when all are gone.
    pub const fn left_behind(&self) -> usize {
        self.left_behind
    }

    /// Waits until the leader has ended, and says how. What it left running may still be ending.
    pub async fn leader(&mut self) -> Ended {
        loop {
            match &self.state {
                State::Running => self.step().await,
                State::LeaderEnded(ended)
                | State::AllEnded(ended)
                | State::Abandoned(ended)
                | State::Gone(ended) => return ended.clone(),
            }
        }
    }

    /// Waits until no process of the tree is left, and says how the leader ended.
    pub async fn wait(&mut self) -> Ended {
        loop {
            if let State::Gone(ended) = &self.state {
                return ended.clone();
            }
            match self.deadline {
                None => self.step().await,
                Some(deadline) => {
                    if timeout_at(deadline, self.step()).await.is_err() {
                        return Ended::Lost("some of its processes cannot be ended".to_owned());
                    }
                }
            }
        }
    }

    /// Ends the tree: SIGTERM, a time of grace, SIGKILL. Returns when no process of it is left.
    pub async fn end(&mut self) -> Ended {
        self.ask_to_end();
        self.wait().await
    }

    /// Asks for the end of the tree without waiting for it.
    pub fn ask_to_end(&mut self) {
        self.send(Request::End);
        self.must_end();
    }

    /// Ends the tree with SIGKILL, without grace and without waiting.
    pub fn kill_now(&self) {
        self.send(Request::Kill);
    }

    fn send(&self, request: Request) {
        // Not through the runtime, so that it works everywhere. A supervisor that is gone needs no
        // request, and one byte always fits.
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        let _ = rustix::net::send(&self.control, &[request.byte()], flags);
    }

    fn must_end(&mut self) {
        self.deadline
            .get_or_insert_with(|| Instant::now() + longest_end(self.grace));
    }

    /// Goes to the next state, or hears something new in this one.
    async fn step(&mut self) {
        match &self.state {
            State::Running | State::LeaderEnded(_) => self.hear().await,
            State::AllEnded(ended) => {
                let ended = ended.clone();
                self.reap().await;
                self.state = State::Gone(ended);
            }
            State::Abandoned(ended) => {
                let ended = ended.clone();
                // In this order: its children come to the owner when it is dead.
                self.reap().await;
                sweep::sweep().await;
                self.state = State::Gone(ended);
            }
            State::Gone(_) => {}
        }
    }

    async fn hear(&mut self) {
        let known = match &self.state {
            State::LeaderEnded(ended) => Some(ended.clone()),
            _ => None,
        };
        match self.report().await {
            Some(Report::Exited(code)) => self.state = State::LeaderEnded(Ended::Exited(code)),
            Some(Report::Signaled(signal)) => {
                self.state = State::LeaderEnded(Ended::Signaled(signal));
            }
            Some(Report::Gone { left_behind }) => {
                self.left_behind = left_behind;
                // That it does not know how its leader ended shows that it is not to be trusted.
                self.state = known.map_or_else(|| State::Abandoned(lost()), State::AllEnded);
            }
            _ => self.state = State::Abandoned(known.unwrap_or_else(lost)),
        }
        if !self.is_running() {
            self.must_end();
        }
    }

    /// The next report; `None` if the supervisor has ended, or says what it cannot say.
    async fn report(&mut self) -> Option<Report> {
        loop {
            if let Some(end) = self.inbox.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.inbox.drain(..=end).collect();
                return Report::parse(str::from_utf8(&line).ok()?.trim_end());
            }
            if self.inbox.len() > MAX_REPORT {
                return None;
            }
            // Reading into the inbox loses nothing if this wait is dropped.
            if self.control.read_buf(&mut self.inbox).await.ok()? == 0 {
                return None;
            }
        }
    }
}

fn lost() -> Ended {
    Ended::Lost("its supervisor was killed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::END_DEADLINE;
    use crate::supervise::LINGER;

    #[test]
    fn the_deadline_leaves_time_for_the_kill() {
        assert!(END_DEADLINE >= LINGER + std::time::Duration::from_secs(1));
    }
}
