//! What a refusal looks like.

use serde::{Deserialize, Serialize};

/// The body of every answer that is not a success.
///
/// Status: 400 malformed, 401 no or a wrong token, 404 unknown, 409 cannot now, 429 full,
/// 500 a fault of the daemon, 503 shutting down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ErrorBody {
    /// The whole reason, for a person. Members of requests are named as they are written there
    /// (`profile_id`).
    pub error: String,
    /// For a program, where it can do something about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// With 429: how many sessions are being made, resumed, suspended or destroyed now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running_actions: Option<usize>,
    /// With 429: how many may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_limit: Option<usize>,
}

/// Refusals that a program can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No workspace has this id or name.
    UnknownWorkspace,
    /// No session has this id; after a destroy, the proof of it.
    UnknownSession,
    /// Nothing was admitted, because too much is going on; try again later.
    Full,
    /// The daemon is ending; another one can be started when it has.
    ShuttingDown,
    /// The prompt was withdrawn by an interrupt before it ran.
    Withdrawn,
    /// There is neither a turn nor a held prompt to interrupt.
    NothingToInterrupt,
    /// The work is not verified as published; nothing was released.
    UnpublishedWork,
    /// There is no checkpoint to resume from.
    NoCheckpoint,
    /// The resolved runtime is not the expected one.
    RuntimeMismatch,
    /// A code that this version does not know.
    #[serde(other)]
    Other,
}
