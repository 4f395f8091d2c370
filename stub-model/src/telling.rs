//! How people tell a fact: `remember this word: X`, `the door code is X`, `K=42`.
//!
//! Apart from `memory`, which looks among the facts: here they are read out of sentences, for the
//! reader of the present prompt and for the memory of earlier ones alike.

use crate::facts::{fact, facts, has_pair, pair_place};
use crate::text::shape::{is_marker, is_path};
use crate::text::{Kind, Range, Words};

/// Something that the user told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// What it is called, in single lower-case words.
    pub(crate) names: Vec<String>,
    /// What it is.
    pub(crate) value: String,
    /// Whether the user asked to remember it, and did not only say it.
    pub(crate) demanded: bool,
}

/// Words that all mean `the thing to remember`.
pub(crate) const GENERIC: &str = "word code secret token marker password passphrase phrase keyword \
    codeword term value thing string key passcode pin number text item info information";

/// Words that name nothing.
pub(crate) const STOP: &str = "the a an my your our his her this that these those is are was were of \
    for to in on at and or what which who whose where when how did do does i you me it we us \
    please tell give say asked ask remember told gave just only again back now with exactly be \
    can could still repeat recall know reply answer called named have had has from before \
    earlier mentioned said so one s what's whats who's where's keep mind memorise memorize any \
    as there then shared set by about previously first last want wanted exact single following \
    new memory memorized memorised took take taken learnt learned heart along note also must if no not up out am i'm nothing else will respond let time session start \
    beginning message conversation chat";

/// Subjects of `… is …` that are about the task and not facts to keep.
const NOT_FACTS: &str = "answer reply response output title description task thing goal job \
    command content contents file path there it id first next step tool nothing everything \
    point idea plan message";

/// What a `remember …` clause wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Demand {
    /// To keep these facts.
    Keep(Vec<Fact>),
    /// To tell what was kept.
    Recall,
    /// Nothing more than what was said before: `keep it in mind`.
    Nothing,
}

/// Where a statement that starts at `start` ends.
pub(crate) fn statement_end(words: &Words, start: usize) -> usize {
    words.clause_end(start)
}

/// What `keep`, `hold`, `put` and the like need behind them to mean the memory.
const IN_MIND: [&str; 13] = [
    "in mind",
    "to memory",
    "in memory",
    "in your memory",
    "to your memory",
    "in your context",
    "in context",
    "for later",
    "to heart",
    "into your memory",
    "into memory",
    "in your head",
    "by heart",
];

/// Openings that mean the same as `remember`.
const REMEMBER: &str = "don't forget|do not forget|never forget|hold on to|hang on to|\
    make a note of|take note of|make a mental note of|make a mental note";

/// Reads `remember …`. `None`: it is no such clause.
pub(crate) fn demand(words: &Words, range: Range) -> Option<Demand> {
    let start = range.from;
    let in_mind = IN_MIND.iter().any(|phrase| words.has_phrase(range, phrase));
    let kept = words.verb_is(start, "keep bear hold store save commit put have take")
        && (in_mind || is_kept_word(words, range));
    let forget = words.any_phrase(start, REMEMBER);
    let verb = words.verb_is(
        start,
        "remember memorise memorize retain note learn recall memo",
    );
    if !(verb || kept || forget.is_some()) {
        return None;
    }
    let mut object = forget.unwrap_or(start + 1);
    while matches!(words.kind(object), Kind::Mark(':' | ',' | '—'))
        || words.is(object, "that down for please of in mind me this:") && object < range.to
    {
        object += 1;
    }
    let marked = (object..range.to).any(|at| is_marked(words, at));
    let asks = words.is(object, "what which who where whatever when")
        || words.verb_is(start, "recall") && !marked;
    let notes = words.verb_is(start, "note learn");
    if asks && (notes || kept) {
        return Some(Demand::Nothing);
    }
    if asks {
        return Some(Demand::Recall);
    }
    let last = words.trimmed(range).to.saturating_sub(1);
    // `Can you remember a word for me?` says that one will come.
    let announced = words.is(object, "a some something one")
        && !marked
        && !in_mind
        && matches!(words.kind(words.sentence_end(start)), Kind::Mark('?'));
    if announced || words.is(last, "above") && !marked || points_back(words, object, range, in_mind)
    {
        return Some(Demand::Nothing);
    }
    // `Note: do not write files` is a manner of speaking.
    if notes && !marked && !has_pair(words, Range::new(object, range.to)) {
        return None;
    }
    Some(keep(words, object, range))
}

pub(crate) fn is_marked(words: &Words, at: usize) -> bool {
    words.is_quoted(at) || is_marker(&words.inner(at))
}

/// `Remember it`, `keep this in mind`: what was said before.
fn points_back(words: &Words, object: usize, range: Range, in_mind: bool) -> bool {
    // `Memorise this: X`, `put this in your memory: X`: what follows is said now.
    let said_now = Range::new(object, range.to)
        .near()
        .any(|at| matches!(words.kind(at), Kind::Mark(':')) && is_marked(words, at + 1));
    !said_now
        && words.is(object, "it that this them these")
        && (words.ends_sentence(object + 1)
            || object + 1 >= range.to
            || matches!(words.kind(object + 1), Kind::Mark(_))
            || words.is(object + 1, "now well please carefully too")
            || in_mind && words.is(object + 1, "in for to"))
}

/// The facts to keep. The value may stand alone behind the end of the line: `Remember this word:` and
/// below it X.
fn keep(words: &Words, object: usize, range: Range) -> Demand {
    let below = range.to < words.len()
        && (object >= range.to || matches!(words.kind(range.to - 1), Kind::Mark(':')));
    let range = Range {
        from: object.min(range.to),
        to: if below {
            words.clause_end(range.to)
        } else {
            range.to
        },
    };
    let asked = matches!(words.kind(range.to), Kind::Mark('?'));
    let demanded = |fact| Fact {
        demanded: true,
        ..fact
    };
    let facts: Vec<Fact> = facts(words, range, !asked)
        .into_iter()
        .map(demanded)
        .collect();
    if facts.is_empty() {
        Demand::Recall
    } else {
        Demand::Keep(facts)
    }
}

/// `Save the following word: X`, `keep X for me`: a word, and no place on a disk to put it.
fn is_kept_word(words: &Words, range: Range) -> bool {
    let sentence = Range::new(range.from, words.sentence_end(range.from));
    let object = (range.from + 1..range.to).find(|at| {
        !words.is(*at, "the this a following single") && !matches!(words.kind(*at), Kind::Mark(_))
    });
    let Some(object) = object else { return false };
    let marked = |at: usize| is_marked(words, at);
    let noun = words.is(object, GENERIC) && !words.is(object, "text item number");
    let for_me = marked(object) && words.has_phrase(range, "for me");
    let elsewhere = sentence.near().any(|at| is_path(&words.inner(at)))
        || words.has(
            sentence,
            "file folder disk plan title description clipboard variable",
        );
    (noun && sentence.near().any(marked) || for_me) && !elsewhere
}

/// Reads a plain statement: `the door code is X`, `K=42`, `my name is Ada`.
pub(crate) fn statement(words: &Words, range: Range) -> Vec<Fact> {
    let start = range.from;
    if words.is(
        start,
        "what which who where when how do does did is are can could if tell there it i you why \
            that",
    ) && !words.is(start, "i")
        || words.starts_action(start) && !words.is(start, "call let")
    {
        return Vec::new();
    }
    if let Some(name) = words.any_phrase(
        start,
        "call me|i am called|i am|people call me|you can call me|i go by",
    ) && (words.trimmed(range).to == name + 1)
    {
        return vec![fact("name", words.inner(name).into_owned())];
    }
    if words.is(start, "i'm") && words.trimmed(range).to == start + 2 {
        return vec![fact("name", words.inner(start + 1).into_owned())];
    }
    let here = words.any_phrase(start, "here is|here's|here are|this is|let");
    let subject = Range::new(here.unwrap_or(start), range.to);
    let first = words.word(subject.from);
    let opens = here.is_some()
        || ["the", "my", "our", "your", "his", "her"].contains(&first.as_ref())
        || words.inner(start).contains('=')
        || words.is(start + 1, "is = equals")
        || words.is(start, GENERIC) && matches!(words.kind(start + 1), Kind::Mark(':'))
        || matches!(words.kind(start + 1), Kind::Mark('='));
    let before = Range::new(
        subject.from,
        pair_place(words, subject).unwrap_or(subject.from),
    );
    let about_task =
        words.has(before, NOT_FACTS) && !words.has(before, "code secret word name password");
    if !opens || about_task || !has_pair(words, subject) && here.is_none() {
        return Vec::new();
    }
    facts(words, subject, false)
}
