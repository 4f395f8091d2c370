//! `Wait for …` and code that stands alone: commands without a verb that says to run them.
//!
//! Apart from `shell`, because here it has to be found out whether a command is meant at all.

use super::Reader;
use super::shell::{code, skip_nouns, take};
use crate::instruction::Action;
use crate::text::shape::is_command;
use crate::text::{Kind, Range};

/// `Wait for sleep 120 to finish`, `sleep for 10 seconds`; waiting for `it` is no action.
pub(super) fn wait(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if !words.verb_is(start, "wait sleep pause let await") {
        return None;
    }
    let end = words.clause_end(start);
    if words.is(start, "let") && !words.is(start + 1, "it the that this") {
        return None;
    }
    let object = start + 1 + usize::from(words.is(start + 1, "for until on"));
    let object = skip_nouns(reader, object);
    if words.is_quoted(object) || (words.is(object, "sleep") && object > start) {
        let stop = words.position(
            Range::new(object, end),
            "to finishes ends is completes run finish has",
        );
        let command = if words.is_quoted(object) {
            code(reader, object)
        } else {
            words
                .raw(object, stop.unwrap_or(end))
                .trim_end_matches(['.', ','])
                .to_owned()
        };
        let done = reader.request.actions.iter().any(
            |action| matches!(action, Action::Shell { command: known, .. } if *known == command),
        );
        if !done {
            reader.shell(command);
        }
        return Some(end);
    }
    let about = words.about(object);
    if let Some(number) = number(&words.word(about))
        && !words.is(start, "let")
    {
        let factor = if words.is(about + 1, "minute minutes min") {
            60.0
        } else {
            1.0
        };
        reader.shell(format!("sleep {}", number * factor));
        return Some(end);
    }
    words.verb_is(start, "wait await let").then_some(end)
}

/// A number in digits or in a word.
fn number(word: &str) -> Option<f64> {
    const NAMES: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let digits = word.trim_end_matches('s');
    let value = match NAMES.iter().position(|name| *name == word) {
        Some(position) => u8::try_from(position).ok().map(f64::from),
        None => digits.parse::<f64>().ok(),
    };
    value.filter(|value| value.is_finite() && (0.0..1e7).contains(value))
}

/// A clause that is nothing but code: `cat note.txt` in backticks, or a command alone.
pub(super) fn bare(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let inner = words.inner(start);
    let first = inner.split_whitespace().next().unwrap_or("");
    let whole = words.ends_sentence(start + 1) || words.starts_next(start + 1);
    match words.kind(start) {
        Kind::Code if whole && is_command(first) => take(reader, start),
        Kind::Fence if is_command(first) || inner.starts_with("$ ") => take(reader, start),
        Kind::Word if words.is(start, "$") => take(reader, start + 1),
        Kind::Word
            if start == 0
                && is_command(first)
                && !(words.inner(start + 1) == "/" && words.kind(start + 2) == Kind::Word)
                && !words.is(start + 1, "has contains holds is says was")
                && !words.is(start, "file which test make find yes date id") =>
        {
            take(reader, start)
        }
        _ => None,
    }
}
