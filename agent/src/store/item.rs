//! What a session log holds: the header, and the kinds of items behind it.
//!
//! Apart from reading and writing, because these types are the agreement between the agent that
//! wrote a log and the one that loads it, perhaps a year later.
//!
//! Must stay true: an item is something *completed*, never a delta, so that a log which ends
//! anywhere between two lines is a conversation that makes sense. A new kind of item, or a new
//! meaning of an old one, takes a new [`FORMAT`]; a new optional member does not.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions>

use std::path::PathBuf;

use crate::acp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the file format that this program reads and writes.
pub const FORMAT: u32 = 1;

/// The first line of a log: what the session is. Written once, never changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the file format, [`FORMAT`].
    pub format: u32,
    /// The session's id, the same as in the file's name.
    pub session_id: String,
    /// The working directory that the session was made with; absolute.
    pub cwd: PathBuf,
    /// Further workspace roots, in the client's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_directories: Vec<PathBuf>,
    /// When the session was made: RFC 3339, UTC.
    pub created: String,
}

/// Something that has happened in a session: one line of its log.
///
/// In the file the member `item` names the kind. The members that ACP defines keep the form that
/// they have on the wire.
#[expect(
    clippy::large_enum_variant,
    reason = "items are read and written one at a time, so the largest kind costs nothing"
)]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "item", rename_all = "snake_case")]
pub enum Item {
    /// The user's prompt. It begins a turn.
    UserMessage {
        /// The id that the message has in `session/update`.
        message_id: String,
        /// The blocks of the prompt as they came.
        content: Vec<acp::ContentBlock>,
        /// When it came: RFC 3339, UTC.
        at: String,
    },
    /// A whole message of the agent.
    AgentMessage {
        /// The id that the message has in `session/update`.
        message_id: String,
        /// All chunks of it, joined.
        text: String,
    },
    /// A whole thought of the agent.
    AgentThought {
        /// The id that the thought has in `session/update`.
        message_id: String,
        /// All chunks of it, joined.
        text: String,
    },
    /// A tool call that has ended.
    ToolCall {
        /// The call as the client last saw it.
        call: acp::ToolCall,
        /// What the model asked for.
        request: stub_model::ToolCall,
        /// How it ended.
        outcome: stub_model::Outcome,
        /// What the tool said to the model.
        text: String,
        /// The structured result, where the tool gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        structured: Option<Value>,
    },
    /// The whole plan, replacing the one before.
    Plan {
        /// Its steps in order.
        entries: Vec<stub_model::PlanEntry>,
    },
    /// The session is in another mode from here on.
    Mode {
        /// The mode's id.
        id: String,
    },
    /// The user answered a permission request with "always".
    Grant {
        /// The tool and what it was granted for, as the agent names such a pair.
        key: String,
        /// Whether it is allowed from here on, or refused. Without a default: a line that does not
        /// say it must not count as a yes.
        allow: bool,
    },
    /// Something that only the model was told.
    Note {
        /// The words.
        text: String,
    },
    /// The session has this title from here on.
    Title {
        /// The title, one line for people.
        title: String,
    },
    /// The turn is over.
    TurnEnd {
        /// How it ended.
        end: TurnEnd,
        /// When: RFC 3339, UTC.
        at: String,
    },
}

/// How a turn ended.
///
/// ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// The model had said all.
    EndTurn,
    /// The limit of tokens was reached.
    MaxTokens,
    /// The limit of model requests in one turn was reached.
    MaxTurnRequests,
    /// The model refused to go on.
    Refusal,
    /// The client cancelled it.
    Cancelled,
    /// It failed; the prompt was answered with an error.
    Failed {
        /// The error's message.
        message: String,
    },
    /// The agent ended before the turn did. Added by the process that loads the session.
    Interrupted,
}
