//! What stands in a text because no model API has a shape for it: resources, links, notes, and how
//! a call ended.
//!
//! The frames are those that the reference agent writes. A text of anybody else is a text.

use std::path::PathBuf;

use crate::conversation::{Outcome, Part};

/// A text, read.
#[derive(Debug, PartialEq)]
pub(super) enum Framed {
    /// A part of a user's message.
    Part(Part),
    /// Something that the agent says.
    Note(String),
}

/// Reads a text that is one frame as a whole.
pub(super) fn read(text: String) -> Framed {
    let inner = |open: &str, close: &str| text.strip_prefix(open)?.strip_suffix(close);
    if let Some(note) = inner("<note>", "</note>") {
        return Framed::Note(note.to_owned());
    }
    if let Some(rest) = inner("<resource uri=\"", "\n</resource>")
        && let Some((uri, text)) = rest.split_once("\">\n")
    {
        let (uri, text) = (unescape(uri), text.to_owned());
        return Framed::Part(Part::Resource { uri, text });
    }
    if let Some(link) = inner("<resource_link ", "/>").and_then(link) {
        return Framed::Part(link);
    }
    Framed::Part(Part::Text(text))
}

fn link(attributes: &str) -> Option<Part> {
    let value = |name: &str| {
        let (_, rest) = attributes.split_once(&format!("{name}=\""))?;
        Some(unescape(rest.split('"').next()?))
    };
    Some(Part::ResourceLink {
        name: value("name")?,
        uri: value("uri")?,
        path: value("path").map(PathBuf::from),
    })
}

/// The ampersand last, or what it stood for would be read twice.
fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&")
}

/// How a call ended, and what its tool said.
pub(super) fn outcome(text: String) -> (Outcome, String) {
    for (mark, outcome) in [
        ("[failed]\n", Outcome::Failed),
        ("[refused]\n", Outcome::Refused),
        ("[cancelled]\n", Outcome::Cancelled),
    ] {
        if let Some(rest) = text.strip_prefix(mark) {
            return (outcome, rest.to_owned());
        }
    }
    if text == "[no output]" {
        return (Outcome::Completed, String::new());
    }
    (Outcome::Completed, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        let text = |text: &str| Framed::Part(Part::Text(text.to_owned()));
        let resource = |uri: &str, text: &str| {
            Framed::Part(Part::Resource {
                uri: uri.to_owned(),
                text: text.to_owned(),
            })
        };
        let link = |path: Option<&str>| {
            Framed::Part(Part::ResourceLink {
                name: "a & b".into(),
                uri: "u".into(),
                path: path.map(PathBuf::from),
            })
        };
        for (given, expected) in [
            ("hello", text("hello")),
            ("<note>n</note>", Framed::Note("n".into())),
            ("<note>n</note> and more", text("<note>n</note> and more")),
            (
                "<resource uri=\"a&quot;b\">\nx </resource>\n\n</resource>",
                resource("a\"b", "x </resource>\n"),
            ),
            ("<resource uri=\"a\">", text("<resource uri=\"a\">")),
            (
                "<resource_link name=\"a &amp; b\" uri=\"u\" path=\"/p\"/>",
                link(Some("/p")),
            ),
            ("<resource_link name=\"a &amp; b\" uri=\"u\"/>", link(None)),
        ] {
            assert_eq!(read(given.to_owned()), expected, "{given}");
        }
        assert_eq!(unescape("&amp;lt;"), "&lt;");
    }

    #[test]
    fn ends_of_calls() {
        for (given, expected, said) in [
            ("out", Outcome::Completed, "out"),
            ("[no output]", Outcome::Completed, ""),
            ("[failed]\nwhy", Outcome::Failed, "why"),
            ("[refused]\n", Outcome::Refused, ""),
            ("[cancelled]\nx", Outcome::Cancelled, "x"),
            (
                "[failed] is a word",
                Outcome::Completed,
                "[failed] is a word",
            ),
        ] {
            assert_eq!(outcome(given.to_owned()), (expected, said.to_owned()));
        }
    }
}
