//! What is done when the daemon is full: nothing was admitted, so the same is asked again later.
//!
//! One notice for each process, however many requests wait: whoever reads stderr learns why it
//! takes long, and is not flooded.

use std::{
    io::Write,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use crate::{api::ErrorBody, limits};

/// Whether this process has said that it waits.
static SAID: AtomicBool = AtomicBool::new(false);

/// The pauses between two requests to a daemon that is full, until they are over.
pub(super) struct Pauses {
    next: Duration,
    left: Duration,
}

impl Pauses {
    pub(super) fn new() -> Self {
        Self {
            next: limits::full_first(),
            left: limits::full_limit(),
        }
    }

    /// How long to wait before asking again; none when it has been long enough.
    pub(super) fn next(&mut self) -> Option<Duration> {
        let pause = self.next;
        self.left = self.left.checked_sub(pause)?;
        self.next = (pause * 2).min(limits::full_longest());
        Some(pause)
    }
}

/// Says once that this process waits for the daemon.
pub(super) fn say(body: &ErrorBody) {
    if SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    let load = match (body.running_actions, body.action_limit) {
        (Some(running), Some(limit)) => format!(" ({running} of {limit} operations are running)"),
        _ => String::new(),
    };
    // A notice that cannot be written has nobody to read it.
    let _ = writeln!(
        std::io::stderr(),
        "acp-sessions: waiting for the daemon: it is full{load}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound_and_end() {
        let mut pauses = Pauses {
            next: Duration::from_secs(2),
            left: Duration::from_secs(60),
        };
        let seconds: Vec<_> = std::iter::from_fn(|| pauses.next())
            .map(|pause| pause.as_secs())
            .collect();
        assert_eq!(seconds, [2, 4, 8, 15, 15, 15]);
    }
}
