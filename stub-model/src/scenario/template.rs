//! Texts with names in them: `I will fix {{what}}.`
//!
//! Apart from the steps, because texts and the strings of arguments have the same form. A name is
//! looked up in [`Known`] when the step is followed; whether it can be known there is checked when
//! the file is read.
//!
//! Must stay true: what is put in is never read for names again, whatever a prompt or a tool says.

use super::{known::Known, limits::VALUE_BYTES};

/// A text, cut at its names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Template(Vec<Piece>);

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    Name(Name),
}

/// `file` or `file.lines.0`: a value, and the way into it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Name {
    /// What it is called.
    pub(super) name: String,
    /// Members and places in the list, from the outside in.
    pub(super) path: Vec<String>,
}

impl Template {
    /// Cuts a text. `\{{` stands for the two braces themselves.
    ///
    /// # Errors
    /// A name does not end, or is none.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(open) = rest.find("{{") {
            let (before, after) = (&rest[..open], &rest[open + 2..]);
            if let Some(before) = before.strip_suffix('\\') {
                plain.push_str(before);
                plain.push_str("{{");
                rest = after;
                continue;
            }
            plain.push_str(before);
            let Some(close) = after.find("}}") else {
                return Err("`{{` has no `}}` behind it; write `\\{{` for the braces".to_owned());
            };
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Name(Name::new(&after[..close])?));
            rest = &after[close + 2..];
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(Self(pieces))
    }

    /// The names in it.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Name(name) => Some(name),
            Piece::Text(_) => None,
        })
    }

    /// The name, when the text is one and nothing else.
    pub(super) fn alone(&self) -> Option<&Name> {
        match self.0.as_slice() {
            [Piece::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// The text with the values in it; a long value is cut, and says so.
    ///
    /// # Errors
    /// A value is not there, in a sentence.
    pub(super) fn fill(&self, known: &Known<'_>, room: &mut usize) -> Result<String, String> {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Name(name) => {
                    let value = known.text(name)?;
                    let end = value.floor_char_boundary(VALUE_BYTES);
                    text.push_str(&value[..end]);
                    if end < value.len() {
                        text.push_str(&format!("[… {} more bytes]", value.len() - end));
                    }
                }
            }
            if text.len() > *room {
                return Err("the texts of this reply are too long together".to_owned());
            }
        }
        *room -= text.len();
        Ok(text)
    }
}

impl Name {
    fn new(text: &str) -> Result<Self, String> {
        let mut parts = text.trim().split('.').map(str::to_owned);
        let name = parts.next().unwrap_or_default();
        let path: Vec<_> = parts.collect();
        let sound = |part: &String| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_-".contains(c))
        };
        if sound(&name) && path.iter().all(sound) {
            Ok(Self { name, path })
        } else {
            Err(format!(
                "`{{{{{text}}}}}` is no name; a name is made of letters, digits, `_` and `-`, with \
                 dots into a result, such as `{{{{plan.id}}}}`; write `\\{{{{` for the braces"
            ))
        }
    }
}
