//! A user's message, taken apart into what is said and what came along.
//!
//! Apart from the reader, because only the text is an instruction: what stands in an attached
//! file or behind a link is material, whatever it says.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::conversation::{Message, Part};

/// How much of a long prompt is read for instructions at each end of it; what lies between is
/// taken for material. It keeps the work for one reply bounded.
const READ_BYTES: usize = 64 * 1024;

/// The parts of one prompt.
#[derive(Debug, Default)]
pub(crate) struct Prompt<'a> {
    /// What the user wrote.
    pub(crate) text: String,
    /// The images: mime type and bytes.
    pub(crate) images: Vec<(&'a str, &'a [u8])>,
    /// Contents that came along: name and text.
    pub(crate) resources: Vec<(&'a str, &'a str)>,
    /// Local files that were pointed at.
    pub(crate) files: Vec<PathBuf>,
    /// Links that lead elsewhere.
    pub(crate) links: Vec<&'a str>,
    /// What came along and could not be passed on, as the agent describes it.
    pub(crate) unreadable: Vec<&'a str>,
}

impl<'a> Prompt<'a> {
    /// Takes the parts of a message apart.
    pub(crate) fn new(parts: &'a [Part]) -> Self {
        let mut prompt = Self::default();
        for part in parts {
            match part {
                Part::Text(text) if unreadable(text).is_some() => {
                    prompt.unreadable.extend(unreadable(text));
                }
                Part::Text(text) => {
                    if !prompt.text.is_empty() {
                        prompt.text.push_str("\n\n");
                    }
                    prompt.text.push_str(&instruction(readable(text)));
                }
                Part::Image { mime_type, data } => prompt.images.push((mime_type, data)),
                Part::Resource { uri, text } => prompt.resources.push((uri, text)),
                Part::ResourceLink {
                    path: Some(path), ..
                } => prompt.files.push(path.clone()),
                Part::ResourceLink {
                    uri, path: None, ..
                } => prompt.links.push(uri),
            }
        }
        prompt
    }

    /// The images alone.
    pub(crate) fn new_images(parts: &'a [Part]) -> Vec<(&'a str, &'a [u8])> {
        Self::new(parts).images
    }
}

/// What a text stands for, when an agent put it in the place of a block that it could not read.
fn unreadable(text: &str) -> Option<&str> {
    let described = text.strip_prefix('[')?.strip_suffix(']')?;
    (described.starts_with("a content block ") && !described.contains('\n')).then_some(described)
}

/// The instruction alone, when a text is a JSON object with one.
fn instruction(text: Cow<'_, str>) -> Cow<'_, str> {
    const NAMES: [&str; 6] = [
        "instruction",
        "instructions",
        "prompt",
        "task",
        "request",
        "message",
    ];
    if !text.trim_start().starts_with('{') {
        return text;
    }
    let object: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&text).unwrap_or_default();
    let found = NAMES.iter().find_map(|name| object.get(*name)?.as_str());
    match found.map(str::to_owned).or_else(|| sentences(&object)) {
        Some(found) => Cow::Owned(found),
        None => text,
    }
}

/// `{"remember": "X", "reply": "Y"}`: each member is an instruction, by the verb that is its name.
fn sentences(object: &serde_json::Map<String, serde_json::Value>) -> Option<String> {
    const VERBS: [&str; 7] = [
        "remember", "reply", "answer", "respond", "say", "run", "read",
    ];
    let sentence = |(name, value): (&String, &serde_json::Value)| {
        let known = VERBS.contains(&name.to_ascii_lowercase().as_str());
        let value = value.as_str().filter(|_| known)?;
        Some(format!("{name}: {value}"))
    };
    let sentences: Option<Vec<_>> = object.iter().map(sentence).collect();
    sentences
        .filter(|sentences| !sentences.is_empty())
        .map(|sentences| sentences.join("\n\n"))
}

/// Both ends of a long text, cut at character borders.
fn readable(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * READ_BYTES {
        return text.into();
    }
    let head = text.floor_char_boundary(READ_BYTES);
    let tail = text.ceil_char_boundary(text.len() - READ_BYTES);
    format!("{}\n\n{}", &text[..head], &text[tail..]).into()
}

/// The user's messages, oldest first.
pub(crate) fn user_messages(messages: &[Message]) -> impl DoubleEndedIterator<Item = &[Part]> {
    messages.iter().filter_map(|message| match message {
        Message::User(parts) => Some(parts.as_slice()),
        _ => None,
    })
}
