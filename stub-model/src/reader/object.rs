//! What is to be said: words to the letter, or a description of the answer.
//!
//! Apart from `reply`, which finds out that something is to be said: what it is has forms of its own,
//! from a quotation to a list of things to report.

use super::Reader;
use super::reply::skip_manner;
use super::said::{is_reference, labelled, literal, value_at};
use crate::instruction::Want;
use crate::text::shape::is_marker;
use crate::text::{Kind, Range, is_listed};

/// `<word> <colour>`: a form to fill in, whose names say what is asked for.
fn form(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    const NAMES: &str = "word colour color id plan-id plan_id planid output";
    let words = reader.words;
    let inner = words.inner(at);
    let names = inner
        .split('<')
        .skip(1)
        .map(|part| part.split('>').next().unwrap_or(""));
    let known = names
        .clone()
        .all(|name| name.split(' ').any(|word| is_listed(NAMES, word)));
    let is_form = words.is_quoted(at) && inner.contains('<') && inner.contains('>') && known;
    is_form.then(|| {
        for name in names {
            let want = match name {
                name if name.contains("colo") => Want::Colour,
                name if name.contains("word") => Want::FileWord,
                name if name.contains("output") => Want::Output,
                _ => Want::PlanId,
            };
            reader.request.wants.push(want);
        }
        at + 1
    })
}

/// `Reply with exactly: The lamp is fixed.`: a whole sentence behind a colon, which describes nothing.
fn is_sentence(reader: &Reader<'_>, at: usize) -> bool {
    const DESCRIBED: &str = "word words marker secret token code name colour color id ids output \
        content contents result results plan file text title answer image picture";
    let words = reader.words;
    let behind_colon = at > 0 && matches!(words.kind(at - 1), Kind::Mark(':'));
    behind_colon
        && words.kind(at) == Kind::Word
        && words.inner(at).starts_with(char::is_uppercase)
        && !words.has(Range::new(at, words.sentence_end(at)), DESCRIBED)
}

/// `(confirm) that you work by answering X`: X.
fn by_saying(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.clause_end(at);
    let by = words.position(Range::new(at, end), "by with")?;
    let says = words.is(
        by + 1,
        "answering saying replying responding sending returning writing printing outputting",
    );
    let object = skip_manner(reader, by + 1);
    (words.is(at, "that you this") && says && object < end).then(|| value_at(reader, object))
}

/// `one line: the word in the file and the colour`, where there is a file, an image or a result.
fn is_about_something(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    let something = !(reader.paths.is_empty()
        && reader.prompt.images.is_empty()
        && reader.request.actions.is_empty());
    let sentence = Range::new(at, words.sentence_end(at));
    something && words.has(sentence, "word colour color id output contents")
}

/// `what is inside <reply>X</reply>`: X.
fn inside(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.clause_end(at);
    let pointing = words.is(at, "what what's whatever everything the that");
    let inside = words.position(Range::new(at, end), "inside between within enclosed")?;
    let quoted = Range::new(inside, end)
        .near()
        .find(|at| words.kind(*at) == Kind::Quoted)?;
    let text = words.inner(quoted).into_owned();
    pointing.then(|| literal(reader, text, end))
}

/// `WORD COLOUR, where WORD is …`: what the names stand for is said behind them.
fn filled_in(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.sentence_end(at);
    let place = words.position(Range::new(at, end), "where")?;
    let name = words.inner(at);
    let capitals = name.len() > 1 && name.chars().all(|c| c.is_uppercase() || "-_".contains(c));
    if !capitals || words.inner(place + 1) != name || !words.is(place + 2, "is stands means") {
        return None;
    }
    reader.ask(Range::new(place + 1, end));
    Some(end)
}

/// `a) the word, b) the colour`: where the first of them starts; `at` itself when it is no such list.
fn list_of_references(reader: &Reader<'_>, at: usize) -> usize {
    let first = at + usize::from(reader.words.kind(at) == Kind::Bullet);
    if is_reference(reader, first) {
        first
    } else {
        at
    }
}

/// Asks for what is described at `at`, and for what a list goes on with.
fn references(reader: &mut Reader<'_>, at: usize) -> usize {
    let words = reader.words;
    let mut at = at;
    loop {
        let end = words.clause_end(at);
        reader.ask(Range::new(at, end));
        let mut next = end;
        while matches!(
            words.kind(next),
            Kind::Mark(',' | ';' | '(' | ')') | Kind::Bullet
        ) || words.is(next, "and")
            || words.inner(next).bytes().all(|byte| byte.is_ascii_digit()) && next < words.len()
        {
            next += 1;
        }
        let goes_on = next > end && is_reference(reader, next) && !words.starts_action(next);
        if !goes_on || words.is_new_line(next) {
            return end;
        }
        at = next;
    }
}

/// Takes the object at `at`: words to say, or a description of the answer.
pub(super) fn object_of(reader: &mut Reader<'_>, at: usize, cue: bool) -> usize {
    let words = reader.words;
    if let Some(next) = form(reader, at)
        .or_else(|| super::wanted::again(reader, at))
        .or_else(|| inside(reader, at))
        .or_else(|| by_saying(reader, at))
        .or_else(|| filled_in(reader, at))
    {
        return next;
    }
    let at = list_of_references(reader, at);
    if words.is(at, "nothing no anything") && !words.ends_sentence(at + 1) {
        return words.clause_end(at);
    }
    if let Some(value) = labelled(reader, at) {
        // `two words: the word in the file and the colour`
        let described = words.has(Range::new(at, value), "two three both words things")
            || is_about_something(reader, value);
        if described && is_reference(reader, value) {
            let end = words.clause_end(value);
            reader.ask(Range::new(value, end));
            return end;
        }
        return value_at(reader, value);
    }
    if is_sentence(reader, at) {
        return value_at(reader, at);
    }
    if is_reference(reader, at) || words.is(at, "if how whether") {
        return references(reader, at);
    }
    if words.is_quoted(at) || cue || is_marker(&words.inner(at)) || words.kind(at) == Kind::Word {
        return value_at(reader, at);
    }
    words.clause_end(at).max(at)
}
