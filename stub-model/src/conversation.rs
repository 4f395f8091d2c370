//! What a model is given and what it gives back.
//!
//! These types stand apart from the model that fills them, because every model behind the agent's
//! seam speaks them: they are the shape that chat APIs share (messages, tool calls, tool results),
//! with nothing of ACP or of one vendor in it.
//!
//! Must stay true: values only. No handles, no callbacks, nothing that could carry state from one
//! reply to the next.

use std::{path::Path, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that a model may base its next reply on.
#[derive(Debug, Clone, Copy)]
pub struct Conversation<'a> {
    /// The working directory of the session; relative paths in the user's words start here.
    pub cwd: &'a Path,
    /// The id of the mode that the session is in now, for example `plan`.
    pub mode: &'a str,
    /// The tools that may be called in this step.
    pub tools: &'a [ToolSpec],
    /// What was said and done so far, oldest first. The last one is what to react to.
    pub messages: &'a [Message],
}

/// A tool as it is offered to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: String,
    /// What it does, in prose.
    pub description: String,
    /// The JSON Schema of its arguments, an object schema. Shared, because each turn collects
    /// anew what it offers.
    pub input_schema: Arc<Value>,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// What the user sent: the parts of one prompt.
    User(Vec<Part>),
    /// What the model said.
    Assistant(String),
    /// A tool call that the model asked for.
    ToolCall(ToolCall),
    /// How that tool call ended. Each call has exactly one result, after it.
    ToolResult(ToolResult),
    /// Something that the agent tells the model and the user did not say, for example that the
    /// user stopped the turn, or that a tool server could not be started.
    Note(String),
}

/// A part of a user's message.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Plain text.
    Text(String),
    /// An image, decoded from base64. The bytes are not checked.
    Image {
        /// For example `image/png`.
        mime_type: String,
        /// The file's bytes.
        data: Vec<u8>,
    },
    /// The contents of a resource that came with the prompt.
    Resource {
        /// Where it is from.
        uri: String,
        /// Its text, or a note on what it is when it is not text.
        text: String,
    },
    /// A pointer to a resource that did not come along. `path` is set for `file://` links.
    ResourceLink {
        /// The name shown to the user.
        name: String,
        /// The link as it came.
        uri: String,
        /// The decoded path of a `file://` link.
        path: Option<std::path::PathBuf>,
    },
}

/// A request of the model to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The model's own id for the call; unique within one reply at least.
    pub id: String,
    /// The tool's name, one of [`Conversation::tools`].
    pub name: String,
    /// The arguments: a JSON object by the tool's schema.
    pub arguments: Value,
}

/// How a tool call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The [`ToolCall::id`] that this answers.
    pub id: String,
    /// Whether it ran, and how.
    pub outcome: Outcome,
    /// What the tool has to say, for the model to read.
    pub text: String,
    /// The structured result, where the tool gives one.
    pub structured: Option<Value>,
}

/// The four ends of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran and succeeded.
    Completed,
    /// It ran, or could not start, and failed.
    Failed,
    /// The user or the mode did not allow it. Nothing ran.
    Refused,
    /// The turn was cancelled before it ended.
    Cancelled,
}

/// One piece of a model's reply, in the order of the stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Text for the user.
    Text(String),
    /// Reasoning that is shown apart from the answer.
    Thought(String),
    /// A tool to run. The agent runs it and asks the model again.
    ToolCall(ToolCall),
    /// The whole of the model's plan, replacing the one before.
    Plan(Vec<PlanEntry>),
    /// Nothing for that long. The model is pure and cannot wait itself: whoever streams the reply
    /// does, and ends the wait at once when the turn is cancelled.
    Wait(Duration),
    /// How full the context is, in tokens.
    Usage {
        /// Tokens in the context now.
        used: u64,
        /// Tokens that fit into it.
        size: u64,
    },
    /// Something to look at: an image or a resource of the model's own.
    Show(Part),
    /// The agent's process ends here, without a word: what a crash looks like to a client.
    Crash,
    /// The turn is over. Always the last event, and absent while tool calls are open.
    Stop(Stop),
}

/// Why a model stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// It has said all.
    EndTurn,
    /// The limit of tokens was reached.
    MaxTokens,
    /// It will not go on with this prompt.
    Refusal,
    /// The model itself failed; the text says why.
    Failed(String),
}

/// One step of a model's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanEntry {
    /// What is to be done.
    pub content: String,
    /// How much it matters.
    pub priority: Priority,
    /// How far it is.
    pub status: Progress,
}

/// How much a step matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// First.
    High,
    /// As usual.
    Medium,
    /// If there is time.
    Low,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}
