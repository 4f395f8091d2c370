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
    let mut end = words.clause_end(start);
    // `Create a file done.txt and write hello into it`: the second part is about the same file.
    let cut = words.skip_fillers(end);
    if words.verb_is(cut, "write put add")
        && words.has(Range::new(cut, words.clause_end(cut)), "it")
        && !words.has(Range::new(cut, words.clause_end(cut)), "back")
    {
        end = words.clause_end(cut);
    }
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
    let append = words.verb_is(start, "append add") && !words.has(clause, "new")
        || words.has_phrase(clause, "end of");
    let content = content(reader, clause, place);
    let more: Vec<String> = match content {
        Some((_, from)) => (place + 1..from.max(place + 1))
            .filter_map(|at| reader.path_at(at))
            .collect(),
        None => (place + 1..end)
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
    Some(end)
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
