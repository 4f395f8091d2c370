//! Cuts a text into tokens.
//!
//! Apart from the reading rules, because what is quoted must never be taken for an instruction:
//! quotes, code fences, lists and punctuation are understood here and nowhere else.
//!
//! ```text
//! lists     the marks in front of list items
//! tags      `<step>` and `</step>`
//! quotes    quotation marks, backticks, fences
//! marks     bare words and the punctuation around them
//! ```
//!
//! Must stay true: one pass, linear time whatever the text; every position is a character border.

mod lists;
mod marks;
mod quotes;
mod tags;

use std::ops::Range as Bytes;

use super::words::{Gap, Kind, Token};

/// Names of fields: in quotes or as a tag they are labels.
const LABELS: &[&str] = &[
    "title",
    "description",
    "name",
    "content",
    "path",
    "file",
    "command",
    "cmd",
    "marker",
    "id",
];

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    gap: Gap,
    /// Where each closing mark comes next, so that no stretch of text is searched twice.
    closings: Vec<(String, Option<usize>)>,
    list: Option<(u32, char, bool)>,
    /// The names of the tags that were opened.
    tags: Vec<&'t str>,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            tokens: Vec::new(),
            gap: Gap::Paragraph,
            closings: Vec::new(),
            list: None,
            tags: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Vec<Token> {
        loop {
            self.blanks();
            if self.at >= self.text.len() {
                return self.tokens;
            }
            if self.tag() || self.bullet() || self.ticks() || self.quotation() || self.opening() {
                continue;
            }
            self.word();
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, outer: Bytes<usize>, inner: Bytes<usize>) {
        self.at = outer.end;
        self.tokens.push(Token {
            kind,
            gap: self.gap,
            outer,
            inner,
        });
        self.gap = Gap::None;
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start_matches(is_blank).len();
        match rest[..blank].bytes().filter(|byte| *byte == b'\n').count() {
            0 => {}
            1 if self.gap == Gap::None => self.gap = Gap::Line,
            _ => self.gap = Gap::Paragraph,
        }
        self.at += blank;
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}' || c == '\u{200b}'
}
