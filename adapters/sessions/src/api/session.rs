//! A session as clients see it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Lifecycle, LifecycleError, Outcome, Runtime, SessionId, State};

/// `GET /sessions/{id}`; in the list without `runtime` and `pending_elicitations`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// Its workspace.
    pub workspace_id: String,
    /// For people; may be empty.
    pub title: String,
    /// What the profile says its harness is.
    pub harness_kind: String,
    /// The profile.
    pub profile_id: String,
    /// The target.
    pub target_id: String,
    /// The bundle, if it has its own clones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle_id: Option<String>,
    /// The user's own directory, if it works there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_directory: Option<PathBuf>,
    /// As it is stored.
    pub state: State,
    /// By which clients decide.
    pub lifecycle: Lifecycle,
    /// What it does.
    pub chat_phase: ChatPhase,
    /// A prompt that is sent now runs at once: the harness is attached, there is no turn, no queued
    /// prompt, no lifecycle operation.
    pub is_idle: bool,
    /// Whether `error` is there.
    pub has_error: bool,
    /// Why it failed to start, or which lifecycle operation did not finish. Kept until the next one
    /// succeeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What kind of failure that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<LifecycleError>,
    /// Whether it could be resumed from saved work.
    pub has_checkpoint: bool,
    /// RFC 3339.
    pub created_at: String,
    /// RFC 3339.
    pub updated_at: String,
    /// The commit that was asked for; never rewritten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The branch that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The base that was asked for, else `at`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The runtime identity that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_runtime_identity: Option<String>,
    /// The latest receipt of the harness's runtime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    /// How the latest turn that ended did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_turn_outcome: Option<Outcome>,
    /// The questions of the harness that nobody has answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_elicitations: Vec<Elicitation>,
}

/// What a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatPhase {
    /// No turn runs.
    Idle,
    /// A turn runs, or waits to.
    Running,
    /// A lifecycle operation ends it.
    Closing,
    /// There is no harness.
    Closed,
}

/// A question of the harness that needs an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Elicitation {
    /// Unique in the session.
    pub id: String,
    /// The question.
    pub message: String,
}

/// `GET /sessions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Sessions {
    /// The newest first.
    pub sessions: Vec<Session>,
}

/// The query of `GET /sessions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionsQuery {
    /// Only those of this workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// Only the one that was made by this request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}
