//! The deterministic model, in the same process: no network, no login.
//!
//! What it says of its context is an estimate, made here because it is about the conversation as
//! the agent keeps it, and made from nothing else, so that it is the same each time.

use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use stub_model::{Command, Message, Part};

use super::{Conversation, Event, Model};

/// Bytes in a token, about, for English and for code.
const BYTES_PER_TOKEN: usize = 4;

/// What an image costs, about, in tokens: models scale images down to a fixed number of tiles.
const IMAGE_TOKENS: usize = 1_000;

/// The size of the context that the stub pretends to have, in tokens.
const CONTEXT: u64 = 200_000;

/// The stub model of this project.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stub;

impl Model for Stub {
    fn next<'a>(&'a self, conversation: Conversation<'a>) -> BoxStream<'a, Event> {
        let (mut said, mut told) = (0, false);
        let events = stub_model::stream(&conversation).flat_map(move |event| {
            let usage = match &event {
                Event::Text(text) | Event::Thought(text) => {
                    said += text.len();
                    None
                }
                Event::Usage { .. } => {
                    told = true;
                    None
                }
                // A real model knows its usage when it has said all of a reply.
                Event::Stop(_) if !told => Some(Event::Usage {
                    used: used(conversation.messages, said),
                    size: CONTEXT,
                }),
                _ => None,
            };
            usage.into_iter().chain([event])
        });
        stream::iter(events).boxed()
    }

    fn commands(&self) -> &'static [Command] {
        stub_model::COMMANDS
    }
}

/// Tokens that the conversation and `said` bytes of a reply take, about.
fn used(messages: &[Message], said: usize) -> u64 {
    let bytes = messages.iter().map(bytes).sum::<usize>() + said;
    let tokens = u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(CONTEXT);
    tokens.min(CONTEXT)
}

fn bytes(message: &Message) -> usize {
    match message {
        Message::User(parts) => parts.iter().map(part_bytes).sum(),
        Message::Assistant(text) | Message::Note(text) => text.len(),
        // Arguments are as long as the result of most calls is: they are counted, not written out.
        Message::ToolCall(call) => call.name.len() + argument_bytes(&call.arguments),
        Message::ToolResult(result) => result.text.len(),
    }
}

fn part_bytes(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.len(),
        Part::Image { .. } => IMAGE_TOKENS * BYTES_PER_TOKEN,
        Part::Resource { uri, text } => uri.len() + text.len(),
        Part::ResourceLink { name, uri, .. } => name.len() + uri.len(),
    }
}

fn argument_bytes(value: &serde_json::Value) -> usize {
    use serde_json::Value;
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(argument_bytes).sum(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| name.len() + argument_bytes(value))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_grows_with_what_was_said_and_stays_below_the_size() {
        let user = |text: &str| Message::User(vec![Part::Text(text.to_owned())]);
        assert_eq!(used(&[], 4), 1);
        assert_eq!(used(&[user("12345678")], 4), 3);
        assert_eq!(used(&[user(&"x".repeat(1 << 20))], 4), CONTEXT);
    }
}
