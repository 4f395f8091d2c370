//! What a session allows, and what it tells about itself: pure functions of a few facts.

use crate::{
    api::{ChatPhase, Outcome, State},
    store::TurnEnd,
};

/// A lifecycle operation. A session has at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// The environment is being made or found again, and the harness started in it.
    Launch,
    /// The environment is being made from a checkpoint.
    Resume,
    /// The work is being saved.
    Checkpoint,
    /// The work is being saved, and the environment given back.
    Suspend,
    /// The session is being removed.
    Destroy,
}

impl Operation {
    /// For messages: "it is being …".
    pub(crate) const fn doing(self) -> &'static str {
        match self {
            Self::Launch => "started",
            Self::Resume => "resumed",
            Self::Checkpoint => "checkpointed",
            Self::Suspend => "suspended",
            Self::Destroy => "destroyed",
        }
    }
}

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) state: State,
    pub(crate) operation: Option<Operation>,
    /// The harness is there.
    pub(crate) is_attached: bool,
    /// A turn runs.
    pub(crate) is_running: bool,
    /// A prompt waits for its turn.
    pub(crate) is_queued: bool,
    /// There is saved work.
    pub(crate) has_checkpoint: bool,
    /// Its environment was ready once, and was not given back.
    pub(crate) has_environment: bool,
}

impl Facts {
    /// Whether a prompt would run at once. What nobody can see is never called idle.
    pub(crate) fn is_idle(&self) -> bool {
        self.state == State::Running
            && self.is_attached
            && self.operation.is_none()
            && !self.is_running
            && !self.is_queued
    }

    pub(crate) const fn chat_phase(&self) -> ChatPhase {
        if self.is_retiring() {
            ChatPhase::Closing
        } else if self.is_running || self.is_queued {
            ChatPhase::Running
        } else if self.is_attached {
            ChatPhase::Idle
        } else {
            ChatPhase::Closed
        }
    }

    /// Whether a suspension or a destruction owns it.
    const fn is_retiring(&self) -> bool {
        matches!(
            self.operation,
            Some(Operation::Suspend | Operation::Destroy)
        ) || matches!(self.state, State::Closing | State::Destroying)
    }

    /// What happens to a prompt.
    pub(crate) const fn gate(&self) -> Gate {
        if self.is_retiring() {
            return Gate::Retiring;
        }
        let is_starting = matches!(self.operation, Some(Operation::Launch | Operation::Resume));
        match self.state {
            State::Stopped if !is_starting => Gate::Suspended,
            State::Error | State::Lost if !is_starting => Gate::Failed,
            State::Running | State::Checkpointing if self.is_attached => Gate::Open,
            _ => Gate::Hold,
        }
    }

    /// The state while an operation goes on, from the moment it was admitted.
    pub(crate) fn state_during(&self, operation: Operation) -> State {
        match operation {
            // It says itself how far it is.
            Operation::Launch => self.state,
            Operation::Resume if self.resumes_in_place() => State::Launching,
            Operation::Resume => State::Provisioning,
            Operation::Checkpoint => State::Checkpointing,
            Operation::Suspend => State::Closing,
            Operation::Destroy => State::Destroying,
        }
    }

    /// Whether only the harness has to come back. The environment of a session that failed holds
    /// more than any checkpoint does, also one that only could not be reached.
    pub(crate) const fn resumes_in_place(&self) -> bool {
        matches!(self.state, State::Error | State::Lost) && self.has_environment
    }

    /// What happens to the wish for an operation.
    pub(crate) fn admit(&self, wanted: Operation) -> Admission {
        use Admission::{Done, Join, Preempt, Refuse, Start};
        use Operation::{Checkpoint, Destroy, Launch, Resume, Suspend};
        match (wanted, self.operation) {
            (wanted, Some(running)) if wanted == running => Join,
            (Destroy, Some(_)) => Preempt,
            // There is nothing to save yet, or what is saved is not lost by it.
            (Suspend, Some(Launch | Resume | Checkpoint)) => Preempt,
            (Resume, Some(Launch)) => Join,
            (_, Some(running)) => Refuse(Why::Busy(running)),
            (Destroy | Launch, None) => Start,
            (Suspend, None) if self.state == State::Stopped => Done,
            (Suspend, None) => Start,
            (Resume, None) => match self.state {
                State::Stopped if self.has_checkpoint => Start,
                State::Error | State::Lost if self.has_checkpoint || self.has_environment => Start,
                State::Stopped | State::Error | State::Lost => Refuse(Why::NoCheckpoint),
                _ => Refuse(Why::Live),
            },
            (Checkpoint, None) => match self.state {
                _ if self.is_running || self.is_queued => Refuse(Why::Turn),
                State::Running | State::Disconnected => Start,
                _ => Refuse(Why::NotLive),
            },
        }
    }
}

/// What happens to a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It is accepted.
    Open,
    /// It is held until the session has started.
    Hold,
    /// It is refused: the session is being suspended or destroyed.
    Retiring,
    /// It is refused: the session is suspended.
    Suspended,
    /// It is refused: the session failed.
    Failed,
}

/// What happens to the wish for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It begins.
    Start,
    /// It is what is going on already.
    Join,
    /// It ends what is going on, and begins.
    Preempt,
    /// It is so already.
    Done,
    /// It cannot be.
    Refuse(Why),
}

/// Why an operation cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// Another one is going on.
    Busy(Operation),
    /// A turn runs or waits.
    Turn,
    /// There is nothing to resume from.
    NoCheckpoint,
    /// It is live already.
    Live,
    /// It is not live.
    NotLive,
}

/// What a wait has seen.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) facts: Facts,
    /// How the turn ended, if it did.
    pub(crate) end: Option<&'a TurnEnd>,
    /// A suspension or destruction failed since the wait began.
    pub(crate) close_failed: bool,
    /// The recorded error.
    pub(crate) error: Option<&'a str>,
    /// The harness asks, and the wait wants to know.
    pub(crate) is_asked: bool,
}

/// How a wait ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As the turn did.
    Turn(TurnEnd),
    /// Without its turn having ended.
    Other(Outcome, Option<String>),
}

/// Whether a wait is over. A turn that has ended never changes its outcome, whatever becomes of the
/// session; and an error that is older than the wait says nothing about the turn.
pub(crate) fn ending(seen: &Seen<'_>) -> Option<Ending> {
    let error = || seen.error.map(str::to_owned);
    if let Some(end) = seen.end {
        return Some(Ending::Turn(end.clone()));
    }
    match seen.facts.operation {
        Some(Operation::Resume) => return None,
        Some(Operation::Suspend | Operation::Destroy) => return None,
        _ if seen.close_failed => return Some(Ending::Other(Outcome::Error, error())),
        _ => {}
    }
    match seen.facts.gate() {
        Gate::Retiring => None,
        Gate::Suspended => Some(Ending::Other(Outcome::Stopped, None)),
        Gate::Failed => Some(Ending::Other(Outcome::Error, error())),
        Gate::Open | Gate::Hold if seen.is_asked => {
            Some(Ending::Other(Outcome::InputRequired, None))
        }
        Gate::Open | Gate::Hold => None,
    }
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
