//! One use of a command: its argument, and how far it has come.
//!
//! A command with tools is followed again after each result, like every reply. How far it is
//! stands in the conversation, so there is nothing to remember.

use crate::{
    conversation::{Conversation, Event, Message, Part, ToolCall, ToolResult},
    events::Events,
    speak,
};

/// A command that is being followed.
pub(super) struct Call<'a> {
    /// What stands behind the name, without blanks around it.
    pub(super) argument: &'a str,
    /// Everything.
    pub(super) conversation: &'a Conversation<'a>,
    /// The results that have come since the command.
    pub(super) results: Vec<&'a ToolResult>,
}

impl<'a> Call<'a> {
    /// The name of the command in the last prompt, and the rest of it.
    pub(super) fn of(conversation: &'a Conversation<'a>) -> Option<(&'a str, Self)> {
        let messages = conversation.messages;
        let at = messages
            .iter()
            .rposition(|message| matches!(message, Message::User(_)))?;
        let (name, argument) = split(&messages[at])?;
        let results = messages[at..].iter().filter_map(|message| match message {
            Message::ToolResult(result) => Some(result),
            _ => None,
        });
        let call = Self {
            argument,
            conversation,
            results: results.collect(),
        };
        Some((name, call))
    }

    /// The argument as a number, in a range; `usual` when there is none that fits.
    pub(super) fn number(&self, usual: u64, most: u64) -> u64 {
        self.argument
            .parse()
            .map_or(usual, |number: u64| number.min(most))
    }

    /// Whether this tool is on offer.
    pub(super) fn has(&self, tool: &str) -> bool {
        self.conversation.tools.iter().any(|spec| spec.name == tool)
    }

    /// A call of a tool. `number` makes its id unique within the reply.
    pub(super) fn tool(number: usize, name: &str, arguments: serde_json::Value) -> Event {
        Event::ToolCall(ToolCall {
            id: format!("command-{number}"),
            name: name.to_owned(),
            arguments,
        })
    }
}

/// The command in a user's message: its first text, when that begins with a slash.
pub(super) fn split(message: &Message) -> Option<(&str, &str)> {
    let Message::User(parts) = message else {
        return None;
    };
    let text = parts.iter().find_map(|part| match part {
        Part::Text(text) => Some(text.trim()),
        _ => None,
    })?;
    let rest = text.strip_prefix('/')?;
    let (name, argument) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    Some((name, argument.trim()))
}

/// A reply of words alone.
pub(super) fn say(text: &str) -> Vec<Event> {
    Events::telling(Vec::new(), speak::pieces(text.to_owned())).collect()
}
