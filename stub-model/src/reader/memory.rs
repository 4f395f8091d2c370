//! `Remember this word: X` and plain statements: what the user wants kept in mind.
//!
//! Apart from `crate::memory`, which finds the facts again when they are asked for: here they only
//! have to be told from instructions.

use super::Reader;
use crate::telling::{self, Demand};
use crate::text::{Kind, Range};

/// Reads a demand to remember, or to recall.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let end = telling::statement_end(words, start);
    if let Some(demand) = telling::demand(words, Range::new(start, end)) {
        match demand {
            Demand::Keep(facts) => reader
                .request
                .remembered
                .extend(facts.into_iter().map(|fact| fact.value)),
            Demand::Recall => reader.ask(Range::new(start, end)),
            Demand::Nothing => {}
        }
        return Some(end);
    }
    if matches!(words.kind(words.sentence_end(start)), Kind::Mark('?')) {
        return None;
    }
    let facts = telling::statement(words, Range::new(start, end));
    if facts.is_empty() {
        return None;
    }
    let file = reader.path_in(Range::new(start, end)).is_some();
    reader.mention(Range::new(start, end));
    if !file {
        reader
            .request
            .remembered
            .extend(facts.into_iter().map(|fact| fact.value));
    }
    Some(end)
}
