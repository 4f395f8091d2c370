//! Changes to what is there: replace, delete, move, copy.
//!
//! Apart from writing, because each of these has two objects whose order matters.

use super::Reader;
use crate::instruction::Action;
use crate::text::{Kind, Range};

/// Reads the clauses of this family.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    if words.is(start, "in")
        && let Some((at, path)) = reader.path_in(clause)
    {
        reader.paths.push(path);
        let verb = words.skip_fillers(at + 1);
        return words
            .verb_is(verb, "replace change substitute swap edit")
            .then_some(verb);
    }
    if words.verb_is(start, "replace change substitute swap edit turn") {
        return edit(reader, clause);
    }
    if words.verb_is(start, "delete remove erase rm") {
        let paths: Vec<String> = (start + 1..clause.to)
            .filter_map(|at| reader.path_at(at))
            .collect();
        let again = words
            .has(clause, "it file")
            .then(|| reader.last_path())
            .flatten();
        let paths = if paths.is_empty() {
            Vec::from_iter(again)
        } else {
            paths
        };
        let found = !paths.is_empty();
        for path in paths {
            reader.act(Action::Delete { path });
        }
        return found.then_some(clause.to);
    }
    if words.verb_is(start, "rename move copy mv cp duplicate") {
        return two_paths(reader, clause);
    }
    None
}

/// `rename a to b`, `move it to b`, `copy a as b`.
fn two_paths(reader: &mut Reader<'_>, clause: Range) -> Option<usize> {
    let words = reader.words;
    let joint = words.position(clause, "to into as onto")?;
    let from = reader.path_in(Range::new(clause.from + 1, joint));
    let from = from.map(|(_, path)| path).or_else(|| reader.last_path())?;
    let target =
        (joint + 1..clause.to).find(|at| !words.is(*at, "the a new name file folder directory"))?;
    let to = reader
        .path_at(target)
        .unwrap_or_else(|| words.inner(target).into_owned());
    if matches!(words.kind(target), Kind::Mark(_)) {
        return None;
    }
    reader.paths.push(to.clone());
    let copies = words.verb_is(clause.from, "copy cp duplicate");
    reader.act(if copies {
        Action::Copy { from, to }
    } else {
        Action::Move { from, to }
    });
    Some(clause.to)
}

/// `replace foo with bar in a.txt`, `change "a" to "b"`.
fn edit(reader: &mut Reader<'_>, clause: Range) -> Option<usize> {
    let words = reader.words;
    let joint = words.position(Range::new(clause.from + 1, clause.to), "with to by into")?;
    let named = (clause.from + 1..clause.to).rev().find_map(|at| {
        let placed = words.has(
            Range::new(at.saturating_sub(3), at),
            "in inside file of within",
        );
        reader.path_at(at).filter(|_| placed).map(|path| (at, path))
    });
    let path = named
        .as_ref()
        .map(|(_, path)| path.clone())
        .or_else(|| reader.last_path())?;
    let old = side(reader, clause.from + 1, joint)?;
    let new = side(reader, joint + 1, clause.to)?;
    let all = words.has(clause, "all every everywhere each occurrences");
    reader.paths.push(path.clone());
    reader.act(Action::Edit {
        path,
        old,
        new,
        all,
    });
    Some(clause.to)
}

/// One of the two texts of a replacement.
fn side(reader: &Reader<'_>, from: usize, to: usize) -> Option<String> {
    let words = reader.words;
    let quoted = (from..to).find(|at| {
        words.is_quoted(*at) && !words.has(Range::new(at.saturating_sub(2), *at), "in file")
    });
    if let Some(at) = quoted {
        return Some(words.inner(at).into_owned());
    }
    let mut at = from;
    while at < to
        && words.is(
            at,
            "the word text string line all every each occurrence occurrences of occurence \
                instance instances any",
        )
    {
        at += 1;
    }
    let stop = (at..to)
        .find(|at| words.is(*at, "in inside within everywhere"))
        .unwrap_or(to);
    let range = words.trimmed(Range::new(at, stop));
    let text = words.raw(range.from, range.to);
    (!text.is_empty()).then(|| text.to_owned())
}
