//! The text that goes into a file.
//!
//! Apart from `write`, which knows the file: the text has to be told from the words around it, and
//! may come in a sentence of its own.

use super::Reader;
use crate::instruction::{Action, Content, Via};
use crate::text::{Kind, Range};

pub(super) const CUES: &str = "containing contains saying says holding contents content text reading \
    contain hold holds say read";

/// The text to write, and where it stands.
pub(super) fn content(
    reader: &Reader<'_>,
    clause: Range,
    place: usize,
) -> Option<(Content, usize)> {
    let words = reader.words;
    if words.kind(clause.to) == Kind::Fence {
        return Some((
            Content::Literal(words.inner(clause.to).into_owned()),
            clause.to,
        ));
    }
    if let Some(at) =
        (clause.from + 1..clause.to).find(|at| *at != place && words.kind(*at) == Kind::Fence)
    {
        return Some((Content::Literal(words.inner(at).into_owned()), at));
    }
    // `write X to Y`: the text stands between the verb and the file.
    let before = Range::new(clause.from + 1, place.min(clause.to));
    if words.verb_is(
        clause.from,
        "write put save store append add drop place record log echo print output insert redirect",
    ) && before.from < before.to
    {
        let joint = (before.from..before.to)
            .rev()
            .find(|at| words.is(*at, "to into in inside onto as at"));
        if let Some(joint) = joint
            && let Some(found) = text_between(reader, before.from, joint)
        {
            return Some((found, before.from));
        }
    }
    if let Some(found) = as_content(reader, clause) {
        return Some(found);
    }
    // `a file Y containing X`: the text stands behind a cue.
    let cue = (clause.from + 1..clause.to)
        .find(|at| {
            *at != place
                && *at > clause.from
                && words.is(*at, CUES)
                && !(words.is(*at, "text") && words.is(at + 1, "file"))
        })
        .or_else(|| words.position(Range::new(place, clause.to), "with write put add colon"))
        .or_else(|| {
            (place + 1..clause.to).find(|at| matches!(words.kind(*at), Kind::Mark(':' | '=')))
        })?;
    behind_cue(reader, clause, cue)
}

/// `with X as its only content`, `with X in it`.
fn as_content(reader: &Reader<'_>, clause: Range) -> Option<(Content, usize)> {
    let words = reader.words;
    let with = words.position(clause, "with")?;
    let joint = words.position(Range::new(with, clause.to), "as in inside")?;
    let content = words.is(joint, "as")
        && words.has(
            Range::new(joint, joint + 4),
            "content contents text line body",
        )
        || words.is(joint + 1, "it") && words.is(joint, "in inside");
    let text = (joint > with + 1 && content).then(|| text_between(reader, with + 1, joint))??;
    Some((text, with + 1))
}

/// What stands behind `containing` and the like.
fn behind_cue(reader: &Reader<'_>, clause: Range, cue: usize) -> Option<(Content, usize)> {
    let words = reader.words;
    let tool = words.is(cue, "with")
        && words.has(
            Range::new(cue, cue + 5),
            "shell command tool terminal bash touch echo printf path name",
        );
    if tool {
        let next = words.position(Range::new(cue + 1, clause.to), CUES)?;
        return behind_cue(reader, clause, next);
    }
    let mut at = cue + 1;
    while at < clause.to
        && (matches!(words.kind(at), Kind::Mark(':' | '=' | ','))
            || words.is(
                at,
                "the a exactly only just text word words line string content contents following \
                    this single one of is be must should sentence phrase value number set to \
                    that says containing",
            ))
    {
        at += 1;
    }
    if words.kind(at) == Kind::Fence || words.is_quoted(at) && at < clause.to {
        return Some((Content::Literal(words.inner(at).into_owned()), at));
    }
    let output = Range::new(cue, clause.to);
    if words.has(output, "output result") {
        return Some((Content::Output, at));
    }
    let stop = (at..clause.to).find(|at| {
        words.is(*at, "using via by through")
            || words.is(*at, "with in into inside to on as")
                && words.has(
                    Range::new(at + 1, at + 5),
                    "shell command terminal bash it tool content contents file working current \
                        folder directory workspace",
                )
            || (words.is(*at, "please") && words.ends_sentence(at + 1))
            || words.is(*at, "and") && words.is(at + 1, "nothing no")
    });
    let range = words.trimmed(Range::new(at, stop.unwrap_or(clause.to)));
    let text = words.raw(range.from, range.to);
    (!text.is_empty()).then(|| (Content::Literal(text.to_owned()), at))
}

/// The text between a verb and `to <file>`.
fn text_between(reader: &Reader<'_>, from: usize, to: usize) -> Option<Content> {
    let words = reader.words;
    let range = Range::new(from, to);
    if words.has(range, "id identifier")
        && reader
            .request
            .actions
            .iter()
            .any(|action| matches!(action, Action::CreatePlan { .. }))
    {
        return Some(Content::PlanId);
    }
    if words.has(range, "output result results")
        || words.has(range, "contents") && reader.reads()
        || words.is(from, "it that them") && reader.reads()
    {
        return Some(Content::Output);
    }
    if words.is(from, "a an the")
        && words.is(from + 1, "file new empty line")
        && (from..to).all(|at| !words.is_quoted(at))
        && !words.is(from + 1, "line")
    {
        return None;
    }
    let mut at = from;
    while at < to
        && (words.is(
            at,
            "the a this exactly only just text word words line string content contents \
                following single message sentence phrase value number new marker down another of",
        ) || matches!(words.kind(at), Kind::Mark(':')))
        && at + 1 < to
    {
        at += 1;
    }
    if words.is_quoted(at) && at < to {
        return Some(Content::Literal(words.inner(at).into_owned()));
    }
    let trimmed = words.trimmed(Range::new(at, to));
    let text = words.raw(trimmed.from, trimmed.to);
    (!text.is_empty() && trimmed.from < trimmed.to && !words.is(at, "it them"))
        .then(|| Content::Literal(text.to_owned()))
}

/// `It should contain X`, `the content must be X`, `put X in it`: about the file before.
pub(super) fn later_content(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let open = reader.request.actions.iter().rposition(|action| matches!(action, Action::Write { content: Content::Literal(text), .. } if text.is_empty()))?;
    let clause = Range::new(start, words.clause_end(start));
    let subject = words.is(
        start,
        "it its the with this content contents inside text that",
    );
    let inside = words.verb_is(start, "put write add fill insert")
        && (words.has(clause, "it there inside file"));
    let cue = words.position(clause, CUES);
    let found = match cue {
        Some(cue) if subject => behind_cue(reader, clause, cue),
        _ if inside => {
            let joint = words
                .position(clause, "in into there inside to")
                .unwrap_or(clause.to);
            text_between(reader, start + 1, joint)
                .map(|content| (content, start))
                .or_else(|| cue.and_then(|cue| behind_cue(reader, clause, cue)))
        }
        _ => None,
    };
    let (found, _) = found?;
    let is_fence = words.kind(clause.to) == Kind::Fence
        && matches!(&found, Content::Literal(text) if *text == words.inner(clause.to));
    let shell = reader.via(start, clause) == Via::Shell;
    if let Some(Action::Write { content, via, .. }) = reader.request.actions.get_mut(open) {
        *content = found;
        if shell {
            *via = Via::Shell;
        }
    }
    Some(clause.to + usize::from(is_fence))
}
