//! What a request asks, whichever wire it came over: a conversation, and how to answer.
//!
//! The wires hand in what they read, in order; here it becomes the messages of a conversation.

use std::path::{Path, PathBuf};

use super::framed::{self, Framed};
use crate::conversation::{Conversation, Message, Part, ToolCall, ToolResult, ToolSpec};

/// A request, read.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The name of the model, to be repeated.
    pub(super) model: String,
    /// Whether the reply comes piece by piece.
    pub(super) streamed: bool,
    /// Whether a streamed reply ends with what it has cost, where the wire leaves that open.
    pub(super) costs: bool,
    /// The length of the request in bytes, for what it costs.
    pub(super) bytes: usize,
    cwd: Option<PathBuf>,
    mode: Option<String>,
    tools: Vec<ToolSpec>,
    messages: Vec<Message>,
}

impl Asked {
    /// A request for this model, of so many bytes, of which nothing else was read yet.
    pub(super) fn new(model: String, streamed: bool, bytes: usize) -> Self {
        Self {
            model,
            streamed,
            bytes,
            ..Self::default()
        }
    }

    /// What the agent told the model before the conversation. Two lines of it are read.
    pub(super) fn instructions(&mut self, text: &str) {
        for line in text.lines() {
            if let Some(cwd) = line.strip_prefix("Working directory: ") {
                self.cwd = Some(cwd.into());
            } else if let Some(mode) = line.strip_prefix("Mode: ") {
                self.mode = Some(mode.trim().to_owned());
            }
        }
    }

    /// A tool that may be called.
    pub(super) fn tool(&mut self, tool: ToolSpec) {
        self.tools.push(tool);
    }

    /// The parts of a user's message. A note among them is a message of its own.
    pub(super) fn user(&mut self, parts: impl IntoIterator<Item = Part>) {
        let mut said = Vec::new();
        for part in parts {
            let read = match part {
                Part::Text(text) => framed::read(text),
                part => Framed::Part(part),
            };
            match read {
                Framed::Part(part) => said.push(part),
                Framed::Note(text) => {
                    self.end_of(&mut said);
                    self.messages.push(Message::Note(text));
                }
            }
        }
        self.end_of(&mut said);
    }

    fn end_of(&mut self, said: &mut Vec<Part>) {
        if !said.is_empty() {
            self.messages.push(Message::User(std::mem::take(said)));
        }
    }

    /// What the model said.
    pub(super) fn model_said(&mut self, text: String) {
        if !text.is_empty() {
            self.messages.push(Message::Assistant(text));
        }
    }

    /// What the model called.
    pub(super) fn called(&mut self, call: ToolCall) {
        self.messages.push(Message::ToolCall(call));
    }

    /// How that ended.
    pub(super) fn ended(&mut self, id: String, text: String) {
        let (outcome, text) = framed::outcome(text);
        self.messages.push(Message::ToolResult(ToolResult {
            id,
            outcome,
            text,
            structured: None,
        }));
    }

    /// Whether this tool may be called.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|spec| spec.name == tool)
    }

    /// The conversation, with these messages for its own.
    pub(super) fn conversation<'a>(&'a self, messages: &'a [Message]) -> Conversation<'a> {
        Conversation {
            cwd: self.cwd.as_deref().unwrap_or(Path::new("/")),
            mode: self.mode.as_deref().unwrap_or("default"),
            tools: &self.tools,
            messages,
        }
    }

    /// All messages.
    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }
}
