//! Title and description of a plan, wherever they are told.
//!
//! Apart from `plan`, which knows when a plan is saved or read back: the fields come in the same
//! clause, as a list, or in sentences before and after.

use super::Reader;
use super::plan::names_tool;
use crate::instruction::{Action, Content};
use crate::text::shape::is_command;
use crate::text::{Kind, Range};

pub(super) const TITLE: &str = "title titled entitled";

pub(super) const DESCRIPTION: &str = "description desc body details descriptions describing";

const OUTPUT: &str = "output outputs printed prints contents content result results stdout \
    cat shows shown returned returns text displayed read got it verbatim said says found saw \
    file's everything gave gives";

/// Whether the clause at `start` tells a field of a plan: `its title is X`, `Title: X`,
/// `put the output in the description`.
pub(super) fn is_field(reader: &Reader<'_>, start: usize) -> bool {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start).min(start + 60));
    let cue = words.has(clause, TITLE)
        || words.has(clause, DESCRIPTION) && !words.verb_is(start, "tell reply answer");
    let named = start + usize::from(words.is(start, "plan plan's"));
    let label = words.is(named, TITLE) || words.is(named, DESCRIPTION);
    let opens = words.verb_is(
        start,
        "its the a an use set put give include fill make pass paste copy with let for as store \
            place add insert write save whose name title call description plan's whatever what \
            provide take describe type keep supply enter",
    );
    let wishes =
        words.is(start, "i we") && words.has(clause, "want need like") && words.has(clause, "plan");
    cue && (label || opens || wishes)
        && !names_tool(reader, clause, "createplan")
        && !names_tool(reader, clause, "getplan")
}

/// Where a field clause ends: at the next instruction that is not about a field.
pub(super) fn field_end(reader: &Reader<'_>, start: usize) -> usize {
    let words = reader.words;
    let mut end = words.clause_end(start);
    while end < words.len()
        && !words.ends_sentence(end)
        && is_field(reader, words.skip_fillers(end))
    {
        end = words.clause_end(words.skip_fillers(end));
    }
    end
}

/// Reads title and description out of `range` into the last plan, or keeps them for the next one.
pub(super) fn fields(reader: &mut Reader<'_>, range: Range) {
    let title = title(reader, range);
    let description = description(reader, range);
    let last = reader
        .request
        .actions
        .iter_mut()
        .rev()
        .find_map(|action| match action {
            Action::CreatePlan { title, description } => Some((title, description)),
            _ => None,
        });
    match last {
        Some((known_title, known_description)) => {
            if let Some(title) = title.filter(|_| known_title.is_empty()) {
                *known_title = title;
            }
            if let Some(description) =
                description.filter(|_| *known_description == Content::Literal(String::new()))
            {
                *known_description = description;
            }
        }
        None => {
            reader.title = title.or(reader.title.take());
            reader.description = description.or(reader.description.take());
        }
    }
}

/// The title that a range names.
fn title(reader: &Reader<'_>, range: Range) -> Option<String> {
    let words = reader.words;
    let cue = words.position(range, TITLE).or_else(|| {
        let named = words.position(range, "called named name")?;
        let before = Range::new(named.saturating_sub(4).max(range.from), named);
        (words.has(before, "plan") || words.is(range.from, "name call")).then_some(named)
    });
    let quoted = (range.from..range.to)
        .find(|at| words.is(*at, "plan") && words.is_quoted(at + 1))
        .filter(|_| cue.is_none());
    if let Some(plan) = quoted {
        return Some(words.inner(plan + 1).into_owned());
    }
    let cue = cue.or_else(|| {
        (words.verb_is(range.from, "name call") && words.is(range.from + 1, "it the"))
            .then_some(range.from + 1)
    })?;
    if words.is(cue, "title name")
        && let Some(value) = value_before(reader, range, cue)
    {
        return Some(value);
    }
    let from = skip_connectors(reader, cue + 1, range.to);
    literal(reader, from, range.to)
}

/// `X as the title`, `with X for its title`.
fn value_before(reader: &Reader<'_>, range: Range, cue: usize) -> Option<String> {
    let words = reader.words;
    let joint = (range.from..cue)
        .rev()
        .take(3)
        .find(|at| words.is(*at, "as for"))?;
    let previous = joint.checked_sub(1).filter(|at| *at >= range.from)?;
    if words.is_quoted(previous) {
        return Some(words.inner(previous).into_owned());
    }
    let opens = |at: &usize| {
        (*at == range.from
            || words.ends_sentence(at.saturating_sub(1))
            || words.inner(*at).starts_with(char::is_lowercase))
            && words.verb_is(
                *at,
                "use with using put set give has plan take and pass it create_plan",
            )
            || matches!(words.kind(*at), Kind::Mark(_))
    };
    let from = (range.from..joint)
        .rev()
        .find(opens)
        .map_or(range.from, |at| at + 1);
    (from < joint && !words.is_quoted(joint + 2) && !matches!(words.kind(cue + 1), Kind::Mark(':')))
        .then(|| words.raw(from, joint).to_owned())
}

fn skip_connectors(reader: &Reader<'_>, from: usize, to: usize) -> usize {
    let words = reader.words;
    let mut at = from;
    while at < to
        && (matches!(
            words.kind(at),
            Kind::Mark(':' | '=' | '—' | '–' | ',' | '(' | '<')
        ) || words.inner(at).starts_with(char::is_lowercase)
            && words.is(
                at,
                "is of to must should be exactly set as the a it will shall equal equals text \
                string value has holds literally called named this following precisely plan has \
                contain containing with field",
            ))
    {
        at += 1;
    }
    at
}

/// A literal value at `from`: quoted, or the words up to the next field or instruction.
fn literal(reader: &Reader<'_>, from: usize, to: usize) -> Option<String> {
    let words = reader.words;
    if from >= to {
        return None;
    }
    if words.is_quoted(from) {
        return Some(words.inner(from).into_owned());
    }
    let ends = |at: &usize| {
        let at = *at;
        let field_ahead = (at + 1..at + 8).any(|ahead| {
            words.is(ahead, DESCRIPTION) || words.is(ahead, TITLE) || words.is(ahead, OUTPUT)
        });
        match words.kind(at) {
            Kind::Mark('(') => true,
            Kind::Mark('.' | ',' | ';' | '!' | ')') => !words.touches(at + 1),
            Kind::Word if words.is(at, "that which") && words.is(at + 1, "you i we") => true,
            Kind::Word
                if words.is(
                    at,
                    "and with whose using where plus that which while having",
                ) =>
            {
                field_ahead || words.starts_next(at)
            }
            Kind::Word if words.is(at, DESCRIPTION) => true,
            Kind::Word if words.is(at, "by") => words.is(at + 1, "calling using means"),
            Kind::Word if words.is(at, "saved stored created made recorded") => {
                words.is(at + 1, "by with using via through in")
            }
            _ => words.ends_sentence(at) || words.starts_next(at),
        }
    };
    let end = (from + 1..to).find(ends).unwrap_or(to);
    let range = words.trimmed(Range::new(from, end));
    let value = words.raw(range.from, range.to);
    let elsewhere = words.is(range.from, "above below from given i you");
    (!value.is_empty() && !elsewhere).then(|| value.to_owned())
}

/// The description that a range names: a literal, or what was read.
fn description(reader: &Reader<'_>, range: Range) -> Option<Content> {
    let words = reader.words;
    let cue = words.position(range, DESCRIPTION);
    let Some(cue) = cue else {
        let output = words.has(
            range,
            "output outputs contents content prints printed cat result shows",
        );
        return (output && names_or_saves(reader, range)).then_some(Content::Output);
    };
    // `put it in the description of a plan named X`
    let joint = (range.from + 1..cue)
        .rev()
        .take(3)
        .find(|at| words.is(*at, "in into as"));
    if joint.is_some_and(|joint| words.is(joint - 1, "it that this them")) {
        return Some(Content::Output);
    }
    let from = skip_connectors(reader, cue + 1, range.to);
    if words.is_quoted(from)
        && from < range.to
        && !is_command(words.inner(from).split(' ').next().unwrap_or(""))
    {
        return Some(Content::Literal(words.inner(from).into_owned()));
    }
    if (range.from..range.to).any(|at| words.is(at, OUTPUT))
        || (range.from..range.to).any(|at| {
            matches!(words.kind(at), Kind::Code)
                && is_command(words.inner(at).split(' ').next().unwrap_or(""))
        })
    {
        return Some(Content::Output);
    }
    if let Some(value) = value_before(reader, range, cue) {
        return Some(Content::Literal(value));
    }
    literal(reader, from, range.to).map(Content::Literal)
}

fn names_or_saves(reader: &Reader<'_>, range: Range) -> bool {
    names_tool(reader, range, "createplan") || reader.words.has(range, "plan")
}
