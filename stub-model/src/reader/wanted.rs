//! `X is what you should reply`, `I want to see X as the reply`: the words to say, and then that they
//! are wanted.
//!
//! Apart from `reply`, whose clauses begin with a verb of saying: here the words come first, and it is
//! what stands behind them that makes them an answer and no fact to remember.

use super::Reader;
use super::said::{literal, value_at};
use crate::text::shape::is_marker;
use crate::text::{Kind, Range};

/// What an answer is called, and what is done with it.
const ANSWER: &str = "reply answer respond response output say return send print replying \
    answering responding saying";

/// What makes a sentence one about something else than the answer.
const ELSEWHERE: &str = "remember memorise memorize keep later recall file folder path command \
    title description plan tool run";

/// Reads a clause of this family.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    in_front(reader, start)
        .or_else(|| alone(reader, start))
        .or_else(|| shown(reader, start))
        .or_else(|| wished(reader, start))
        .or_else(|| expected(reader, start))
}

/// Whether the token at `at` is something to say by its looks.
fn is_said(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    let telling = words.is_quoted(at)
        || words.kind(at) == Kind::Word && is_marker(&words.inner(at)) && !words.is(at, "i");
    telling && reader.path_at(at).is_none()
}

/// `X is what you should reply`, `X must be your whole answer`.
fn in_front(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let joined = words.is(start + 1, "is should must has will shall ought");
    if !is_said(reader, start) || !joined {
        return None;
    }
    let end = words.sentence_end(start);
    let behind = Range::new(start + 2, end);
    let demanded = words.has(behind, ANSWER) && words.has(behind, "you your expected whole only");
    if !demanded || words.has(behind, ELSEWHERE) {
        return None;
    }
    let text = words.inner(start).into_owned();
    Some(literal(reader, text, end))
}

/// `X, please.`
fn alone(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let asked = is_said(reader, start)
        && matches!(words.kind(start + 1), Kind::Mark(','))
        && words.is(start + 2, "please")
        && words.ends_sentence(start + 3);
    let text = words.inner(start).into_owned();
    asked.then(|| literal(reader, text, start + 3))
}

/// `Let me see X and nothing else`.
fn shown(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let object = words.any_phrase(start, "let me see|let me have|let me hear|let me read")?;
    let said = object + usize::from(words.is(object, "only just exactly"));
    let text = words.inner(said).into_owned();
    let end = words.sentence_end(start);
    is_said(reader, said).then(|| literal(reader, text, end))
}

/// `I want to see X as the reply`, `I'd love to get X back and nothing else`.
fn wished(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.sentence_end(start);
    let first = Range::new(start, end.min(start + 5));
    let wishes = words.is(start, "i i'd we we'd")
        && words.has(first, "want need expect like love wish hope prefer accept")
        // `I want to`, which was passed over.
        || start > 1
            && words.is(start - 1, "to")
            && words.verb_is(start, "see hear get read have receive");
    if !wishes || words.has(Range::new(start, end), ELSEWHERE) {
        return None;
    }
    let said = Range::new(start + 1, end)
        .near()
        .find(|at| is_said(reader, *at))?;
    let behind = Range::new(said + 1, end);
    let accepts = words.has(first, "accept") && words.has(Range::new(start, said), ANSWER);
    let as_answer = words.has(behind, ANSWER) && words.has(behind, "as for in");
    let demanded = accepts || as_answer || words.has(behind, "back");
    demanded.then(|| {
        let text = words.inner(said).into_owned();
        literal(reader, text, end)
    })
}

/// `Expected output: X`, `Output format: one line with X`.
fn expected(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let format = words.is(start, "output reply answer response")
        && words.is(start + 1, "format")
        && matches!(words.kind(start + 2), Kind::Mark(':'));
    if format {
        let end = words.sentence_end(start);
        let said = Range::new(start + 3, end)
            .near()
            .find(|at| is_said(reader, *at))?;
        let text = words.inner(said).into_owned();
        return Some(literal(reader, text, end));
    }
    let label = words.is(start, "expected desired required wanted")
        && words.is(start + 1, "output reply answer response text result")
        && matches!(words.kind(start + 2), Kind::Mark(':' | '='));
    label.then(|| value_at(reader, start + 3))
}

/// `exactly that`, `that marker`, `the expected reply`: words that were given before. Where the clause
/// ends, when there are such words.
pub(super) fn again(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    let noun = words.is(
        at + 1,
        "marker token string text code output reply answer response line",
    );
    let alone = words.ends_sentence(at + 1)
        || words.is(at + 1, "and alone only exactly please verbatim")
        || matches!(words.kind(at + 1), Kind::Mark(_));
    let points = words.is(at, "that this it") && (noun || alone)
        || words.is(at, "the") && noun && words.is(at + 2, "above before")
        || words.is(at, "the")
            && words.is(
                at + 1,
                "expected desired required wanted correct right same",
            );
    if !points {
        return None;
    }
    let end = words.clause_end(at);
    if reader.has_literal() {
        return Some(end);
    }
    let alone = reader.request.actions.is_empty() && reader.paths.is_empty();
    let marker = reader.marker.clone().filter(|_| alone && noun)?;
    Some(literal(reader, marker, end))
}
