//! How long the checker waits for what: one place, each number with its reason.
//!
//! Two of the numbers are the contract's own (10 s to end, 30 s to stop). The judges hold those
//! again and do not read this file, so that a scaled run can only be stricter.

use std::time::Duration;

/// The deadlines of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// From the start of the process to the answer of `initialize`. A container or a JIT needs seconds.
    pub initialize: Duration,
    /// `session/new` and `session/load`. Tool servers start here, some by downloading.
    pub session: Duration,
    /// A change of mode. Nothing has to be computed for it.
    pub mode: Duration,
    /// A turn in which no message comes. By silence, so that a slow but living agent is not blamed.
    pub silence: Duration,
    /// A whole turn, silent or not. Without it an agent that only chats would hold the run for ever.
    pub turn: Duration,
    /// From `session/cancel` to the answer of the prompt (the contract's number).
    pub cancel: Duration,
    /// From the closing of the input to the end of the process (the contract's number).
    pub end: Duration,
    /// For a process to go after its parent went or its turn was cancelled: end-of-file or a signal
    /// needs a moment to arrive. Who is there after it was left behind.
    pub settle: Duration,
    /// How long the checker listens on after a turn's answer, to hear updates that come too late.
    pub late: Duration,
    /// How long a tool call must run before a cancel where no `sleep` process can be seen.
    pub unseen_command: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            initialize: Duration::from_secs(30),
            session: Duration::from_secs(60),
            mode: Duration::from_secs(30),
            silence: Duration::from_secs(120),
            turn: Duration::from_secs(300),
            cancel: Duration::from_secs(30),
            end: Duration::from_secs(10),
            settle: Duration::from_secs(2),
            late: Duration::from_millis(100),
            unseen_command: Duration::from_secs(2),
        }
    }
}

impl Limits {
    /// All limits but `late` multiplied by `factor`; below 1 for tests with agents that hang.
    /// A factor that makes no duration (negative, infinite) leaves the limits as they are.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        let scale = |limit: Duration| {
            Duration::try_from_secs_f64(limit.as_secs_f64() * factor).unwrap_or(limit)
        };
        Self {
            initialize: scale(self.initialize),
            session: scale(self.session),
            mode: scale(self.mode),
            silence: scale(self.silence),
            turn: scale(self.turn),
            cancel: scale(self.cancel),
            end: scale(self.end),
            settle: scale(self.settle),
            late: self.late,
            unseen_command: scale(self.unseen_command),
        }
    }
}
