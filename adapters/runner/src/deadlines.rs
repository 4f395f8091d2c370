//! How long what a person could notice may take.
//!
//! Together, because they must fit into each other, and because no test can wait for them: each has
//! a hidden variable, in milliseconds, that shortens it. No variable makes one longer, so whatever is
//! set, what the contract says of them holds.

use std::{env, time::Duration};

/// The whole handshake. Agents that fetch something at their first start need tens of seconds; one
/// that is silent for two minutes is not going to answer.
const HANDSHAKE: Duration = Duration::from_secs(120);

/// From an interrupt until the host is told that the agent goes on. It is not killed: it may be in
/// the middle of something that must not be cut, and a person can still shut it down.
const HEED: Duration = Duration::from_secs(30);

/// The rules' judgement of a command. It takes microseconds; only an expression that backtracks
/// without end takes longer, and the host's commands wait meanwhile.
const JUDGE: Duration = Duration::from_secs(3);

/// A shutdown in all. The host kills the runner after ten seconds, and then nobody tells how it
/// ended.
const SHUTDOWN: Duration = Duration::from_secs(8);

/// From a shutdown until a cancelled turn must have ended.
pub const LAND: Duration = Duration::from_secs(2);

/// From SIGTERM to SIGKILL, for the agent and for terminals, all at once.
pub const GRACE: Duration = Duration::from_secs(2);

// What is left is for the kernel, on a machine that is busy.
const _: () = assert!(LAND.as_secs() + GRACE.as_secs() + 2 <= SHUTDOWN.as_secs());
const _: () = assert!(SHUTDOWN.as_secs() + 2 <= 10);

/// The deadlines of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// The whole handshake.
    pub handshake: Duration,
    /// From an interrupt until the host is told that it was not heeded.
    pub heed: Duration,
    /// The rules' judgement of a command.
    pub judge: Duration,
    /// From the wish to shut down until the process exits, whatever hangs.
    pub shutdown: Duration,
}

impl Deadlines {
    /// As they are, or as the environment shortens them.
    pub fn load() -> Self {
        Self::of(|name| env::var(name).ok())
    }

    fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let shortened = |name: &str, most: Duration| {
            variable(name)
                .and_then(|text| text.parse().ok())
                .map_or(most, |millis| most.min(Duration::from_millis(millis)))
        };
        Self {
            handshake: shortened("ACP_RUNNER_HANDSHAKE_MS", HANDSHAKE),
            heed: shortened("ACP_RUNNER_HEED_MS", HEED),
            judge: shortened("ACP_RUNNER_JUDGE_MS", JUDGE),
            shutdown: shortened("ACP_RUNNER_SHUTDOWN_MS", SHUTDOWN),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_only_shortens() {
        let table = [
            (None, HEED),
            (Some("250"), Duration::from_millis(250)),
            (Some("999999"), HEED),
            (Some("soon"), HEED),
            (Some("-1"), HEED),
        ];
        for (text, expected) in table {
            let found = Deadlines::of(|name| {
                let is_it = name == "ACP_RUNNER_HEED_MS";
                text.filter(|_| is_it).map(str::to_owned)
            });
            assert_eq!(found.heed, expected, "{text:?}");
            assert_eq!(found.handshake, HANDSHAKE);
            assert_eq!(found.shutdown, SHUTDOWN);
        }
    }
}
