//! The moment in which a process ends.
//!
//! A thread waits for it and takes the time itself, so that the number holds no hand-over. It
//! only looks (`WNOWAIT`): the one who started the process reaps it.
//!
//! Man pages: waitid(2).

use std::{
    sync::mpsc::{Receiver, sync_channel},
    thread,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    sys::wait::{Id, WaitPidFlag, waitid},
    unistd::Pid,
};

/// Waits for the end of one child of the bench.
#[derive(Debug)]
pub struct ExitWatch(Receiver<Instant>);

impl ExitWatch {
    /// Begins to watch. The child must not be reaped before it was seen to end.
    pub fn start(pid: Pid) -> Self {
        let (ended, receiver) = sync_channel(1);
        thread::spawn(move || {
            let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT;
            while waitid(Id::Pid(pid), flags) == Err(Errno::EINTR) {}
            // Nobody listens any more when the deadline has passed.
            let _ = ended.send(Instant::now());
        });
        Self(receiver)
    }

    /// When the process ended; absent when it has not within this time.
    pub fn wait(&self, within: Duration) -> Option<Instant> {
        self.0.recv_timeout(within).ok()
    }
}
