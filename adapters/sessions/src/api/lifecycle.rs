//! The states of a session, as they are stored and as they are told.

use serde::{Deserialize, Serialize};

/// What is known about a session, as it stands in the store.
///
/// ```text
/// create -> Provisioning -> Launching -> Running <-> Checkpointing
///                \______________\-> Error          Running -> Closing -> Stopped
/// Stopped (with a checkpoint) -> resume -> Provisioning      any -> Destroying -> (no row)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Its environment is being made.
    Provisioning,
    /// Its environment is there; the harness is being started.
    Launching,
    /// Its environment is there, but the harness is not: it ended by itself.
    Disconnected,
    /// The harness runs.
    Running,
    /// The harness runs, and its work is being saved.
    Checkpointing,
    /// It is being suspended.
    Closing,
    /// It is being removed.
    Destroying,
    /// Its environment was given back.
    Stopped,
    /// It could not be started; the cause is recorded.
    Error,
    /// Its environment is gone.
    Lost,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Provisioning,
        Self::Launching,
        Self::Disconnected,
        Self::Running,
        Self::Checkpointing,
        Self::Closing,
        Self::Destroying,
        Self::Stopped,
        Self::Error,
        Self::Lost,
    ];

    /// What clients are told.
    pub const fn lifecycle(self) -> Lifecycle {
        match self {
            Self::Provisioning => Lifecycle::Starting,
            Self::Launching | Self::Disconnected | Self::Running | Self::Checkpointing => {
                Lifecycle::Live
            }
            Self::Closing | Self::Destroying => Lifecycle::Suspending,
            Self::Stopped => Lifecycle::Suspended,
            Self::Error | Self::Lost => Lifecycle::Failed,
        }
    }

    /// Its name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Provisioning => "provisioning",
            Self::Launching => "launching",
            Self::Disconnected => "disconnected",
            Self::Running => "running",
            Self::Checkpointing => "checkpointing",
            Self::Closing => "closing",
            Self::Destroying => "destroying",
            Self::Stopped => "stopped",
            Self::Error => "error",
            Self::Lost => "lost",
        }
    }
}

/// The coarse state, by which clients decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// Being made.
    Starting,
    /// There; whether it takes a prompt right now says `is_idle`.
    Live,
    /// A suspend or a destroy owns it.
    Suspending,
    /// Its environment was given back.
    Suspended,
    /// It needs a person; the cause is in `error`.
    Failed,
}

impl Lifecycle {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Live => "live",
            Self::Suspending => "suspending",
            Self::Suspended => "suspended",
            Self::Failed => "failed",
        }
    }
}

/// Which operation failed, so that a client need not read the sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LifecycleError {
    /// It could not be started, or its environment is gone.
    Launch,
    /// A suspension; the session is what it was before.
    Suspend,
    /// A destruction; something of the session may be gone already.
    Destroy,
    /// A resumption; it is suspended as before.
    Resume,
    /// A checkpoint; the one before is still the recorded one.
    Checkpoint,
}

impl LifecycleError {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Launch,
        Self::Suspend,
        Self::Destroy,
        Self::Resume,
        Self::Checkpoint,
    ];

    /// Its name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Launch => "launch",
            Self::Suspend => "suspend",
            Self::Destroy => "destroy",
            Self::Resume => "resume",
            Self::Checkpoint => "checkpoint",
        }
    }

    /// The sentence that is recorded, for a cause.
    pub fn sentence(self, cause: &str) -> String {
        match self {
            Self::Launch => format!("the launch failed: {cause}"),
            Self::Suspend => format!("the suspension did not finish: {cause}"),
            Self::Destroy => format!("the destruction did not finish: {cause}"),
            Self::Resume => format!("the resumption did not finish: {cause}"),
            Self::Checkpoint => format!("the checkpoint did not finish: {cause}"),
        }
    }
}

/// `POST /sessions/{id}/suspend`. 202: admitted, not done.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct Suspend {
    /// Release the environment also if the work is not verified as published.
    pub acknowledge_unpublished_work: bool,
}

/// `POST /sessions/{id}/destroy`. 202: admitted, not done; done when the session is unknown (404).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct Destroy {
    /// Accepted for clients that say it; a branch of the user's own repository is never made, so
    /// none is ever deleted.
    pub delete_branch: bool,
}

/// The answer 202 to what goes on behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Acknowledged {
    /// The state right after the admission.
    pub lifecycle: Lifecycle,
}

#[cfg(test)]
mod tests {
    use super::{LifecycleError, State};

    #[test]
    fn names_are_those_on_the_wire() {
        for state in State::ALL {
            let told = serde_json::to_value(state).ok();
            assert_eq!(told, Some(state.as_str().into()));
            let told = serde_json::to_value(state.lifecycle()).ok();
            assert_eq!(told, Some(state.lifecycle().as_str().into()));
        }
        for kind in LifecycleError::ALL {
            assert_eq!(serde_json::to_value(kind).ok(), Some(kind.as_str().into()));
        }
    }
}
