//! `Read the file …`, `use cat to show …`: looking into files.
//!
//! Apart from writing, because a reading may name its file in another sentence, and because `cat`
//! says which tool is meant.

use super::Reader;
use crate::instruction::{Action, Lines, Via};
use crate::text::{Kind, Range};

const READ: &str = "read open view show display inspect examine check look load print see \
    study review parse summarise summarize get fetch cat output retrieve take describe explain";

/// Reads a clause in which `cat` is named.
pub(super) fn read_with_cat(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let cat = (clause.from..clause.to).find(|at| {
        words.is(*at, "cat cat's") || words.is_quoted(*at) && words.inner(*at) == "cat"
    })?;
    if cat + 1 < clause.to
        && words.kind(cat) == Kind::Word
        && raw_command(reader, cat + 1)
        && !words.is(start, "what the which")
    {
        return super::shell::command_from(reader, cat);
    }
    let verb = words.verb_is(start, READ)
        || words.verb_is(
            start,
            "use run execute call do start invoke apply with using",
        );
    if !verb {
        return None;
    }
    let named = reader.path_in(clause);
    if let Some((_, path)) = &named {
        reader.paths.push(path.clone());
    }
    let path = named
        .map(|(_, path)| path)
        .or_else(|| reader.last_path())
        .or_else(|| {
            let sentence = Range::new(clause.to, words.len().min(clause.to + 60));
            reader.path_in(sentence).map(|(_, path)| path)
        })?;
    let again = reader
        .request
        .actions
        .iter_mut()
        .find_map(|action| match action {
            Action::Read {
                path: read, via, ..
            } if *read == path => Some(via),
            _ => None,
        });
    match again {
        Some(via) => *via = Via::Shell,
        None => reader.act(Action::Read {
            path,
            via: Via::Shell,
            lines: None,
        }),
    }
    Some(clause.to)
}

/// Whether what follows `cat` is its arguments, and no prose.
fn raw_command(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    words.inner(at).starts_with('-')
        || words.inner(at).starts_with('$')
        || words.kind(at) != Kind::Code && reader.path_at(at).is_some() && !words.is(at - 1, "file")
}

/// Reads `read X`, `open it`, `look at the attached file`.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let looks = words.any_phrase(start, "have a look").is_some();
    if !words.verb_is(start, READ) && !looks {
        return None;
    }
    let plain = words.verb_is(
        start,
        "read open view inspect examine study review load summarise summarize parse",
    );
    let pointing = words.has(
        clause,
        "file it this that note document attached attachment them resource contents",
    );
    let picture = words.has(clause, "image picture photo screenshot png");
    let named = reader.path_in(clause);
    if named.is_none()
        && words.verb_is(start, "describe explain output print show see check")
        && picture
    {
        return None;
    }
    let path = match named {
        Some((_, path)) => {
            reader.paths.push(path.clone());
            Some(path)
        }
        None if plain && pointing && !picture
            || words.has(clause, "file")
                && words.verb_is(start, "look show check display print see") =>
        {
            reader.last_path()
        }
        None => None,
    };
    let Some(path) = path else {
        // What came along with the prompt needs no tool to be read.
        return (plain && pointing && !reader.prompt.resources.is_empty()).then(|| {
            reader.ask(clause);
            clause.to
        });
    };
    read_all(reader, clause, path);
    if words.has(clause, "word marker secret token colour color") && !words.has(clause, "count") {
        reader.ask(clause);
    }
    Some(clause.to)
}

/// Reads all files that a clause names, or this one when it names none; each once.
fn read_all(reader: &mut Reader<'_>, clause: Range, path: String) {
    let named = (clause.from..clause.to).filter_map(|at| reader.path_at(at));
    let mut files: Vec<String> = named.collect();
    if files.is_empty() {
        files.push(path);
    }
    let via = reader.via(clause.from, clause);
    let lines = lines(reader, clause);
    for path in files {
        let mut actions = reader.request.actions.iter();
        let known = actions
            .any(|action| matches!(action, Action::Read { path: known, .. } if *known == path));
        if !known {
            reader.act(Action::Read { path, via, lines });
        }
    }
}

/// `the first 10 lines`, `lines 3 to 5`, `line 7`.
fn lines(reader: &Reader<'_>, clause: Range) -> Option<Lines> {
    let words = reader.words;
    let at = words.position(clause, "line lines")?;
    let number = |at: usize| words.word(at).parse::<u64>().ok();
    if let Some(count) = at.checked_sub(1).and_then(number)
        && words.has(Range::new(clause.from, at), "first")
    {
        return Some(Lines {
            first: 1,
            count: Some(count),
        });
    }
    let span = words.word(at + 1);
    if let Some((first, last)) = span.split_once(['-', '–'])
        && let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>())
    {
        return Some(Lines {
            first,
            count: Some(last.saturating_sub(first).saturating_add(1)),
        });
    }
    let first = number(at + 1)?;
    let last = words
        .is(at + 2, "to through until and")
        .then(|| number(at + 3))
        .flatten();
    Some(Lines {
        first,
        count: Some(last.map_or(1, |last| last.saturating_sub(first).saturating_add(1))),
    })
}
