//! Turns: a prompt and how it ended.

use serde::{Deserialize, Serialize};

use super::{Elicitation, Session};

/// `POST /sessions/{id}/prompt`. 202 with a [`PromptAccepted`] when the prompt is stored: prompts
/// are durable, and run in the order of their acceptance. While the session starts, the request is
/// held for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// 1 to 65,536 characters, not blank, not beginning with `!`.
    pub text: String,
    /// Chosen by the client. A second prompt with the same one is the same prompt, and gets the same
    /// turn id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command_id: Option<String>,
}

/// The prompt will run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PromptAccepted {
    /// Its place in the order of acceptance of this session, from 1, strictly increasing.
    pub turn_id: u64,
}

/// `POST /sessions/{id}/interrupt-turn`. 202 when the turn that runs was told to end; 409 if there
/// is none.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields, default)]
pub struct Interrupt {
    /// Only this turn, so that a late interrupt never hits the next one. If left out: the turn that
    /// runs, and prompts that are held until the session has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<u64>,
}

/// `POST /sessions/{id}/wait`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Until this turn has ended; the latest accepted one if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<u64>,
    /// Answer `input_required` as soon as the harness asks something that nobody answers.
    #[serde(default)]
    pub return_on_input: bool,
    /// 1 to 3600; 600 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_secs: Option<u64>,
}

/// How a wait ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WaitAnswer {
    /// How the turn ended, or why the wait did.
    pub outcome: Outcome,
    /// The harness's own word for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The agent's last message inside the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_message: Option<String>,
    /// The turn that this is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<u64>,
    /// With `input_required`: the questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending_elicitations: Vec<Elicitation>,
    /// The session at this moment.
    pub session: Session,
}

/// How a turn ended, or a wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The harness finished the turn.
    Finished,
    /// It was interrupted: by a client, or because the daemon or the harness ended.
    Cancelled,
    /// It failed.
    Error,
    /// The account of the harness has no more quota.
    QuotaLimit,
    /// The time of the wait was over; the turn goes on.
    Timeout,
    /// The session was suspended.
    Stopped,
    /// The harness asked something; the turn goes on.
    InputRequired,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Finished,
        Self::Cancelled,
        Self::Error,
        Self::QuotaLimit,
        Self::Timeout,
        Self::Stopped,
        Self::InputRequired,
    ];

    /// Its name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
            Self::Error => "error",
            Self::QuotaLimit => "quota_limit",
            Self::Timeout => "timeout",
            Self::Stopped => "stopped",
            Self::InputRequired => "input_required",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Outcome;

    #[test]
    fn names_are_those_on_the_wire() {
        for outcome in Outcome::ALL {
            assert_eq!(
                serde_json::to_value(outcome).ok(),
                Some(outcome.as_str().into())
            );
        }
    }
}
