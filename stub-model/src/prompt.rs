//! A user's message, taken apart into what is said and what came along.
//!
//! Apart from the reader, because only the text is an instruction: what stands in an attached
//! file or behind a link is material, whatever it says.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::conversation::{Message, Part};

/// How much of a long prompt is read for instructions at each end of it; what lies between is
/// taken for material. It keeps the work for one reply bounded.
const READ_BYTES: usize = 256 * 1024;

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
}

impl<'a> Prompt<'a> {
    /// Takes the parts of a message apart.
    pub(crate) fn new(parts: &'a [Part]) -> Self {
        let mut prompt = Self::default();
        for part in parts {
            match part {
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
    found.map_or(text, |found| Cow::Owned(found.to_owned()))
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
