//! `Create a file …`, `write X to Y`, `append`: making files and folders.
//!
//! Apart from the other changes to files, because the text to write has to be told from the words
//! around it.

use super::Reader;
use super::contents::{CUES, content, later_content};
use crate::instruction::{Action, Content, Via};
use crate::text::shape::{is_command, shell_quoted};
use crate::text::{Kind, Range};

const CREATE: &str = "create make generate touch produce write put save store append add \
    drop place record log set mkdir write_file new leave echo print output insert redirect copy \
    fill";

/// Reads the making of a file or a folder.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if let Some(next) = later_content(reader, start) {
        return Some(next);
    }
    if !words.verb_is(start, CREATE) {
        return None;
    }
    let end = end_of(reader, start);
    let clause = Range::new(start, end);
    let weak = words.verb_is(start, "print output echo copy set leave record log fill");
    if let Some(next) = given_command(reader, clause) {
        return Some(next);
    }
    if words.is(start + 1, "it them") && start < reader.shell_until {
        // `… exists; use a shell command to create it`: about the file before.
        if let Some(Action::Write { via, .. }) = reader.request.actions.last_mut() {
            *via = Via::Shell;
            return Some(end);
        }
    }
    let (place, path) = target(reader, clause)?;
    if weak
        && !words.has(
            Range::new(place.saturating_sub(4).max(start), place),
            "to into onto",
        )
    {
        return None;
    }
    let via = reader.via(start, clause);
    reader.paths.push(path.clone());
    if words.verb_is(start, "touch") {
        let paths: Vec<String> = (place..end)
            .filter_map(|at| reader.path_at(at))
            .map(|path| shell_quoted(&path))
            .collect();
        reader.shell(format!("touch {}", paths.join(" ")));
        return Some(end);
    }
    let folder = words.verb_is(start, "mkdir")
        || words.has(Range::new(start, place), "folder directory dir subfolder")
            && !words.has(Range::new(start, place), "file");
    if folder {
        reader.act(Action::Folder { path });
        return Some(end);
    }
    files(reader, clause, place, path, via);
    Some(end)
}

/// Where a request for a file ends: `Create a file done.txt and write hello into it` is one.
fn end_of(reader: &Reader<'_>, start: usize) -> usize {
    let words = reader.words;
    let end = words.clause_end(start);
    let cut = words.skip_fillers(end);
    let second = Range::new(cut, words.clause_end(cut));
    let same_file = words.verb_is(cut, "write put add")
        && words.has(second, "it")
        && !words.has(second, "back");
    if same_file { second.to } else { end }
}

/// Adds the writing of `path`, and of the other files that the clause names.
fn files(reader: &mut Reader<'_>, clause: Range, place: usize, path: String, via: Via) {
    let words = reader.words;
    let append = words.verb_is(clause.from, "append add") && !words.has(clause, "new")
        || words.has_phrase(clause, "end of");
    let content = content(reader, clause, place);
    let more: Vec<String> = match content {
        Some((_, from)) => (place + 1..from.max(place + 1))
            .filter_map(|at| reader.path_at(at))
            .collect(),
        None => (place + 1..clause.to)
            .filter_map(|at| reader.path_at(at))
            .filter(|next| *next != path)
            .collect(),
    };
    let content = content.map_or(Content::Literal(String::new()), |(content, _)| content);
    for path in std::iter::once(path).chain(more) {
        reader.act(Action::Write {
            path,
            content: content.clone(),
            via,
            append,
        });
    }
}

/// A command that is given with the request: `by running touch a.txt`.
fn given_command(reader: &mut Reader<'_>, clause: Range) -> Option<usize> {
    let words = reader.words;
    for at in clause.from + 1..clause.to.saturating_add(2) {
        if at > clause.to && words.kind(at) != Kind::Fence {
            continue;
        }
        let inner = words.inner(at);
        let first = inner.split_whitespace().next().unwrap_or("");
        let told = (clause.from..at).rev().take(4).any(|at| {
            words.is(
                at,
                "command running executing run via using this with shell through",
            )
        });
        let literal = (clause.from..at)
            .rev()
            .take(3)
            .any(|at| words.is(at, CUES) && !words.is(at, "contents") || words.is(at, "line word"));
        if words.is_quoted(at) && is_command(first) && inner.contains(' ') && told && !literal {
            reader.shell(inner.trim().to_owned());
            return Some(at + 1);
        }
        if words.kind(at) == Kind::Word
            && is_command(first)
            && words.is(at - 1, "command running executing")
            || matches!(words.kind(at - 1), Kind::Mark(':'))
                && words.is(at.saturating_sub(2), "command shell")
                && is_command(first)
        {
            return super::shell::command_from(reader, at);
        }
    }
    None
}

/// The file that a clause writes to.
fn target(reader: &Reader<'_>, clause: Range) -> Option<(usize, String)> {
    let words = reader.words;
    let verb_writes = words.verb_is(
        clause.from,
        "write put save store append add drop place record log echo print output insert redirect",
    );
    let found =
        (clause.from + 1..clause.to).filter_map(|at| reader.path_at(at).map(|path| (at, path)));
    let mut found: Vec<_> = found.collect();
    if verb_writes {
        let behind = |at: usize| {
            let before = Range::new(at.saturating_sub(4), at);
            words.has(
                before,
                "to into in inside onto as file named called under at of",
            )
        };
        if let Some(place) = found
            .iter()
            .rposition(|(at, _)| behind(*at) && !words.is_quoted(*at))
            .or_else(|| found.iter().rposition(|(at, _)| behind(*at)))
        {
            return Some(found.swap_remove(place));
        }
    }
    if !found.is_empty() {
        return Some(found.swap_remove(0));
    }
    if let Some(path) = named_later(reader, clause) {
        return Some((clause.to, path));
    }
    if words.verb_is(clause.from, "create make touch") && words.is(clause.from + 1, "it") {
        return reader.last_path().map(|path| (clause.from + 1, path));
    }
    let same = words.has(clause, "it file there")
        && words.verb_is(clause.from, "append add write put")
        && !words.has(clause, "plan");
    let writes = reader
        .request
        .actions
        .iter()
        .any(|action| matches!(action, Action::Write { .. }));
    (same && (writes || !reader.paths.is_empty()))
        .then(|| reader.last_path().map(|path| (clause.to, path)))
        .flatten()
}

/// `Create a file. Its name is a.txt`: the name in one of the next sentences.
fn named_later(reader: &Reader<'_>, clause: Range) -> Option<String> {
    const NEAR: usize = 40;
    let words = reader.words;
    let new_file = words.has(clause, "file") && words.has(clause, "a an new empty one");
    let label = (clause.to..words.len().min(clause.to + NEAR))
        .find(|at| words.is(*at, "name named path filename called"))?;
    let value = (label + 1..label + 8).find(|at| {
        !matches!(words.kind(*at), Kind::Mark(_))
            && !words.is(*at, "of the file is must should be its new shall to has")
    })?;
    if !new_file || words.has(Range::new(clause.to, label), "plan reply") {
        return None;
    }
    let inner = words.inner(value);
    let is_name = words.is_quoted(value) || reader.path_at(value).is_some();
    (is_name && !inner.contains('\n')).then(|| inner.trim().to_owned())
}
