//! The deterministic model, in the same process: no network, no login.
//!
//! What it says of its context is an estimate, made here because it is about the conversation as
//! the agent keeps it, and made from nothing else, so that it is the same each time. A rule of a
//! scenario tells its usage itself, or none.
//!
//! Must stay true: reading never holds up a thread that serves messages. Short words are read in
//! less time than another thread takes to begin; long ones are read on a thread that may block, and
//! a turn that is cancelled meanwhile does not wait for it.

use std::path::Path;

use futures::{
    FutureExt, StreamExt,
    stream::{self, BoxStream},
};
use stub_model::{Command, Events, Message, Part, Scenario, ScenarioError, Stop};

use super::{Conversation, Event, Model};

/// Bytes in a token, about, for English and for code.
const BYTES_PER_TOKEN: usize = 4;

/// What an image costs, about, in tokens: models scale images down to a fixed number of tiles.
const IMAGE_TOKENS: usize = 1_000;

/// The size of the context that the stub pretends to have, in tokens.
const CONTEXT: u64 = 200_000;

/// How much text of the user is read where one is, in bytes: a millisecond or a few.
const AT_ONCE: usize = 32 * 1024;

/// The stub model of this project.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stub;

impl Model for Stub {
    fn next<'a>(&'a self, conversation: Conversation<'a>) -> BoxStream<'a, Event> {
        reading(conversation, plain)
    }

    fn commands(&self) -> &'static [Command] {
        stub_model::COMMANDS
    }
}

/// The stub model with the rules of a scenario file in front.
#[derive(Debug, Clone)]
pub struct StubScenario(Scenario);

impl StubScenario {
    /// The model for a file.
    ///
    /// # Errors
    /// The file cannot be read, or something in it is wrong; the error names the place.
    pub fn load(path: &Path) -> Result<Self, ScenarioError> {
        Scenario::load(path).map(Self::new)
    }

    /// The model for a scenario.
    #[must_use]
    pub fn new(scenario: Scenario) -> Self {
        Self(scenario)
    }
}

impl Model for StubScenario {
    fn next<'a>(&'a self, conversation: Conversation<'a>) -> BoxStream<'a, Event> {
        let scenario = self.0.clone();
        reading(conversation, move |conversation| {
            match scenario.follow(conversation) {
                Some(events) => Reply::exactly(events.into()),
                None => plain(conversation),
            }
        })
    }

    fn commands(&self) -> &'static [Command] {
        stub_model::COMMANDS
    }
}

/// What the plain model says, and about how full its context is.
fn plain(conversation: &Conversation<'_>) -> Reply {
    Reply {
        context: Some(conversation.messages.iter().map(bytes).sum()),
        ..Reply::exactly(stub_model::stream(conversation))
    }
}

/// The events of a reply, when they are first asked for: a turn that was stopped reads nothing.
fn reading<'a>(
    conversation: Conversation<'a>,
    read: impl FnOnce(&Conversation<'_>) -> Reply + Send + 'static,
) -> BoxStream<'a, Event> {
    let reply = async move {
        let long = conversation.messages.iter().map(user_bytes).sum::<usize>() > AT_ONCE;
        if !long {
            return read(&conversation);
        }
        let cwd = conversation.cwd.to_owned();
        let mode = conversation.mode.to_owned();
        let tools = conversation.tools.to_vec();
        let messages = conversation.messages.to_vec();
        let reading = tokio::task::spawn_blocking(move || {
            read(&Conversation {
                cwd: &cwd,
                mode: &mode,
                tools: &tools,
                messages: &messages,
            })
        });
        reading.await.unwrap_or_else(|error| {
            let why = format!("the conversation could not be read: {error}");
            Reply::exactly(vec![Event::Stop(Stop::Failed(why))].into())
        })
    };
    reply.map(stream::iter).into_stream().flatten().boxed()
}

/// The events of a reply, with the usage before its end.
struct Reply {
    events: Events,
    /// The bytes of the conversation and of what was said; nothing when no usage is to be told, or
    /// was told by the model.
    context: Option<usize>,
    /// The end, while the usage is told before it.
    held: Option<Event>,
}

impl Reply {
    /// These events and no others.
    fn exactly(events: Events) -> Self {
        Self {
            events,
            context: None,
            held: None,
        }
    }
}

impl Iterator for Reply {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let event = self.held.take().or_else(|| self.events.next())?;
        match (&event, &mut self.context) {
            (Event::Text(text) | Event::Thought(text), Some(context)) => *context += text.len(),
            (Event::Usage { .. }, context) => *context = None,
            // A real model knows its usage when it has said all of a reply.
            (Event::Stop(_), Some(context)) => {
                let usage = Event::Usage {
                    used: tokens(*context),
                    size: CONTEXT,
                };
                self.context = None;
                self.held = Some(event);
                return Some(usage);
            }
            _ => {}
        }
        Some(event)
    }
}

/// About how many tokens so many bytes are.
fn tokens(bytes: usize) -> u64 {
    let tokens = u64::try_from(bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(CONTEXT);
    tokens.min(CONTEXT)
}

/// The text of the user in a message, which is what reading takes time for.
fn user_bytes(message: &Message) -> usize {
    match message {
        Message::User(parts) => parts.iter().map(text_bytes).sum(),
        _ => 0,
    }
}

fn text_bytes(part: &Part) -> usize {
    match part {
        Part::Text(text) => text.len(),
        _ => 0,
    }
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
    use std::{
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
            mpsc,
        },
        time::Duration,
    };

    use super::*;

    fn user(text: &str) -> Message {
        Message::User(vec![Part::Text(text.to_owned())])
    }

    fn conversation(messages: &[Message]) -> Conversation<'_> {
        Conversation {
            cwd: Path::new("/"),
            mode: "default",
            tools: &[],
            messages,
        }
    }

    fn usage(messages: &[Message]) -> Vec<(u64, u64)> {
        let reply = plain(&conversation(messages));
        let usage = reply.filter_map(|event| match event {
            Event::Usage { used, size } => Some((used, size)),
            _ => None,
        });
        usage.collect()
    }

    #[test]
    fn usage_grows_with_what_was_said_and_stays_below_the_size() {
        assert_eq!(tokens(4), 1);
        assert_eq!(tokens(9), 3);
        assert_eq!(tokens(1 << 20), CONTEXT);
        let short = usage(&[user("Reply with exactly OK")]);
        let long = usage(&[user("hello"), user("Reply with exactly OK")]);
        assert_eq!((short.len(), long.len()), (1, 1));
        assert!(short[0].0 < long[0].0, "{short:?} {long:?}");
    }

    #[test]
    fn usage_that_the_model_tells_is_told_once() {
        assert_eq!(usage(&[user("/usage 77")]), [(77, CONTEXT)]);
    }

    /// The reading ends only when this thread lets it, so it does not happen on this thread. And
    /// nobody waits for it who does not want the reply any more.
    #[tokio::test]
    async fn long_words_are_read_beside_the_thread_that_serves() {
        const DEADLINE: Duration = Duration::from_secs(20);
        let messages = [user(&"x".repeat(AT_ONCE + 1))];
        let (release, gate) = mpsc::channel::<()>();
        let mut reply = reading(conversation(&messages), move |_| {
            let _ = gate.recv_timeout(DEADLINE);
            Reply::exactly(vec![Event::Stop(Stop::EndTurn)].into())
        });
        assert_eq!(reply.next().now_or_never(), None, "it was read at once");
        drop(reply);
        drop(release);
    }

    #[tokio::test]
    async fn short_words_are_read_at_once_and_only_when_asked_for() {
        let messages = [user("x")];
        let read = Arc::new(AtomicBool::new(false));
        let reads = Arc::clone(&read);
        let mut reply = reading(conversation(&messages), move |_| {
            reads.store(true, Ordering::Relaxed);
            Reply::exactly(vec![Event::Stop(Stop::EndTurn)].into())
        });
        assert!(!read.load(Ordering::Relaxed));
        let first = reply.next().now_or_never();
        assert_eq!(first, Some(Some(Event::Stop(Stop::EndTurn))));
    }
}
