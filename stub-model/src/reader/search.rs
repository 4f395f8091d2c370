//! `List the files`, `search for X in Y`.
//!
//! Apart from reading, because no file is named: a folder or a pattern is.

use super::Reader;
use crate::instruction::Action;
use crate::text::shape::is_marker;
use crate::text::{Kind, Range};

/// Reads the clauses of this family.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    if start < reader.shell_until && !words.verb_is(start, "list show search find grep") {
        return None;
    }
    list(reader, clause).or_else(|| search(reader, clause))
}

/// `List the files in src`, `what is in this folder?`, `show me the directory`.
fn list(reader: &mut Reader<'_>, clause: Range) -> Option<usize> {
    let words = reader.words;
    let start = clause.from;
    let verb = words.verb_is(start, "list show ls see tell give display print");
    let question = words.is(start, "what which");
    let files = words.has(clause, "files directory folder entries directories folders")
        || words.is(start, "list") && reader.path_in(clause).is_some();
    let from_text = words.has(clause, "tools requests numbers plan word working")
        || words.has(clause, "word line lines");
    if !(verb || question) || !files || from_text && !words.has(clause, "files") {
        return None;
    }
    if words.has(
        clause,
        "contains containing contain mention matching changed",
    ) {
        return None;
    }
    if question && !words.has(clause, "files entries") && !words.has(clause, "in inside") {
        return None;
    }
    let path = place(reader, clause).or_else(|| reader.path_in(clause).map(|(_, path)| path));
    if start < reader.shell_until || words.has(clause, "shell ls terminal") {
        let path = path.map_or(String::new(), |path| {
            format!(" {}", crate::text::shape::shell_quoted(&path))
        });
        reader.shell(format!("ls -la{path}"));
    } else {
        reader.act(Action::List {
            path: path.unwrap_or_else(|| ".".to_owned()),
        });
    }
    Some(clause.to)
}

/// `Search for X in src`, `find where foo is`, `grep TODO`, `which files contain X`.
fn search(reader: &mut Reader<'_>, clause: Range) -> Option<usize> {
    let words = reader.words;
    let start = clause.from;
    let verb = words.verb_is(start, "search find grep locate")
        || words.is(start, "look") && words.has(Range::new(start, clause.to), "for")
        || (words.is(start, "where")
            || words.is(start, "which") && words.is(start + 1, "file files lines"))
            && words.has(
                clause,
                "defined used contain contains mentioned mention occurs",
            );
    let word_of_file = words.is(start, "find")
        && words.is(start + 1, "the a")
        && words.is(start + 2, "word marker");
    if !verb
        || words.is(start + 1, "out")
        || word_of_file && words.has(Range::new(start, clause.to), "it file")
    {
        return None;
    }
    let pattern = pattern(reader, clause)?;
    let path = place(reader, clause).or_else(|| {
        reader
            .path_in(clause)
            .map(|(_, path)| path)
            .filter(|path| *path != pattern)
    });
    reader.act(Action::Search { pattern, path });
    Some(clause.to)
}

/// What to search for: quoted, or the word behind the verb.
fn pattern(reader: &Reader<'_>, clause: Range) -> Option<String> {
    let words = reader.words;
    if words.is(clause.from + 1, "it them") {
        return None;
    }
    let quoted = (clause.from + 1..clause.to).find(|at| words.is_quoted(*at));
    if let Some(at) = quoted {
        return Some(words.inner(at).into_owned());
    }
    let skip = |at: usize| {
        words.is(
            at,
            "for the all every where which what file files lines line that contain contains \
                containing mention mentions with word text string pattern any occurrences \
                occurrence of function in this is project through out uses use code folder me \
                are a symbol",
        ) || matches!(words.kind(at), Kind::Mark(':'))
    };
    let first =
        (clause.from + 1..clause.to).find(|at| !skip(*at) && reader.path_at(*at).is_none())?;
    let stop = (first + 1..clause.to)
        .find(|at| {
            words.is(
                *at,
                "in inside within under is are using with through across from defined used \
                    declared mentioned called occurs implemented",
            )
        })
        .unwrap_or(clause.to);
    let range = words.trimmed(Range::new(first, stop));
    let text = words.raw(range.from, range.to);
    let sound = !text.is_empty() && (text.split(' ').count() <= 4 || is_marker(text));
    sound.then(|| text.to_owned())
}

/// `in src`, `under ./a`, `inside "my folder"`.
fn place(reader: &Reader<'_>, clause: Range) -> Option<String> {
    let words = reader.words;
    let joint = (clause.from..clause.to)
        .rev()
        .find(|at| words.is(*at, "in inside under within of at"))?;
    let mut at = joint + 1;
    while words.is(at, "the folder directory my dir file") {
        at += 1;
    }
    if at >= clause.to
        || words.is(
            at,
            "this current working workspace project here it your repository repo codebase root \
                session's all that files",
        )
        || matches!(words.kind(at), Kind::Mark(_))
    {
        return None;
    }
    Some(words.inner(at).into_owned())
}
