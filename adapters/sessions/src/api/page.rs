//! What was said: pages of it, and the search in it.

use serde::{Deserialize, Serialize};

/// The query of `GET /sessions/{id}/transcript`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(deny_unknown_fields)]
pub struct TranscriptQuery {
    /// Only items behind this one; 0 for the beginning.
    #[serde(default)]
    pub after_seq: u64,
    /// 1 to 1000; 200 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Only items of this role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
}

/// A page of a transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TranscriptPage {
    /// In order.
    pub items: Vec<Item>,
    /// The `after_seq` of the next page; the number of the last item looked at. The same as was
    /// asked with when there was none.
    pub next_after_seq: u64,
    /// Whether there is more right now.
    pub has_more: bool,
}

/// Something that was said or done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Item {
    /// From 1, increasing in the session. An item that is still being said may grow.
    pub seq: u64,
    /// The turn it belongs to; 0 outside of turns.
    pub turn_id: u64,
    /// Who or what.
    pub role: Role,
    /// As text.
    pub text: String,
    /// RFC 3339.
    pub at: String,
}

/// Who said it, or what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A prompt.
    User,
    /// A message of the agent.
    Agent,
    /// A thought of the agent.
    Thought,
    /// The title of a tool call.
    Tool,
    /// A plan, one entry a line.
    Plan,
    /// What the daemon says about a turn: that it was interrupted, and why.
    Notice,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::User,
        Self::Agent,
        Self::Thought,
        Self::Tool,
        Self::Plan,
        Self::Notice,
    ];

    /// Its name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Agent => "agent",
            Self::Thought => "thought",
            Self::Tool => "tool",
            Self::Plan => "plan",
            Self::Notice => "notice",
        }
    }
}

/// The query of `GET /wiki/search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchQuery {
    /// Words, all of which must be there. What is in double quotes must stand together.
    pub q: String,
    /// 1 to 100; 20 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// `GET /wiki/search`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SearchAnswer {
    /// The best first; at most one for each session.
    pub rows: Vec<SearchRow>,
}

/// A session in which the words stand, also one that was destroyed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SearchRow {
    /// The harness.
    pub tool: String,
    /// The title of the session.
    pub title: String,
    /// Where the words stand, in brackets.
    pub snippet: String,
    /// The session.
    pub session_id: String,
    /// Whether it still exists.
    pub exists: bool,
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn names_are_those_on_the_wire() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).ok(), Some(role.as_str().into()));
        }
    }
}
