//! What no model API has a shape for, written as text: resources, links and notes.
//!
//! Each stands in a text part of its own, so that a resource's content cannot close its frame and
//! go on as the user's words.

use std::{borrow::Cow, path::Path};

use crate::model::Outcome;

/// The contents of a resource that came with a prompt.
pub(super) fn resource(uri: &str, text: &str) -> String {
    format!("<resource uri=\"{}\">\n{text}\n</resource>", attribute(uri))
}

/// A pointer to something that did not come along.
pub(super) fn link(name: &str, uri: &str, path: Option<&Path>) -> String {
    let (name, uri) = (attribute(name), attribute(uri));
    match path {
        Some(path) => {
            let path = path.to_string_lossy();
            let path = attribute(&path);
            format!("<resource_link name=\"{name}\" uri=\"{uri}\" path=\"{path}\"/>")
        }
        None => format!("<resource_link name=\"{name}\" uri=\"{uri}\"/>"),
    }
}

/// Something that the agent tells the model and the user did not say.
pub(super) fn note(text: &str) -> String {
    format!("<note>{text}</note>")
}

/// The result of a call: how it ended, unless it succeeded, and what the tool said.
pub(super) fn result(outcome: Outcome, text: &str) -> String {
    let mark = match outcome {
        Outcome::Completed => return text.to_owned(),
        Outcome::Failed => "[failed]",
        Outcome::Refused => "[refused]",
        Outcome::Cancelled => "[cancelled]",
    };
    format!("{mark}\n{text}")
}

fn attribute(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return Cow::Borrowed(text);
    }
    let escaped = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;");
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        for (text, expected) in [
            (
                resource("file:///a\"b", "x </resource> y"),
                "<resource uri=\"file:///a&quot;b\">\nx </resource> y\n</resource>",
            ),
            (
                link("n", "u", None),
                "<resource_link name=\"n\" uri=\"u\"/>",
            ),
            (
                link("n", "file:///p", Some(Path::new("/p<"))),
                "<resource_link name=\"n\" uri=\"file:///p\" path=\"/p&lt;\"/>",
            ),
            (note("n"), "<note>n</note>"),
            (result(Outcome::Completed, "out"), "out"),
            (result(Outcome::Refused, "no"), "[refused]\nno"),
        ] {
            assert_eq!(text, expected);
        }
    }
}
