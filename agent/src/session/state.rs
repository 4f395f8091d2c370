//! What a session does now, as one state machine.
//!
//! All transitions are synchronous and take no lock themselves: the session holds one short lock
//! around each. What a turn needs to work on, the [`Memory`], moves into the turn and back, so that
//! "two turns at once" cannot be written down.
//!
//! ```text
//!          begin                cancel (a token, the state stays)
//!   Idle ─────────> Running ──────────────┐
//!     ^               │  ^────────────────┘
//!     └───────────────┘ finish
//!   Idle, Running ── close ──> Closed      (for ever)
//! ```
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use tokio_util::sync::CancellationToken;

use super::memory::Memory;
use crate::error::RequestError;

/// The number of a turn within its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnId(u64);

/// How a turn is told to stop.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Everything is to stop: the client cancelled the turn.
    pub turn: CancellationToken,
    /// Waiting for a tool or for the user is to stop. It is flipped with `turn`, and alone when
    /// the input has ended, so that a turn that needs nobody can still give its answer.
    pub waits: CancellationToken,
}

impl Stop {
    fn new() -> Self {
        let turn = CancellationToken::new();
        let waits = turn.child_token();
        Self { turn, waits }
    }
}

/// What a session does now.
#[derive(Debug)]
pub enum State {
    /// It waits for a prompt.
    Idle(Box<Memory>),
    /// A turn runs and has the memory.
    Running {
        /// Which one, so that a late end cannot clear its successor.
        turn: TurnId,
        /// How to stop it.
        stop: Stop,
    },
    /// It takes no more prompts.
    Closed,
}

impl State {
    /// Starts a turn.
    ///
    /// # Errors
    /// `Busy` while a turn runs, `Closed` after the end.
    pub fn begin(&mut self, number: u64) -> Result<(TurnId, Stop, Box<Memory>), RequestError> {
        match self {
            Self::Idle(_) => {}
            Self::Running { .. } => return Err(RequestError::Busy),
            Self::Closed => return Err(RequestError::Closed),
        }
        let (turn, stop) = (TurnId(number), Stop::new());
        let running = Self::Running {
            turn,
            stop: stop.clone(),
        };
        match std::mem::replace(self, running) {
            Self::Idle(memory) => Ok((turn, stop, memory)),
            // Seen above; given back rather than assumed away.
            other => {
                *self = other;
                Err(RequestError::Busy)
            }
        }
    }

    /// Ends the turn, if it is still the one that runs.
    pub fn finish(&mut self, ended: TurnId, memory: Box<Memory>) {
        if matches!(self, Self::Running { turn, .. } if *turn == ended) {
            *self = Self::Idle(memory);
        }
    }

    /// Stops the turn that runs now; nothing when none does. The turn ends by itself.
    pub fn cancel(&self) {
        if let Self::Running { stop, .. } = self {
            stop.turn.cancel();
        }
    }

    /// Stops the turn that runs now from waiting for anybody.
    pub fn stop_waits(&self) {
        if let Self::Running { stop, .. } = self {
            stop.waits.cancel();
        }
    }

    /// Takes no more prompts, and stops the turn that runs.
    pub fn close(&mut self) {
        self.cancel();
        *self = Self::Closed;
    }

    /// Whether a turn runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Running { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn idle() -> State {
        State::Idle(Box::default())
    }

    #[test]
    fn a_second_turn_is_refused_until_the_first_has_ended() {
        let mut state = idle();
        let (turn, _, memory) = state.begin(1).unwrap();
        assert!(matches!(state.begin(2), Err(RequestError::Busy)));
        state.finish(turn, memory);
        assert!(state.begin(2).is_ok());
    }

    #[test]
    fn a_late_end_does_not_clear_the_next_turn() {
        let mut state = idle();
        let (first, _, memory) = state.begin(1).unwrap();
        state.finish(first, memory);
        state.begin(2).unwrap();
        state.finish(first, Box::default());
        assert!(state.is_running());
    }

    #[test]
    fn a_cancel_hits_only_the_turn_that_runs() {
        let mut state = idle();
        state.cancel();
        let (turn, stop, memory) = state.begin(1).unwrap();
        assert!(!stop.turn.is_cancelled());
        state.cancel();
        state.cancel();
        assert!(stop.turn.is_cancelled() && stop.waits.is_cancelled());
        state.finish(turn, memory);
        state.cancel();
        let (_, stop, _) = state.begin(2).unwrap();
        assert!(!stop.turn.is_cancelled());
    }

    #[test]
    fn the_end_of_input_stops_waits_only() {
        let mut state = idle();
        let (_, stop, _) = state.begin(1).unwrap();
        state.stop_waits();
        assert!(stop.waits.is_cancelled() && !stop.turn.is_cancelled());
    }

    #[test]
    fn closed_is_for_ever() {
        let mut state = idle();
        let (turn, stop, memory) = state.begin(1).unwrap();
        state.close();
        assert!(stop.turn.is_cancelled());
        state.finish(turn, memory);
        assert!(matches!(state.begin(2), Err(RequestError::Closed)));
    }
}
