//! How people tell a fact: `remember this word: X`, `the door code is X`, `K=42`.
//!
//! Apart from `memory`, which looks among the facts: here they are read out of sentences, for the
//! reader of the present prompt and for the memory of earlier ones alike.

use crate::text::shape::is_marker;
use crate::text::{Kind, Range, Words, is_listed};

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
    new note also must if no not up out am i'm nothing else will respond let time session start \
    beginning message conversation chat";

/// Subjects of `… is …` that are about the task and not facts to keep.
const NOT_FACTS: &str = "answer reply response output title description task thing goal job \
    command content contents file path there it id first next step tool nothing everything \
    point idea plan";

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

/// Reads `remember …`. `None`: it is no such clause.
pub(crate) fn demand(words: &Words, range: Range) -> Option<Demand> {
    let start = range.from;
    let in_mind = [
        "in mind",
        "to memory",
        "in memory",
        "in your memory",
        "to your memory",
        "in your context",
        "in context",
        "for later",
        "to heart",
    ]
    .iter()
    .any(|phrase| words.has_phrase(range, phrase));
    let kept = words.verb_is(start, "keep bear hold store save commit put have take") && in_mind;
    let forget = words.any_phrase(
        start,
        "don't forget|do not forget|never forget|hold on to|hang on to|make a note of|\
            take note of|make a mental note of|make a mental note",
    );
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
    let marked = |at: usize| words.is_quoted(at) || is_marker(&words.inner(at));
    let asks = words.is(object, "what which who where whatever when")
        || words.verb_is(start, "recall") && !(object..range.to).any(marked);
    if asks {
        let notes = words.verb_is(start, "note learn") || kept;
        return Some(if notes {
            Demand::Nothing
        } else {
            Demand::Recall
        });
    }
    let above = words.trimmed(range).to;
    if words.is(above.saturating_sub(1), "above") && !(object..range.to).any(marked) {
        return Some(Demand::Nothing);
    }
    if words.is(object, "it that this them these")
        && (words.ends_sentence(object + 1)
            || object + 1 >= range.to
            || matches!(words.kind(object + 1), Kind::Mark(_))
            || in_mind && words.is(object + 1, "in for to"))
    {
        return Some(Demand::Nothing);
    }
    // `Remember: do not write files` is a manner of speaking.
    if words.verb_is(start, "note learn")
        && !has_pair(words, Range::new(object, range.to))
        && !(object..range.to).any(|at| words.is_quoted(at) || is_marker(&words.inner(at)))
    {
        return None;
    }
    // The value may stand alone behind the end of the line: `Remember this word:` and below it X.
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
    let facts = facts(words, range, !asked);
    let facts: Vec<Fact> = facts
        .into_iter()
        .map(|fact| Fact {
            demanded: true,
            ..fact
        })
        .collect();
    Some(if facts.is_empty() {
        Demand::Recall
    } else {
        Demand::Keep(facts)
    })
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

fn fact(name: &str, value: String) -> Fact {
    Fact {
        names: vec![name.to_owned()],
        value,
        demanded: false,
    }
}

/// The facts in a range; with `bare`, also a value that has no name.
fn facts(words: &Words, range: Range, bare: bool) -> Vec<Fact> {
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
fn pair_place(words: &Words, range: Range) -> Option<usize> {
    (range.from..range.to).find(|at| {
        let sign = words.is(*at, "is are was equals be = reads means")
            || matches!(words.kind(*at), Kind::Mark(':' | '='));
        sign && *at > range.from
    })
}

fn has_pair(words: &Words, range: Range) -> bool {
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
    if let Some(place) = pair_place(words, range) {
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
        let value = value_of(words, value);
        return (!value.is_empty()).then(|| Fact {
            names: names_of(words, names),
            value,
            demanded: false,
        });
    }
    let marked = (range.from..range.to)
        .rev()
        .find(|at| words.is_quoted(*at))
        .or_else(|| {
            (range.from..range.to)
                .find(|at| words.kind(*at) == Kind::Word && *at > 0 && is_marker(&words.inner(*at)))
        });
    if let Some(at) = marked {
        return Some(Fact {
            names: names_of(words, Range::new(range.from, at)),
            value: words.inner(at).into_owned(),
            demanded: false,
        });
    }
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
    (bare && !refers && !text.is_empty()).then(|| Fact {
        names: names_of(words, Range::new(range.from, value.from)),
        value: text,
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
