//! `Count to …`, `print the numbers 1..300`: long answers, line by line.
//!
//! Apart from other answers, because they stand for all streaming that takes a while.

use super::Reader;
use crate::instruction::Want;
use crate::text::{Kind, Range};

/// The most numbers that one answer lists.
pub(crate) const MAX_NUMBERS: i64 = 100_000;

/// Reads a request for numbers in a row.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let sentence = Range::new(start, words.sentence_end(start));
    let counts = words.verb_is(start, "count");
    let lists = words.verb_is(
        start,
        "print list write output say give show recite enumerate type reply name answer respond \
            send stream tell emit",
    ) && words.has(
        Range::new(start, (start + 7).min(sentence.to)),
        "numbers integers number integer",
    );
    if !(counts || lists) || reader.path_in(sentence).is_some() {
        return None;
    }
    let numbers: Vec<i64> = (start..sentence.to)
        .flat_map(|at| numbers(&words.word(at)))
        .take(2)
        .collect();
    let (first, last) = match numbers.as_slice() {
        [last] => (1, *last),
        [first, last] => (*first, *last),
        _ => return None,
    };
    let mut sentence = sentence;
    let next = words.skip_fillers(sentence.to);
    if words.verb_is(next, "end finish close conclude") && words.is(next + 1, "with by") {
        sentence.to = words.sentence_end(next);
    }
    // `then END`, `and then say DONE`, `and finish with END`.
    let ends = |at: usize| {
        words.is(at, "then followed finally")
            || words.verb_is(at, "end finish close conclude") && words.is(at + 1, "with by")
    };
    let after = (start..sentence.to).find(|at| ends(*at)).and_then(|then| {
        let skip = |at: usize| {
            words.inner(at).starts_with(char::is_lowercase) && words.is(at, AFTER)
                || matches!(words.kind(at), Kind::Mark(_))
        };
        let at = (then + 1..sentence.to).find(|at| !skip(*at))?;
        Some(words.inner(at).into_owned())
    });
    reader
        .request
        .wants
        .push(Want::Numbers { first, last, after });
    Some(match words.kind(sentence.to) {
        Kind::End => sentence.to,
        _ => sentence.to + 1,
    })
}

/// `7`, `1..300`, `1-20`, `1,000`.
fn numbers(word: &str) -> Vec<i64> {
    let plain = word.replace(',', "");
    let parts: Vec<&str> = plain
        .split(['.', '…', '–', '—'])
        .filter(|part| !part.is_empty())
        .collect();
    let dashed: Vec<&str> = plain.split('-').collect();
    let parts = if let [first, last] = dashed.as_slice()
        && !first.is_empty()
    {
        vec![*first, *last]
    } else {
        parts
    };
    parts.iter().filter_map(|part| part.parse().ok()).collect()
}

/// Words between `then` and what is to be said last.
const AFTER: &str = "by say print write the word finish end with output reply add a line \
    final and";
