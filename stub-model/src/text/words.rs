//! A text as a row of tokens: words, quotations, code, punctuation and list markers.
//!
//! Apart from the lexer that cuts it, because this is what all reading rules look at: a token by
//! its place, in any of its forms. A command or a literal has to be lifted out of the text byte by
//! byte, so each token remembers where it stood.
//!
//! Must stay true: no place is out of bounds; behind the last token there is only [`Kind::End`].

use std::borrow::Cow;
use std::ops::Range as Bytes;

use super::lexer::Lexer;
use super::vocabulary::{Class, NOUN_VERB, VERB, class, is_listed};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A run of characters between blanks, without the punctuation around it.
    Word,
    /// Something in quotation marks.
    Quoted,
    /// Something in backticks.
    Code,
    /// A fenced block.
    Fence,
    /// One punctuation character that stands at the edge of a word.
    Mark(char),
    /// A list marker or a heading marker at the start of a line.
    Bullet,
    /// What follows the last token.
    End,
}

/// How a token is set off from the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// On the same line.
    None,
    /// On the next line.
    Line,
    /// After an empty line.
    Paragraph,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) gap: Gap,
    pub(super) outer: Bytes<usize>,
    pub(super) inner: Bytes<usize>,
}

/// A text and its tokens.
#[derive(Debug)]
pub(crate) struct Words {
    text: String,
    lower: String,
    tokens: Vec<Token>,
    /// For each token, where the sentence and the clause that go on at it end; found once, so
    /// that a rule may ask as often as it likes.
    ends: Vec<(usize, usize)>,
    /// For each token, where the fillers that start with it end.
    pub(super) filled: Vec<usize>,
    /// For each token, what the word may be.
    classes: Vec<Class>,
}

impl Words {
    /// Cuts `text` into tokens.
    pub(crate) fn new(text: &str) -> Self {
        let text = text.to_owned();
        let lower = text.to_ascii_lowercase();
        let tokens = Lexer::new(&text).run();
        let mut words = Self {
            text,
            lower,
            tokens,
            ends: Vec::new(),
            filled: Vec::new(),
            classes: Vec::new(),
        };
        words.classes = (0..words.len())
            .map(|at| class(&words.word(at)) | class(&words.verb(at)) & (VERB | NOUN_VERB))
            .collect();
        words.filled = words.find_fillers();
        words.ends = words.find_ends();
        words
    }

    /// Whether the word at `at` may be of one of `classes`.
    pub(super) fn is_class(&self, at: usize, classes: Class) -> bool {
        self.classes
            .get(at)
            .is_some_and(|class| class & classes != 0)
    }

    /// Where the sentence that the token at `at` lies in ends.
    pub(crate) fn sentence_end(&self, at: usize) -> usize {
        self.ends
            .get(at)
            .map_or(self.len(), |(sentence, _)| *sentence)
    }

    /// Where the clause that starts at `at` ends: at the end of the sentence, or in front of the
    /// next instruction in it.
    pub(crate) fn clause_end(&self, at: usize) -> usize {
        self.ends.get(at).map_or(self.len(), |(_, clause)| *clause)
    }

    fn find_ends(&self) -> Vec<(usize, usize)> {
        let mut ends = vec![(self.len(), self.len()); self.len()];
        let (mut sentence, mut clause) = (self.len(), self.len());
        for at in (0..self.len()).rev() {
            if let Some(end) = ends.get_mut(at) {
                *end = (sentence, clause);
            }
            if self.ends_sentence(at) {
                (sentence, clause) = (at, at);
            } else if self.starts_next(at) {
                clause = at;
            }
        }
        ends
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// What the token at `at` is.
    pub(crate) fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::End, |token| token.kind)
    }

    /// How the token at `at` is set off from the one before.
    pub(crate) fn gap(&self, at: usize) -> Gap {
        self.tokens
            .get(at)
            .map_or(Gap::Paragraph, |token| token.gap)
    }

    /// The word at `at` in lower case; empty when the token is not a bare word.
    pub(crate) fn word(&self, at: usize) -> Cow<'_, str> {
        match self.tokens.get(at) {
            Some(token) if token.kind == Kind::Word => {
                let word = &self.lower[token.inner.clone()];
                if word.contains('’') {
                    Cow::Owned(word.replace('’', "'"))
                } else {
                    Cow::Borrowed(word)
                }
            }
            _ => Cow::Borrowed(""),
        }
    }

    /// Whether the bare word at `at` is one of `list`.
    pub(crate) fn is(&self, at: usize, list: &str) -> bool {
        let word = self.word(at);
        is_listed(list, &word)
    }

    /// The token as the user wrote it, without its quotation marks.
    pub(crate) fn inner(&self, at: usize) -> Cow<'_, str> {
        let Some(token) = self.tokens.get(at) else {
            return Cow::Borrowed("");
        };
        let inner = &self.text[token.inner.clone()];
        let quote = &self.text[token.outer.start..token.inner.start];
        if token.kind == Kind::Quoted && quote == "\"" && inner.contains("\\\"") {
            return Cow::Owned(unescape(inner));
        }
        Cow::Borrowed(inner)
    }

    /// The text from the token `from` up to the token `to`, quotation marks and all.
    pub(crate) fn raw(&self, from: usize, to: usize) -> &str {
        match (
            self.tokens.get(from),
            to.checked_sub(1).and_then(|last| self.tokens.get(last)),
        ) {
            (Some(first), Some(last)) if first.outer.start <= last.outer.end => {
                self.text[first.outer.start..last.outer.end].trim()
            }
            _ => "",
        }
    }

    /// The text from the token at `at` to the end of the prompt.
    pub(crate) fn rest(&self, at: usize) -> &str {
        self.tokens
            .get(at)
            .map_or("", |token| &self.text[token.outer.start..])
    }

    /// The first token that starts at or after the byte `offset` behind the start of token `at`.
    pub(crate) fn after_bytes(&self, at: usize, offset: usize) -> usize {
        let Some(start) = self.tokens.get(at).map(|token| token.outer.start + offset) else {
            return self.len();
        };
        self.tokens
            .partition_point(|token| token.outer.start < start)
    }

    /// Whether the token at `at` follows the one before it without a blank.
    pub(crate) fn touches(&self, at: usize) -> bool {
        at > 0
            && match (self.tokens.get(at - 1), self.tokens.get(at)) {
                (Some(before), Some(token)) => before.outer.end == token.outer.start,
                _ => false,
            }
    }

    /// Whether the token at `at` is a quotation, code or a fenced block.
    pub(crate) fn is_quoted(&self, at: usize) -> bool {
        matches!(self.kind(at), Kind::Quoted | Kind::Code | Kind::Fence)
    }
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(&next) if c == '\\' && (next == '"' || next == '\\') => {
                plain.push(next);
                chars.next();
            }
            _ => plain.push(c),
        }
    }
    plain
}
