//! The signals of the supervisor, and those that its command starts with.
//!
//! Must stay true: a command starts with every signal at its default and none blocked, whatever
//! the owner was started with (`nohup` ignores SIGHUP, some launchers ignore SIGINT or SIGCHLD),
//! or a command that cannot be interrupted would be the owner's fault. So the supervisor blocks
//! and ignores nothing but *catches* what it needs: exec(2) keeps the blocked and the ignored
//! signals, and sets the caught ones back to their defaults.
//!
//! Man pages: signal(7), execve(2).

use std::{
    io::{self, Read as _},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::net::UnixStream,
    },
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use nix::sys::signal::{SigSet, Signal};
use signal_hook::{flag, low_level::pipe};

/// The signals that ask the supervisor to end its tree.
const ENDING: [Signal; 4] = [
    Signal::SIGTERM,
    Signal::SIGINT,
    Signal::SIGHUP,
    Signal::SIGQUIT,
];

/// What tells that a signal has come.
pub(super) struct Signals {
    /// Holds a byte for each signal.
    wake: UnixStream,
    end: Arc<AtomicBool>,
}

impl Signals {
    /// Takes over the signals of this process.
    pub(super) fn take_over() -> io::Result<Self> {
        let unread = Arc::new(AtomicBool::new(false));
        for number in ignored(&std::fs::read_to_string("/proc/self/status")?) {
            // Catching it is how to reset it for the command. Some numbers belong to the C
            // library and cannot be caught; they mean nothing to a command.
            let _ = flag::register(number, Arc::clone(&unread));
        }
        let (wake, waker) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let end = Arc::new(AtomicBool::new(false));
        // A flag is set before the wake-up that belongs to it: handlers run in this order.
        for signal in ENDING {
            flag::register(signal as i32, Arc::clone(&end))?;
            pipe::register(signal as i32, waker.try_clone()?)?;
        }
        pipe::register(Signal::SIGCHLD as i32, waker)?;
        SigSet::empty().thread_set_mask()?;
        Ok(Self { wake, end })
    }

    /// Forgets the signals that have come, and says whether one of them asked to end.
    pub(super) fn take(&self) -> bool {
        let mut bytes = [0; 64];
        while matches!((&self.wake).read(&mut bytes), Ok(length) if length > 0) {}
        self.end.load(Ordering::SeqCst)
    }
}

impl AsFd for Signals {
    /// Readable when a signal has come.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}

/// The ignored signals according to `/proc/self/status`, but SIGPIPE, which the Rust runtime
/// itself ignores and `Command` resets.
fn ignored(status: &str) -> Vec<i32> {
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    (1..=64)
        .filter(|number| mask >> (number - 1) & 1 == 1 && *number != Signal::SIGPIPE as i32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ignored_signals_are_read_from_the_mask() {
        let status = "SigBlk:\tffffffffffffffff\nSigIgn:\t0000000000011003\nSigCgt:\t0\n";
        assert_eq!(ignored(status), [1, 2, 17]);
        assert_eq!(ignored("nothing"), Vec::<i32>::new());
    }
}
