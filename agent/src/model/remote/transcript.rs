//! The conversation as model APIs take it: one speaker after the other, each call answered.
//!
//! Both wires have the same demands, so they are met once, here:
//!
//! - the same speaker does not come twice in a row, and nobody says nothing;
//! - the ids of calls are unique, and of characters that every server takes. The model's own id is
//!   kept where it can be, because servers know it again;
//! - each call has its result directly behind it. One that has none, because the agent was killed
//!   meanwhile, is told as cancelled.
//!
//! Pure.

use std::{borrow::Cow, collections::HashSet};

use serde_json::{Value, json};

use super::markup;
use crate::model::{Message, Outcome, Part, ToolCall, ToolSpec};

/// What one speaker said.
#[derive(Debug, PartialEq)]
pub(super) enum Entry<'a> {
    /// The user, and the agent's notes.
    User(Vec<Piece<'a>>),
    /// The model: its words, which may be empty, and its calls.
    Model(String, Vec<Call<'a>>),
    /// The results of all calls of the entry before, in their order.
    Results(Vec<Ended>),
}

/// A part of what the user said.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// Words, never blank.
    Text(Cow<'a, str>),
    /// An image of a type that models can see.
    Image {
        /// For example `image/png`.
        mime_type: &'a str,
        /// The file's bytes.
        data: &'a [u8],
    },
}

/// A call of a tool.
#[derive(Debug, PartialEq)]
pub(super) struct Call<'a> {
    /// Unique in the conversation.
    pub(super) id: String,
    /// The tool's name, of characters that every server takes.
    pub(super) name: String,
    /// An object, always.
    pub(super) arguments: Cow<'a, Value>,
}

/// How a call ended.
#[derive(Debug, PartialEq)]
pub(super) struct Ended {
    /// The call's id.
    pub(super) id: String,
    /// What the model reads, never blank.
    pub(super) text: String,
    /// Whether it ran and succeeded.
    pub(super) succeeded: bool,
}

/// The images that models can see, on both wires.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The longest id or name that servers take.
const MAX_NAME: usize = 64;

/// The conversation, entry by entry.
pub(super) fn transcript(messages: &[Message]) -> Vec<Entry<'_>> {
    let mut writer = Writer::default();
    for message in messages {
        match message {
            Message::User(parts) => writer.user(parts.iter().filter_map(piece).collect()),
            Message::Note(text) => writer.note(text),
            Message::Assistant(text) => writer.model(text),
            Message::ToolCall(call) => writer.call(call),
            Message::ToolResult(result) => {
                let text = match (&*result.text, &result.structured) {
                    ("", Some(value)) => Cow::Owned(value.to_string()),
                    (text, _) => Cow::Borrowed(text),
                };
                writer.result(&result.id, result.outcome, &text);
            }
        }
    }
    writer.finish()
}

fn piece(part: &Part) -> Option<Piece<'_>> {
    let text = match part {
        Part::Text(text) if text.trim().is_empty() => return None,
        Part::Text(text) => Cow::Borrowed(text.as_str()),
        Part::Image { mime_type, data } if IMAGES.contains(&mime_type.as_str()) => {
            return Some(Piece::Image { mime_type, data });
        }
        Part::Image { mime_type, .. } => Cow::Owned(markup::note(&format!(
            "The user sent an image of the type {mime_type}, which you cannot be shown."
        ))),
        Part::Resource { uri, text } => Cow::Owned(markup::resource(uri, text)),
        Part::ResourceLink { name, uri, path } => {
            Cow::Owned(markup::link(name, uri, path.as_deref()))
        }
    };
    Some(Piece::Text(text))
}

#[derive(Default)]
struct Writer<'a> {
    entries: Vec<Entry<'a>>,
    /// Ids that were used.
    used: HashSet<String>,
    /// Calls without a result: the model's id and ours, in their order.
    open: Vec<(&'a str, String)>,
    /// Whether the user spoke last, and nobody has said a word since.
    unanswered: bool,
}

impl<'a> Writer<'a> {
    fn user(&mut self, pieces: Vec<Piece<'a>>) {
        // The turn before failed: without a word in between, its prompt would be a part of this one.
        if std::mem::replace(&mut self.unanswered, true) {
            self.note("The message above was not answered.");
            self.unanswered = true;
        }
        self.add(pieces);
    }

    fn note(&mut self, text: &str) {
        self.unanswered = false;
        self.add(vec![Piece::Text(Cow::Owned(markup::note(text)))]);
    }

    fn add(&mut self, pieces: Vec<Piece<'a>>) {
        self.close();
        match self.entries.last_mut() {
            Some(Entry::User(said)) => said.extend(pieces),
            _ => self.entries.push(Entry::User(pieces)),
        }
    }

    fn model(&mut self, text: &str) {
        self.close();
        self.unanswered = false;
        match self.entries.last_mut() {
            _ if text.trim().is_empty() => {}
            Some(Entry::Model(said, calls)) if calls.is_empty() => {
                said.push_str("\n\n");
                said.push_str(text);
            }
            _ => self.entries.push(Entry::Model(text.to_owned(), Vec::new())),
        }
    }

    fn call(&mut self, call: &'a ToolCall) {
        self.unanswered = false;
        let id = self.id(&call.id);
        self.open.push((&call.id, id.clone()));
        let arguments = match &call.arguments {
            Value::Object(_) => Cow::Borrowed(&call.arguments),
            // What was no object was refused then, and is shown to the model as it was.
            other => Cow::Owned(json!({ "not_an_object": other })),
        };
        let call = Call {
            id,
            name: safe(&call.name),
            arguments,
        };
        match self.entries.last_mut() {
            Some(Entry::Model(_, calls)) => calls.push(call),
            _ => self.entries.push(Entry::Model(String::new(), vec![call])),
        }
    }

    fn result(&mut self, of: &str, outcome: Outcome, text: &str) {
        let Some(at) = self.open.iter().position(|(model, _)| *model == of) else {
            return;
        };
        let (_, id) = self.open.remove(at);
        let text = markup::result(outcome, text);
        let ended = Ended {
            id,
            text: if text.trim().is_empty() {
                "[no output]".to_owned()
            } else {
                text
            },
            succeeded: outcome == Outcome::Completed,
        };
        match self.entries.last_mut() {
            Some(Entry::Results(results)) => results.push(ended),
            _ => self.entries.push(Entry::Results(vec![ended])),
        }
    }

    /// Gives every call that has no result one.
    fn close(&mut self) {
        while let Some((of, _)) = self.open.first() {
            self.result(
                of,
                Outcome::Cancelled,
                "It was cut off; nobody knows what it did.",
            );
        }
    }

    /// The model's own id, or the next free one.
    fn id(&mut self, wanted: &str) -> String {
        let sound = !wanted.is_empty()
            && wanted.len() <= MAX_NAME
            && wanted.bytes().all(allowed)
            && !self.used.contains(wanted);
        let id = if sound {
            wanted.to_owned()
        } else {
            let mut numbers = self.used.len() + 1..;
            let free = numbers.find_map(|number| {
                let id = format!("call_{number}");
                (!self.used.contains(&id)).then_some(id)
            });
            free.unwrap_or_default()
        };
        self.used.insert(id.clone());
        id
    }

    fn finish(mut self) -> Vec<Entry<'a>> {
        self.close();
        for entry in &mut self.entries {
            if let Entry::User(pieces) = entry
                && pieces.is_empty()
            {
                pieces.push(Piece::Text(Cow::Owned(markup::note(
                    "The user sent nothing.",
                ))));
            }
        }
        self.entries
    }
}

fn allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The name of a tool as servers take it. Ours all are; a model may have made another up.
fn safe(name: &str) -> String {
    let allowed = |c: char| u8::try_from(c).is_ok_and(allowed);
    let name: String = name
        .chars()
        .map(|c| if allowed(c) { c } else { '_' })
        .take(MAX_NAME)
        .collect();
    if name.is_empty() {
        "_".to_owned()
    } else {
        name
    }
}

/// What is offered of a tool: its name, its description, its schema. Servers want an object schema
/// without a choice at its top, which a tool server's may have.
pub(super) fn offered(tool: &ToolSpec) -> (&str, &str, Value) {
    let mut schema = match &*tool.input_schema {
        Value::Object(schema) => schema.clone(),
        _ => serde_json::Map::new(),
    };
    schema.insert("type".to_owned(), json!("object"));
    schema.entry("properties").or_insert_with(|| json!({}));
    for choice in ["oneOf", "anyOf", "allOf"] {
        schema.remove(choice);
    }
    (&tool.name, &tool.description, Value::Object(schema))
}
