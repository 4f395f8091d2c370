//! How a tool call ended, for the model and for the client.
//!
//! The two readers get separate members, because they need different things: the model text to go
//! on with, the client content to show. What is the same for both is written once, here.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#content>

use serde_json::Value;
use stub_model::Outcome;

use crate::acp;

/// The end of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutcome {
    /// Whether it ran, and how.
    pub outcome: Outcome,
    /// What the model reads.
    pub text: String,
    /// The structured result, where the tool gives one.
    pub structured: Option<Value>,
    /// What the client shows. It replaces what was shown before; nothing leaves that as it is.
    pub content: Vec<acp::ToolCallContent>,
    /// The result as data, for the client.
    pub raw_output: Option<Value>,
    /// The files that turned out to matter, if that is known better than before the call.
    pub locations: Option<Vec<acp::ToolCallLocation>>,
}

impl ToolOutcome {
    /// It ran and succeeded.
    #[must_use]
    pub fn completed(text: impl Into<String>) -> Self {
        Self::new(Outcome::Completed, text.into())
    }

    /// It ran, or could not start, and failed.
    #[must_use]
    pub fn failed(text: impl Into<String>) -> Self {
        Self::new(Outcome::Failed, text.into())
    }

    /// The user or the mode did not allow it; nothing ran.
    #[must_use]
    pub fn refused(text: impl Into<String>) -> Self {
        Self::new(Outcome::Refused, text.into())
    }

    /// The turn was cancelled before it ended.
    #[must_use]
    pub fn cancelled(text: impl Into<String>) -> Self {
        Self::new(Outcome::Cancelled, text.into())
    }

    /// The same text for the model and the client.
    pub(crate) fn new(outcome: Outcome, text: String) -> Self {
        Self {
            outcome,
            content: shown(&text),
            text,
            structured: None,
            raw_output: None,
            locations: None,
        }
    }

    /// It ran and succeeded, and the client has already been shown what it did.
    pub(crate) fn announced(text: impl Into<String>) -> Self {
        Self {
            content: Vec::new(),
            ..Self::completed(text)
        }
    }
}

/// Text as the content of a tool call; nothing for no text.
pub(crate) fn shown(text: &str) -> Vec<acp::ToolCallContent> {
    if text.is_empty() {
        return Vec::new();
    }
    vec![acp::ToolCallContent::from(acp::ContentBlock::from(text))]
}
