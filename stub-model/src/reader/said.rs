//! The words to say, lifted out of the sentence that asks for them.
//!
//! Apart from `reply`, which knows when an answer is demanded: here it is found where the demanded
//! words begin and where they end.

use super::Reader;
use super::context::MAX_WANTS;
use crate::instruction::Want;
use crate::text::shape::is_marker;
use crate::text::{Kind, Range};

/// `the word X`, `the single word X`, `this: X`, `the following text: X`: where X is.
pub(super) fn labelled(reader: &Reader<'_>, start: usize) -> Option<usize> {
    const NOUNS: &str = "word words phrase text string line token marker sentence message \
        code letters characters answer reply response thing letter number value term output \
        statement";
    const ADJECTIVES: &str = "the a an this these that single one exact following literal \
        short plain magic exactly only next two three same simple last";
    let words = reader.words;
    let mut at = start;
    while words.is(at, ADJECTIVES) {
        at += 1;
    }
    let adjectives = Range::new(start, at);
    let noun = words.is(at, NOUNS);
    let mut after = at;
    while words.is(after, NOUNS) {
        after += 1;
    }
    if after == start {
        return None;
    }
    // `exactly this and nothing else: X`: what is pointed at stands behind the colon.
    let points = words.has(adjectives, "this following these")
        || words.is(start.saturating_sub(1), "exactly") && words.has(adjectives, "that");
    let goes_on = matches!(words.kind(after), Kind::Mark(',')) || words.is(after, FUNCTION_WORDS);
    if points && goes_on {
        let colon = (after..words.sentence_end(after))
            .find(|at| matches!(words.kind(*at), Kind::Mark(':')));
        if let Some(colon) = colon {
            return Some(colon + 1);
        }
    }
    match words.kind(after) {
        Kind::Mark(':' | '—' | '=') => Some(after + 1),
        Kind::Mark(',') if noun && is_marker(&words.inner(after + 1)) => Some(after + 1),
        Kind::Quoted | Kind::Code | Kind::Fence => Some(after),
        Kind::Word if noun && !words.is(after, FUNCTION_WORDS) => Some(after),
        Kind::Word
            if !noun
                && (points || words.has(adjectives, "literal"))
                && is_marker(&words.inner(after)) =>
        {
            (!words.is(after, "id ids")).then_some(after)
        }
        _ if words.is(start, "this exactly following") && words.is_new_line(after) => Some(after),
        _ => None,
    }
}

const FUNCTION_WORDS: &str = "that which you i in from of and only alone itself inside at on \
    is was to for or we it contained stored written found given shown read above below please \
    again back without as followed with by nothing we've i've your my exactly then once when \
    but plus so after before now here just via";

/// Whether the object describes the answer instead of giving it.
pub(super) fn is_reference(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    let described = words.is(
        at,
        "the its that my your whatever what which who where it this his their both each all \
            what's everything every these those colour color only one an a",
    );
    let vague = words.is(at, "a an one all every everything only");
    described
        && (!vague
            || words.has(
                Range::new(at, words.clause_end(at)),
                "word colour color id output contents result summary file report list \
                    description",
            ))
        || words.is(at, "plan output contents") && words.is(at + 1, "id identifier of and")
        || words.is(at, "word") && words.is(at + 1, "in of from inside")
        || words.is(at, "id") && words.ends_sentence(at + 1) && reader.has_plan()
}

/// Takes the words at `at` to the end of what can belong to them.
pub(super) fn value_at(reader: &mut Reader<'_>, at: usize) -> usize {
    let words = reader.words;
    let quoted = words.is_quoted(at);
    let end = if quoted {
        at + 1
    } else {
        value_end(reader, at)
    };
    let text = if quoted {
        words.inner(at).into_owned()
    } else {
        words.raw(at, end).to_owned()
    };
    if text.trim().is_empty() && !quoted {
        return end.max(at);
    }
    let next = literal(reader, text, end);
    also(reader, next)
}

/// Words that end what is to be said.
const TAILS: &str = "should be in|must be in|may be in|is to be|and nothing else|and nothing more|and nothing besides|nothing else|\
    nothing more|and that's|and that is|and only that|and no|and not|and only|and do not|\
    and don't|and then stop|without any|without anything|without quotes|without other|\
    without further|in a single line|on a single line|on one line|in one line|\
    on the same line|on its own line|character for character|letter for letter|and must|\
    and absolutely|thank you|thanks|back to|in plain text|without punctuation|without the|without a|with no|with nothing|in your|\
    in reply|in response|in return|as your|as the|as a|as my|to confirm|to acknowledge|to show|\
    to this|to me|back to me|so that|so i|once you|once it|once the|once done|once that|\
    once this|once finished|when you|when it|when done|when the|when that|when finished|if you|\
    as soon|for me|no matter|regardless|even if|whatever happens|in any case|word for word|exactly as|as written|\
    followed by|and stop|and end|but nothing|after that|afterwards|after you|after the|after it|\
    before you|and the|and its|in exactly that|at the end|at once|by itself|on its own|\
    on a line|because|rather than|instead of|all by";

/// Where the words to say end.
fn value_end(reader: &Reader<'_>, start: usize) -> usize {
    let words = reader.words;
    let mut at = start + 1;
    while at < words.len() {
        let stop = words.ends_sentence(at)
            && !(matches!(words.kind(at), Kind::Mark('.'))
                && words.touches(at + 1)
                && words.kind(at + 1) == Kind::Word)
            || words.any_phrase(at, TAILS).is_some()
            || words.is(at, "only please exactly verbatim alone back")
                && (words.ends_sentence(at + 1) || matches!(words.kind(at + 1), Kind::Mark(',')))
            || matches!(words.kind(at), Kind::Mark('(' | '—' | '–'))
            || matches!(words.kind(at), Kind::Mark(',' | ';')) && ends_after_comma(reader, at)
            || words.is(at, "and then but before after") && words.starts_next(at);
        if stop {
            break;
        }
        at += 1;
    }
    words.trimmed(Range::new(start, at)).to.max(start + 1)
}

/// Whether what follows a comma is no part of the words to say.
fn ends_after_comma(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    words.is(
        at + 1,
        "nothing no without exactly verbatim please only not word then with whatever but even \
            regardless just as don't so once when if letter",
    ) || words.any_phrase(at + 1, TAILS).is_some()
        || words.starts_next(at)
}

/// Adds words to say, unless they were asked for already.
pub(super) fn literal(reader: &mut Reader<'_>, text: String, next: usize) -> usize {
    let want = Want::Literal(text);
    let sentence = Range::new(next, reader.words.sentence_end(next).clamp(next, next + 20));
    reader.request.regardless |= [
        "no matter",
        "in any case",
        "regardless",
        "even if",
        "whatever happens",
        "either way",
    ]
    .iter()
    .any(|phrase| reader.words.has_phrase(sentence, phrase));
    if !reader.request.wants.contains(&want) && reader.request.wants.len() < MAX_WANTS {
        reader.request.wants.push(want);
    }
    next
}

/// `… followed by the id`, `… and the colour`.
fn also(reader: &mut Reader<'_>, at: usize) -> usize {
    let words = reader.words;
    let after = words.any_phrase(at, "followed by|and then|and also|and|plus|then");
    match after {
        Some(after) if is_reference(reader, after) && !words.starts_next(at) => {
            let end = words.clause_end(after);
            reader.ask(Range::new(after, end));
            end
        }
        _ => at,
    }
}
