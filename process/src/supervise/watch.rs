//! The life of a tree, from the start of its leader until nothing of it is left.
//!
//! ```text
//! Running --leader ended--> Lingering --LINGER--> Ending --GRACE--> Killing --> gone
//!    \--end, end of socket, signal--------------> Ending            ^
//!     \--kill-------------------------------------------------------'
//! ```
//!
//! A phase only ever moves to the right, and from each one the tree may be gone before its time
//! is over. There is one ending for all causes.
//!
//! Must stay true: `until_gone` returns when the kernel says that there is no child (`ECHILD`),
//! never because a time is over. A process that cannot be killed (it hangs in the kernel) keeps
//! its supervisor, which goes on trying; the owner has its own deadline.

use std::{
    collections::BTreeSet,
    io::{self, Read as _},
    os::{fd::AsFd as _, unix::net::UnixStream},
    thread,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    poll::{PollFd, PollFlags, PollTimeout, poll},
    unistd::{Pid, getpid},
};
use rustix::process::{WaitOptions, wait};

use super::{Report, Request, signals::Signals, tree};

/// From SIGTERM to SIGKILL, unless the owner says otherwise. Long enough for a shell's trap or a
/// server's last write, short enough that a cancelled turn is answered in well under a second.
pub(crate) const GRACE: Duration = Duration::from_millis(400);

/// How long what the leader left running may end by itself: `> >(tee log)` still writes then, and
/// a SIGTERM at once would cut its last lines off.
pub(crate) const LINGER: Duration = Duration::from_millis(50);

/// How often to look again while the tree ends. Most ends wake the loop by SIGCHLD; only a process
/// that becomes an orphan does not.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A process that outlives its SIGKILL this long hangs in the kernel, and is looked at this often.
const STUBBORN: Duration = Duration::from_secs(1);

#[derive(Clone, Copy)]
enum Phase {
    Running,
    Lingering { until: Instant },
    Ending { until: Instant },
    Killing { since: Instant },
}

struct Watch {
    leader: Pid,
    grace: Duration,
    phase: Phase,
    left_behind: usize,
    /// Who was asked to end: a second SIGTERM means "at once" to many programs.
    asked: BTreeSet<Pid>,
    /// Whether the owner is still there.
    connected: bool,
}

/// Waits for the end of the tree, and ends it when it must. Returns how many processes the leader
/// left running. `control` must not block.
///
/// It cannot fail: whatever the kernel refuses, the tree must be ended all the same.
pub(super) fn until_gone(
    leader: Pid,
    grace: Duration,
    control: &UnixStream,
    signals: &Signals,
) -> usize {
    let mut watch = Watch {
        leader,
        grace,
        phase: Phase::Running,
        left_behind: 0,
        asked: BTreeSet::new(),
        connected: true,
    };
    while watch.reap(control) {
        watch.act();
        watch.wait(control, signals);
        watch.hear_owner(control);
        watch.hear_signals(signals);
    }
    watch.left_behind
}

impl Watch {
    /// Collects every child that has ended. False when there is none left, alive or dead. (Not with
    /// `nix`, which loses the status of a process that a real-time signal has ended.)
    fn reap(&mut self, control: &UnixStream) -> bool {
        loop {
            let (pid, status) = match wait(WaitOptions::NOHANG) {
                Ok(Some(ended)) => ended,
                Ok(None) => return true,
                Err(error) if error == rustix::io::Errno::INTR => continue,
                Err(error) => return error != rustix::io::Errno::CHILD,
            };
            if pid.as_raw_nonzero().get() != self.leader.as_raw() {
                continue;
            }
            let report = match (status.exit_status(), status.terminating_signal()) {
                (Some(code), _) => Report::Exited(code),
                (None, Some(signal)) => Report::Signaled(signal),
                // Only a child that is traced is reported for anything else.
                (None, None) => continue,
            };
            self.report(control, &report);
            if matches!(self.phase, Phase::Running) {
                self.phase = Phase::Lingering {
                    until: Instant::now() + LINGER,
                };
            }
        }
    }

    fn report(&mut self, control: &UnixStream, report: &Report) {
        // Without an owner to hear it the tree is ended all the same.
        if report.send(control).is_err() {
            self.end();
        }
    }

    /// Does what the phase asks for, and goes on to the next one when its time is over.
    fn act(&mut self) {
        let now = Instant::now();
        match self.phase {
            Phase::Running => {}
            Phase::Lingering { until } if now < until => {}
            Phase::Lingering { .. } => {
                self.left_behind = tree::descendants(getpid()).len();
                self.end();
                self.ask();
            }
            Phase::Ending { until } if now < until => self.ask(),
            Phase::Ending { .. } | Phase::Killing { .. } => {
                self.kill();
                tree::kill_all(&tree::descendants(getpid()));
            }
        }
    }

    /// Moves to `Ending` from what comes before it.
    fn end(&mut self) {
        if matches!(self.phase, Phase::Running | Phase::Lingering { .. }) {
            self.phase = Phase::Ending {
                until: Instant::now() + self.grace,
            };
        }
    }

    fn kill(&mut self) {
        if !matches!(self.phase, Phase::Killing { .. }) {
            self.phase = Phase::Killing {
                since: Instant::now(),
            };
        }
    }

    /// Asks everyone the first time. After that only orphans: their parents have heeded the signal
    /// and they have missed it, while a child of a living parent may be its work of cleaning up.
    fn ask(&mut self) {
        let first = self.asked.is_empty();
        let own = getpid();
        for process in tree::descendants(own) {
            if (first || process.parent == own) && self.asked.insert(process.pid) {
                tree::ask_to_end(&process);
            }
        }
    }

    /// Sleeps until the owner speaks, a signal comes, or the phase must be looked at.
    fn wait(&self, control: &UnixStream, signals: &Signals) {
        let longest = match self.phase {
            Phase::Running => None,
            Phase::Killing { since } if since.elapsed() > STUBBORN => Some(STUBBORN),
            _ => Some(LOOK_AGAIN),
        };
        let timeout = longest.map_or(PollTimeout::NONE, |longest| {
            PollTimeout::try_from(longest).unwrap_or(PollTimeout::ZERO)
        });
        let mut sources = vec![PollFd::new(signals.as_fd(), PollFlags::POLLIN)];
        if self.connected {
            sources.push(PollFd::new(control.as_fd(), PollFlags::POLLIN));
        }
        match poll(&mut sources, timeout) {
            Ok(_) | Err(Errno::EINTR) => {}
            // Out of memory, perhaps. To look again is all there is to do.
            Err(_) => thread::sleep(LOOK_AGAIN),
        }
    }

    fn hear_owner(&mut self, mut control: &UnixStream) {
        let mut bytes = [0; 16];
        while self.connected {
            match control.read(&mut bytes) {
                // The owner has ended, or has let go of the tree.
                Ok(0) => {
                    self.connected = false;
                    self.end();
                }
                Ok(length) => {
                    bytes[..length]
                        .iter()
                        .for_each(|byte| match Request::from_byte(*byte) {
                            Some(Request::Kill) => self.kill(),
                            Some(Request::End) | None => self.end(),
                        })
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.connected = false;
                    self.end();
                }
            }
        }
    }

    /// SIGCHLD has done its work by waking the loop; the others ask to end.
    fn hear_signals(&mut self, signals: &Signals) {
        if signals.take() {
            self.end();
        }
    }
}
