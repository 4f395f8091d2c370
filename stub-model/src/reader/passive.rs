//! `The file X must be read`: a passive, turned into the instruction that it stands for.
//!
//! Apart from the rules, so that each of them has to know one voice only.
//!
//! Must stay true: words are moved and never changed; what is denied, or only holds under a
//! condition, stays as it is.

use crate::text::{Range, Words};

/// What is done to things in the passive voice, and the verb of the instruction.
const PARTICIPLES: &[(&str, &str)] = &[
    ("run", "run"),
    ("executed", "execute"),
    ("created", "create"),
    ("made", "make"),
    ("read", "read"),
    ("saved", "save"),
    ("stored", "store"),
    ("fetched", "fetch"),
    ("loaded", "load"),
    ("retrieved", "retrieve"),
    ("written", "write"),
    ("called", "call"),
    ("started", "start"),
    ("deleted", "delete"),
];

/// Subjects that are about the answer, or that make the sentence no instruction.
const OTHERS: &str = "answer reply response title description output content contents if when \
    unless once what which it you nothing none not never no who why whether unless";

/// How many sentences are looked at.
const MAX_SENTENCES: usize = 200;

/// The text with its passive instructions in the active voice; `None` when it has none.
pub(super) fn active(text: &str) -> Option<String> {
    if !text.contains(" be ") {
        return None;
    }
    let words = Words::new(text);
    let mut active = String::new();
    let mut copied = 0;
    let mut start = 0;
    for _ in 0..MAX_SENTENCES {
        if start >= words.len() {
            break;
        }
        let from = words.skip_fillers(start);
        let end = words.sentence_end(from);
        if let Some(turned) = turned(&words, Range::new(from, end)) {
            let begin = text.len() - words.rest(from).len();
            active.push_str(text.get(copied..begin)?);
            active.push_str(&turned);
            copied = begin + words.raw(from, end).len();
        }
        start = end.max(from) + 1;
    }
    if copied == 0 {
        return None;
    }
    active.push_str(text.get(copied..)?);
    Some(active)
}

/// One sentence in the active voice.
fn turned(words: &Words, sentence: Range) -> Option<String> {
    let be = words.position(sentence, "be")?;
    let modal = (sentence.from + 1..be)
        .rev()
        .take(2)
        .find(|at| words.is(*at, "must should shall to will"))?;
    let wish = words
        .any_phrase(
            sentence.from,
            "i want|i need|i would like|i'd like|we want|we need",
        )
        .filter(|_| words.is(modal, "to"));
    let subject = wish.unwrap_or(sentence.from);
    let before = if words.is(modal - 1, "has have needs need is are") && wish.is_none() {
        modal - 1
    } else {
        modal
    };
    let participle = be + 1 + usize::from(words.is(be + 1, "then just first now"));
    let done = words.word(participle);
    let (_, verb) = PARTICIPLES.iter().find(|(name, _)| *name == done)?;
    let sound = subject < before
        && !words.has(Range::new(subject, before), OTHERS)
        && !words.has(Range::new(before, participle), OTHERS)
        && (wish.is_some() || !words.is(modal, "to") || before < modal);
    sound.then(|| {
        let subject = words.raw(subject, before);
        let rest = words.raw(participle + 1, sentence.to);
        format!("{verb} {subject} {rest}").trim_end().to_owned()
    })
}
