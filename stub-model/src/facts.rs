//! Names and their values in a stretch of text: `the door code is X`, `K=42`, `this word: X`.
//!
//! Apart from `telling`, which knows when something is told: here it is found out what.

use crate::telling::{Fact, GENERIC, STOP};
use crate::text::shape::is_marker;
use crate::text::{Kind, Range, Words, is_listed};

/// A fact with one name.
pub(crate) fn fact(name: &str, value: String) -> Fact {
    Fact {
        names: vec![name.to_owned()],
        value,
        demanded: false,
    }
}

/// The facts in a range; with `bare`, also a value that has no name.
pub(crate) fn facts(words: &Words, range: Range, bare: bool) -> Vec<Fact> {
    let mut found: Vec<Fact> = Vec::new();
    let mut from = range.from;
    for at in range.from..=range.to.min(range.from + MAX_FACT_WORDS) {
        let last = at == range.to.min(range.from + MAX_FACT_WORDS);
        let joint = matches!(words.kind(at), Kind::Mark(',' | ';')) || words.is(at, "and");
        let rest = Range::new(at + 1, next_joint(words, at + 1, range.to));
        if !(last || joint && has_pair(words, rest)) {
            continue;
        }
        found.extend(pair(words, words.trimmed(Range::new(from, at)), bare));
        from = at + 1;
    }
    found
}

/// How far into a sentence facts are looked for.
const MAX_FACT_WORDS: usize = 400;

fn next_joint(words: &Words, from: usize, to: usize) -> usize {
    (from..to.min(from + 30))
        .find(|at| matches!(words.kind(*at), Kind::Mark(',' | ';')) || words.is(*at, "and"))
        .unwrap_or(to.min(from + 30))
}

/// Where the sign between a name and its value stands.
pub(crate) fn pair_place(words: &Words, range: Range) -> Option<usize> {
    (range.from..range.to).find(|at| {
        let sign = words.is(*at, "is are was equals be = reads means")
            || matches!(words.kind(*at), Kind::Mark(':' | '='));
        sign && *at > range.from
    })
}

pub(crate) fn has_pair(words: &Words, range: Range) -> bool {
    pair_place(words, range).is_some()
        || (range.from..range.to).any(|at| assignment(words, at).is_some())
}

/// `K=42` as one word.
fn assignment(words: &Words, at: usize) -> Option<(String, String)> {
    if words.kind(at) != Kind::Word {
        return None;
    }
    let inner = words.inner(at);
    let (name, value) = inner.split_once('=')?;
    let sound =
        !name.is_empty() && !value.is_empty() && !name.contains(['/', '?', '-']) && name.len() < 60;
    sound.then(|| (name.to_ascii_lowercase(), value.to_owned()))
}

fn pair(words: &Words, range: Range, bare: bool) -> Option<Fact> {
    if range.from >= range.to {
        return None;
    }
    if let Some((name, value)) = (range.from..range.to).find_map(|at| assignment(words, at)) {
        return Some(fact(&name, value));
    }
    match pair_place(words, range) {
        Some(place) => around(words, range, place),
        None => marked(words, range).or_else(|| bare.then(|| unnamed(words, range)).flatten()),
    }
}

/// `the code is X`, `X is the code`: a name and a value with a sign between them.
fn around(words: &Words, range: Range, place: usize) -> Option<Fact> {
    let left = Range::new(range.from, place);
    let mut from = place + 1;
    while from < range.to
        && (matches!(words.kind(from), Kind::Mark(':' | '=')) || words.is(from, "called"))
    {
        from += 1;
    }
    let right = Range::new(from, range.to);
    let swapped = words.is(right.from, "the my your a our") && left.to - left.from == 1;
    let (names, value) = if swapped {
        (right, left)
    } else {
        (left, right)
    };
    told(words, names, value_of(words, value))
}

/// `this word X`, where X looks like a value.
fn marked(words: &Words, range: Range) -> Option<Fact> {
    let quoted = (range.from..range.to).rev().find(|at| words.is_quoted(*at));
    let marker =
        |at: &usize| words.kind(*at) == Kind::Word && *at > 0 && is_marker(&words.inner(*at));
    let at = quoted.or_else(|| (range.from..range.to).find(marker))?;
    let value = words.inner(at).into_owned();
    told(words, Range::new(range.from, at), value)
}

/// `the word kestrel`, `kestrel`: a value that looks like any word.
fn unnamed(words: &Words, range: Range) -> Option<Fact> {
    let mut from = range.from;
    while words.is(
        from,
        "the this these my a an following secret single one magic two three",
    ) && from + 1 < range.to
    {
        from += 1;
    }
    let noun = words
        .position(Range::new(from, range.to.min(from + 3)), GENERIC)
        .filter(|at| at + 1 < range.to);
    let value = Range::new(noun.map_or(from, |noun| noun + 1), range.to);
    let refers = words.is(
        value.from,
        "that which i you we from for in it to word words of",
    ) || words.is(value.from, STOP) && value.to - value.from < 2;
    let text = value_of(words, value);
    (!refers)
        .then(|| told(words, Range::new(range.from, value.from), text))
        .flatten()
}

/// A fact with the names in a range; none without a value.
fn told(words: &Words, names: Range, value: String) -> Option<Fact> {
    (!value.is_empty()).then(|| Fact {
        names: names_of(words, names),
        value,
        demanded: false,
    })
}

fn names_of(words: &Words, range: Range) -> Vec<String> {
    let names = (range.from..range.to).map(|at| words.word(at).into_owned());
    let names = names.map(|name| name.strip_suffix("'s").unwrap_or(&name).to_owned());
    names
        .filter(|name| !name.is_empty() && !is_listed(STOP, name))
        .take(8)
        .collect()
}

/// The words of a value, without `please` and `for later` behind them.
fn value_of(words: &Words, range: Range) -> String {
    const TAILS: &str = "for later|for me|please|until|as i|because|i will|i'll|in mind|\
        to memory|in memory|so that|so you|for this|for the|throughout|from now|in your memory|\
        as you|and i|in case|when i|to heart";
    let mut from = range.from;
    if words.is_quoted(from) && from < range.to {
        return words.inner(from).into_owned();
    }
    while words.is(from, "the") && words.is(from + 1, GENERIC) && from + 2 < range.to {
        from += 2;
    }
    if words.is_quoted(from) && from < range.to {
        return words.inner(from).into_owned();
    }
    let stop = (from + 1..range.to)
        .find(|at| {
            words.any_phrase(*at, TAILS).is_some()
                || matches!(words.kind(*at), Kind::Mark('(' | '—'))
        })
        .unwrap_or(range.to);
    let range = words.trimmed(Range::new(from, stop.min(range.to)));
    words.raw(range.from, range.to).to_owned()
}
