//! Tags, as people and programs put them around the parts of a prompt.

use super::{LABELS, Lexer};
use crate::text::words::{Gap, Kind};

/// How many tags of different names are known; each is looked for through the whole text.
const MAX_TAGS: usize = 16;

/// The longest single word that a tag labels.
const MAX_LABELLED: usize = 200;

/// Tags that quote what is between them, also within a line.
const QUOTING: &[&str] = &[
    "reply", "answer", "response", "output", "expected", "word", "token", "text", "say", "q",
];

impl<'t> Lexer<'t> {
    /// `<step>` at the start of a line, and `</step>`: borders, like those between list items. A tag
    /// around a single word, or with the name of a field, is a label too. Within a line, some tags
    /// are quotation marks.
    pub(super) fn tag(&mut self) -> bool {
        let Some((name, sign)) = tag_at(self.rest()) else {
            return false;
        };
        let end = self.at + sign + name.len() + 1;
        if sign == 2 {
            let known = self.tags.contains(&name);
            if known {
                self.push(Kind::Bullet, self.at..end, end..end);
            }
            return known;
        }
        let border = self.gap != Gap::None
            || matches!(self.tokens.last(), Some(last) if last.kind == Kind::Bullet);
        let usable = match border {
            true => self.tags.len() < MAX_TAGS || self.tags.contains(&name),
            false => QUOTING.contains(&name),
        };
        let mark = format!("</{name}>");
        let close = usable
            .then(|| self.closing(&mark, end, |_, _| true))
            .flatten();
        let Some(close) = close else { return false };
        if border {
            self.border(name, end, close);
            return true;
        }
        let inside = &self.text[end..close];
        let quotes = inside.len() < MAX_LABELLED && !inside.contains('\n');
        if quotes {
            self.push(Kind::Quoted, self.at..close + mark.len(), end..close);
        }
        quotes
    }

    /// A tag that begins something.
    fn border(&mut self, name: &'t str, end: usize, close: usize) {
        if !self.tags.contains(&name) {
            self.tags.push(name);
        }
        let start = self.at;
        self.push(Kind::Bullet, start..start + 1, end..end);
        let inside = &self.text[end..close];
        let single = inside.len() < MAX_LABELLED && !inside.trim().contains(char::is_whitespace);
        if LABELS.contains(&name) || single {
            self.push(Kind::Word, start + 1..end - 1, start + 1..end - 1);
            self.push(Kind::Mark(':'), end - 1..end, end..end);
        }
        self.at = end;
    }

    /// Whether a tag that was opened ends with what follows `</`.
    pub(super) fn closes(&self, name: &str) -> bool {
        let closed = name.split_once('>').map(|(name, _)| name);
        closed.is_some_and(|name| self.tags.contains(&name))
    }
}

/// The name of the tag that a text begins with, and how long the sign before it is: `<` or `</`.
fn tag_at(text: &str) -> Option<(&str, usize)> {
    let body = text.strip_prefix("</").or_else(|| text.strip_prefix('<'))?;
    let length = body.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))?;
    let closed = length > 0 && body[length..].starts_with('>');
    closed.then(|| (&body[..length], text.len() - body.len()))
}
