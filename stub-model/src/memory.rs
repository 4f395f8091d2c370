//! What the user has said, found again when it is asked for.
//!
//! There is no store: the conversation is the memory, so a session that was loaded remembers
//! exactly what a running one does. Turns that were cancelled count too, since the user did speak.
//!
//! Must stay true: the newest fact wins; nothing that the model or a tool said becomes a fact.

use crate::conversation::Message;
use crate::prompt::{Prompt, user_messages};
use crate::telling::{Demand, Fact, GENERIC, STOP, demand, statement, statement_end};
use crate::text::{Kind, Range, Words, is_listed};

/// Everything that the user told in a conversation, in the order of telling.
pub(crate) fn told(messages: &[Message]) -> Vec<Fact> {
    user_messages(messages)
        .flat_map(|parts| facts_of(&Prompt::new(parts).text))
        .collect()
}

/// What the user said that answers `question`: one of the `facts`, or else a sentence.
pub(crate) fn recall(question: &str, facts: &[Fact], messages: &[Message]) -> Option<String> {
    let mut asked = content_words(question);
    if asked.is_empty() && question.to_ascii_lowercase().contains("who") {
        asked.push("name".to_owned());
    }
    let generic = asked.iter().any(|word| is_listed(GENERIC, word));
    let scored = facts
        .iter()
        .map(|fact| (score(fact, &asked, generic), fact))
        .filter(|(score, _)| *score > 0);
    // Of equal ones the last is taken, which is the newest.
    let best = scored.max_by_key(|(score, _)| *score);
    best.map(|(_, fact)| fact.value.clone())
        .or_else(|| similar(&asked, messages))
}

/// How well a fact answers a question: its own names count most, then that it is the kind of
/// thing that is asked for, then that it was to be remembered.
fn score(fact: &Fact, asked: &[String], generic: bool) -> u32 {
    let named = asked
        .iter()
        .filter(|word| fact.names.contains(word))
        .count();
    let specific = fact
        .names
        .iter()
        .any(|name| !is_listed(GENERIC, name) && asked.contains(name));
    let extra = asked
        .iter()
        .any(|word| !is_listed(GENERIC, word) && !fact.names.contains(word));
    let same_kind = generic
        && (fact.names.is_empty() || fact.names.iter().any(|name| is_listed(GENERIC, name)));
    let open = asked.is_empty() || generic && !extra;
    u32::try_from(named).unwrap_or(0) * 4
        + u32::from(specific) * 8
        + u32::from(same_kind) * 2
        + u32::from(fact.demanded && (open || same_kind))
}

/// The words of a text that say what it is about.
fn content_words(text: &str) -> Vec<String> {
    let words = Words::new(text);
    let all = (0..words.len()).map(|at| {
        if words.is_quoted(at) {
            words.inner(at).to_ascii_lowercase()
        } else {
            words.word(at).into_owned()
        }
    });
    let all = all.map(|word| word.strip_suffix("'s").unwrap_or(&word).to_owned());
    all.filter(|word| !word.is_empty() && !is_listed(STOP, word))
        .take(40)
        .collect()
}

/// The user's earlier sentence that shares most words with a question.
fn similar(asked: &[String], messages: &[Message]) -> Option<String> {
    let mut best: Option<(usize, String)> = None;
    let earlier = user_messages(messages).rev().skip(1);
    for parts in earlier {
        let words = Words::new(&Prompt::new(parts).text);
        let mut at = 0;
        while at < words.len() {
            let end = words.sentence_end(at);
            let question = matches!(words.kind(end), Kind::Mark('?'));
            let said: Vec<String> = (at..end)
                .map(|at| words.word(at).into_owned())
                .filter(|word| !is_listed(STOP, word))
                .take(60)
                .collect();
            let shared = asked
                .iter()
                .filter(|word| word.len() > 2 && said.iter().any(|other| same_stem(word, other)))
                .count();
            if shared > 0
                && !question
                && !words.starts_action(words.skip_fillers(at))
                && best.as_ref().is_none_or(|(known, _)| shared > *known)
            {
                best = Some((shared, words.raw(at, end).to_owned()));
            }
            at = end + 1;
        }
    }
    best.map(|(_, sentence)| sentence)
}

/// Whether two words begin alike: `park` and `parked`.
fn same_stem(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    short.len() > 2 && long.starts_with(short) && long.len() - short.len() <= 4
}

/// All facts in one message, in the order they were told.
fn facts_of(text: &str) -> Vec<Fact> {
    let words = Words::new(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let start = words.skip_fillers(at);
        let end = statement_end(&words, start).max(start + 1);
        let range = Range::new(start, end);
        match demand(&words, range) {
            Some(demand) => {
                if let Demand::Keep(facts) = demand {
                    found.extend(facts);
                }
                at = end;
            }
            None if matches!(words.kind(words.sentence_end(start)), Kind::Mark('?')) => at = end,
            None => {
                found.extend(statement(&words, range));
                at = end;
            }
        }
    }
    found
}
