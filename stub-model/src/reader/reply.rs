//! `Reply with exactly X`: the words to say.
//!
//! Apart from `question`, because here the answer stands in the prompt: it has to be lifted out to
//! the letter, without the sentence around it.

use super::Reader;
use super::object::object_of;
use super::said::{is_reference, labelled, literal, value_at};
use crate::text::shape::is_marker;
use crate::text::{Kind, Range};

const SPEAK: &str = "reply answer respond say output print write return state type tell give \
    send finish end conclude confirm acknowledge repeat echo utter emit produce report come \
    hand quote show close ack speak greet name let post provide include spell display stop put \
    use present keep make complete mention";

/// Reads a clause that says what to answer.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if start > 0
        && words.is(start - 1, "just only simply")
        && words.is(start, "the this a")
        && let Some(value) = labelled(reader, start)
    {
        return Some(value_at(reader, value));
    }
    if let Some(object) = answer_is(reader, start) {
        return Some(object_of(reader, object, true));
    }
    if words
        .any_phrase(start, "nothing but|nothing except|nothing other than")
        .is_some()
        && words.has(
            Range::new(start, words.clause_end(start)),
            "answer reply response say output",
        )
    {
        let object = skip_manner(reader, start);
        return Some(object_of(reader, object, true));
    }
    if let Some(next) = greeting(reader, start).or_else(|| turn_end(reader, start)) {
        return Some(next);
    }
    if !words.verb_is(start, SPEAK) {
        return None;
    }
    if words.verb_is(start, "let put use keep make complete") {
        return placed(reader, start);
    }
    let object = skip_manner(reader, start + 1);
    let cue = (start + 1..object).any(|at| {
        words.is(at, "with exactly only just by saying")
            || matches!(words.kind(at), Kind::Mark(':'))
    });
    let free = words.verb_is(start, "say output print echo utter repeat type emit");
    if words.verb_is(start, "say")
        && words.is(object, "hi hello hey")
        && words.ends_sentence(object + 1)
    {
        return Some(literal(
            reader,
            words.inner(object).into_owned(),
            object + 1,
        ));
    }
    if !(cue || free || is_demand(reader, start, object)) {
        return None;
    }
    Some(object_of(reader, object, cue || free))
}

/// `… and end your turn`: so it will be.
fn turn_end(reader: &Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let ends = words.verb_is(start, "end finish stop conclude close");
    let turn = words.any_phrase(start + 1, "your turn|the turn|this turn|there|here")?;
    let alone = words.ends_sentence(turn) || words.starts_next(turn);
    (ends && alone).then_some(turn)
}

/// `ping`, and a greeting, which is answered when nothing else is said.
fn greeting(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if words.is(start, "ping") && words.ends_sentence(start + 1) {
        return Some(literal(reader, "pong".to_owned(), start + 1));
    }
    let end = words.clause_end(start);
    if !words.is(start, "hi hello hey greetings howdy") || end - start > 3 {
        return None;
    }
    let alone = words.skip_fillers(end) >= words.len();
    Some(match alone {
        true => literal(reader, "Hello!".to_owned(), end),
        false => end,
    })
}

/// Whether the object of a weak verb is something to say or to report.
fn is_demand(reader: &Reader<'_>, start: usize, object: usize) -> bool {
    let words = reader.words;
    let clause = words.trimmed(Range::new(start, words.clause_end(start)));
    let single = object + 1 == clause.to
        && words.verb_is(start, "reply answer respond confirm acknowledge return")
        && !words.is(object, NO_ANSWER);
    let reference = is_reference(reader, object) || words.is(object, "if how back");
    single
        || reference
        || words.is_quoted(object)
        || (object < clause.to && is_marker(&words.inner(object)))
}

/// Words behind `reply` that say how and not what.
const NO_ANSWER: &str = "now briefly shortly politely quickly me honestly concisely here \
    please it this immediately again first once soon afterwards when everything done?";

/// `Your whole answer must be X`, `the only thing you say is X`, `I want to see only X`.
fn answer_is(reader: &Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.sentence_end(start).min(start + 24));
    let owner = words.is(
        start,
        "what your the my all i as answer reply response output expected desired for final",
    );
    if words
        .any_phrase(
            start,
            "what i want|what i need|what i expect|what you should say|what you should reply",
        )
        .is_some()
    {
        let is = words.position(clause, "is")?;
        return Some(skip_manner(reader, is + 1));
    }
    let noun = (start..clause.to.min(start + 9)).find(|at| {
        words.is(
            *at,
            "answer reply response output message thing want expect need text word",
        )
    })?;
    if !owner {
        return None;
    }
    let label = (noun..clause.to.min(start + 6)).find(|at| {
        words.is(*at, "answer reply response") && matches!(words.kind(at + 1), Kind::Mark(':'))
    });
    if let Some(label) = label {
        return Some(skip_manner(reader, label + 2));
    }
    // `Reply with …` is a demand of its own kind; `answer must be X` is one of this.
    let as_verb = noun == start && !words.is(start + 1, "must should has is needs shall will");
    if as_verb || words.is(start, "what") {
        return None;
    }
    if words.is(start, "i all") {
        let only = words.has(clause, "only just exactly is nothing");
        let to = words.position(
            Range::new(noun, clause.to),
            "see hear is get back read but receive",
        )?;
        return (only && words.has(clause, "want expect need"))
            .then(|| skip_manner(reader, to + 1));
    }
    named_answer(reader, start, noun, clause)
}

/// `the only word you say is X`: where X is, when the noun stands for the answer.
fn named_answer(reader: &Reader<'_>, start: usize, noun: usize, clause: Range) -> Option<usize> {
    let words = reader.words;
    if words.is(noun, "word text thing message output")
        && !(words.is(noun, "message") && words.is(start, "your"))
        && !words.has(
            clause,
            "say reply answer respond output write print send return",
        )
        || words.is(noun, "word") && !words.is(start, "the your")
    {
        return None;
    }
    if words.is(noun, "output") && !words.is(start, "your") {
        return None;
    }
    let verb = words.position(
        Range::new(noun + 1, clause.to),
        "be is consist contain read equal say have consists contains being =",
    )?;
    let verb = if words.is(verb, "say") {
        words
            .position(Range::new(verb + 1, clause.to), "is be")
            .unwrap_or(verb)
    } else {
        verb
    };
    let mut at = verb + 1;
    while words.is(at, "to be of exactly required") {
        at += 1;
    }
    (at <= clause.to).then(|| skip_manner(reader, at))
}

/// `Let your answer be X`, `put X as your answer`, `use X as your reply`, `make your reply X`.
fn placed(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let noun = words.position(clause, "answer reply response output")?;
    if let Some(be) = words.position(Range::new(noun, clause.to), "be say read contain") {
        let object = skip_manner(reader, be + 1);
        return Some(object_of(reader, object, true));
    }
    let joint = (start + 1..noun)
        .rev()
        .take(4)
        .find(|at| words.is(*at, "as in for"));
    if let Some(to) = joint {
        let from = skip_manner(reader, start + 1);
        if from < to && !is_reference(reader, from) {
            let text = if words.is_quoted(from) {
                words.inner(from).into_owned()
            } else {
                words.raw(from, to).to_owned()
            };
            return Some(literal(reader, text, clause.to));
        }
        if from < to {
            reader.ask(Range::new(from, to));
            return Some(clause.to);
        }
    }
    let limited = words.is(start, "make")
        && (words.is(noun + 1, "exactly just")
            || matches!(words.kind(noun + 1), Kind::Mark(':'))
            || words.is_quoted(noun + 1)
            || is_marker(&words.inner(noun + 1)));
    limited.then(|| {
        let object = skip_manner(reader, noun + 1);
        object_of(reader, object, true)
    })
}

/// Skips what stands between the verb and its object.
pub(super) fn skip_manner(reader: &Reader<'_>, start: usize) -> usize {
    let words = reader.words;
    let mut at = start;
    for _ in 0..16 {
        if let Some(after) = words.any_phrase(
            at,
            "in exactly this form|in this form|in the form|in this format|in the following form|as follows|this message by|this message with|the message with|receipt with|receipt by|this by|nothing but|nothing other than|nothing more than|nothing else but|nothing except|\
                to me with|to this with|this with|this request with|this prompt with|this question with|to this message with|to me|in one word|after me|\
                in the end with|back to me|in exactly one word|the turn with|the turn by|\
                your turn with|your answer with|your reply with|to this|to my message with|\
                no more than|no more and no less than|me know|your turn by|in one line|\
                in a single line|on one line|on a single line",
        ) {
            at = after;
        } else if words.is(
            at,
            "with me us back also exactly only just simply precisely by saying using literally \
                verbatim solely please out then strictly up giving telling returning replying \
                sending reporting answering stating printing aloud loud plainly always writing \
                responding outputting containing",
        ) || matches!(words.kind(at), Kind::Mark(':' | ',' | '—' | '–' | '='))
        {
            at += 1;
        } else {
            break;
        }
    }
    at
}
