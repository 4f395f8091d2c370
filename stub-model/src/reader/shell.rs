//! `Run …`: commands, lifted out of the text to the letter.
//!
//! Apart from the other families, because a command may hold anything: quotes, semicolons, `then`
//! and `and` are part of it, and only what cannot be meant for a shell ends it.

use super::Reader;
use crate::text::shape::{is_command, is_path};
use crate::text::{Kind, Range};

const RUN: &str = "run execute exec launch start perform issue invoke try do fire kick";

/// Reads `run X`, `execute the following command: X` and the like.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let call = words.verb_is(start, "use call")
        && words.is(start + 1, "this the")
        && words.has(Range::new(start, start + 5), "command");
    if words.verb_is(start, "take get capture use grab collect obtain") {
        return output_of(reader, start);
    }
    if !(words.verb_is(start, RUN)
        || call
        || words.is(start, "command cmd shell bash terminal")
            && matches!(words.kind(start + 1), Kind::Mark(':')))
    {
        return None;
    }
    if words.verb_is(start, "do try start perform issue") && !sure(reader, start) {
        return None;
    }
    command_from(reader, start + 1)
}

/// `Take the output of the command `cat a.txt``: to have it, the command has to run.
fn output_of(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    words.position(clause, "output result results stdout")?;
    let code = clause.near().find(|at| {
        matches!(words.kind(*at), Kind::Code | Kind::Quoted)
            && is_command(words.inner(*at).split(' ').next().unwrap_or(""))
    })?;
    reader.shell(self::code(reader, code));
    Some(clause.to)
}

/// Whether a verb that means many things is about a command here.
fn sure(reader: &Reader<'_>, start: usize) -> bool {
    let words = reader.words;
    let object = skip_nouns(reader, start + 1);
    let clause = Range::new(start, words.clause_end(start));
    start < reader.shell_until
        || matches!(words.kind(object), Kind::Code | Kind::Fence)
        || words.has(clause, "command shell terminal bash")
        || is_command(&words.inner(object))
}

/// Reads a command whose description or text starts at `at`.
pub(super) fn command_from(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    let object = skip_nouns(reader, at);
    if let Some(next) = described(reader, at, object) {
        return Some(next);
    }
    let object = words
        .any_phrase(
            object,
            "as written|as is|as it is|as given|as shown|word for word|verbatim",
        )
        .filter(|after| !words.touches(*after))
        .unwrap_or(object);
    let object = match words.kind(object) {
        // `a command, namely `ls``
        Kind::Mark(',' | '(') => words
            .any_phrase(object + 1, "namely|that is|this one")
            .unwrap_or(object),
        _ => object,
    };
    let pointing = (at..object).any(|at| words.is(at, "this following exactly these below"));
    if pointing
        && !words.is_quoted(object)
        && (words.starts_next(object) || matches!(words.kind(object), Kind::Mark(_)))
        || words.is(
            object,
            "this it these that those following exactly below above them",
        )
        || object > at
            && words.is(object - 1, "this following exactly these below")
            && words.ends_sentence(object)
        || (object > at && words.ends_sentence(object) && !words.is_quoted(object))
    {
        return pointed_at(reader, object);
    }
    if words.is(
        object,
        "anything something commands nothing any no tests everything",
    ) {
        return None;
    }
    if object == at + 1
        && words.is(at, "the a an my your")
        && !words.is_quoted(object)
        && !is_command(&words.word(object))
    {
        return before_noun(reader, object);
    }
    take(reader, object)
}

/// `the shell command`, `this exact bash command:` in front of the command itself.
pub(super) fn skip_nouns(reader: &Reader<'_>, start: usize) -> usize {
    const NOUNS: &str = "command commands cmd instruction tool script commandline line \
        one-liner program";
    const ADJECTIVES: &str = "the a an my your this these following exact exactly simple \
        single one off two three four unix linux me us out next given long-running only just \
        literally precisely in with";
    let words = reader.words;
    let mut at = start;
    for _ in 0..12 {
        let noun_next = words.is(at + 1, NOUNS) || matches!(words.kind(at + 1), Kind::Mark(':'));
        let skip = match words.kind(at) {
            Kind::Mark(':' | '—' | '–' | '=') => true,
            Kind::Word
                if words.is(at, ADJECTIVES) || words.is(at, "for") && words.is(at + 1, "me us") =>
            {
                true
            }
            Kind::Word if words.is(at, "shell bash terminal sh console zsh") => {
                noun_next
                    || at > start
                        && !words.inner(at + 1).starts_with('-')
                        && !is_path(&words.inner(at + 1))
            }
            Kind::Word if words.is(at, NOUNS) => !words.inner(at + 1).starts_with('-'),
            _ => false,
        };
        if !skip {
            break;
        }
        at += 1;
    }
    at
}

/// `a shell command that creates …`, `a command to list …`: what it should do is read on its own.
fn described(reader: &mut Reader<'_>, at: usize, object: usize) -> Option<usize> {
    let words = reader.words;
    let noun = Range::new(at, object);
    if !words.has(noun, "command commands script one-liner") || words.has(noun, "following") {
        return None;
    }
    let verb = if words.is(object, "to that which and") {
        object + 1
    } else {
        return None;
    };
    let verb = verb + usize::from(words.is(verb, "will can should just"));
    reader.shell_until = words.sentence_end(at);
    let third = words.word(verb);
    let base = third.strip_suffix('s').unwrap_or(&third);
    let known = [
        "create", "make", "write", "put", "append", "touch", "delete", "remove", "copy", "move",
        "rename", "list", "read", "print", "show", "search", "find", "add", "save", "store",
        "produce", "generate", "sleep",
    ];
    (known.contains(&base)).then_some(verb)
}

/// `run this`, `do exactly this and report`: the code, or what stands behind the next colon.
fn pointed_at(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    if words.is(at, "above") {
        return said_before(reader, at);
    }
    let end = words.len().min(at + 400);
    let below = words.is(at, "below") && !matches!(words.kind(at + 1), Kind::Mark(':'));
    if below && let Some(line) = (at + 1..end).find(|at| words.is_new_line(*at)) {
        return if words.kind(line) == Kind::Bullet {
            take_list(reader, line)
        } else {
            take(reader, line)
        };
    }
    let colon = (at..end).find(|at| matches!(words.kind(*at), Kind::Mark(':')));
    let code = (at..end).find(|at| matches!(words.kind(*at), Kind::Code | Kind::Fence));
    let bullet = (at..end.min(at + 12)).find(|at| words.kind(*at) == Kind::Bullet);
    let first = [colon.map(|at| at + 1), code].into_iter().flatten().min();
    match (first, bullet) {
        (_, Some(bullet)) if first.is_none_or(|first| bullet <= first + 1) => {
            take_list(reader, bullet)
        }
        (Some(first), _) => {
            let fence = code.filter(|code| words.kind(*code) == Kind::Fence);
            let start = fence.filter(|fence| *fence < first + 40).unwrap_or(first);
            take(reader, start)
        }
        (None, _) if words.is_new_line(at) && at < words.len() => take(reader, at),
        (None, _) => said_before(reader, at),
    }
}

/// `the command above`, `run it`: code that nothing was done with, or a command that is to be run
/// already.
fn said_before(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let end = reader.words.clause_end(at.saturating_sub(1)).max(at);
    match reader.loose_code.take() {
        Some(code) => reader.shell(code),
        None if reader.reads() => {}
        None => return None,
    }
    Some(end)
}

/// A list of commands, one an item.
fn take_list(reader: &mut Reader<'_>, bullet: usize) -> Option<usize> {
    let mut at = bullet;
    while reader.words.kind(at) == Kind::Bullet {
        match take(reader, at + 1) {
            Some(next) => at = next,
            None => break,
        }
        while matches!(reader.words.kind(at), Kind::Mark(_)) {
            at += 1;
        }
    }
    Some(at)
}

/// `the sleep 120 command`.
fn before_noun(reader: &mut Reader<'_>, object: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.clause_end(object);
    let noun = words.position(Range::new(object, end), "command")?;
    reader.shell(words.raw(object, noun));
    Some(end)
}

/// Words of English that no command starts with.
const NO_PROGRAM: &str = "not no nothing anything something the a an to and or above below as \
    it this that these those you your i we is are be must should with without so because only";

/// Takes the command that starts at `at`, and more of them when several are named in a row.
pub(super) fn take(reader: &mut Reader<'_>, at: usize) -> Option<usize> {
    let words = reader.words;
    if !words.is_quoted(at) || continues(reader, at + 1) {
        if words.is(at, NO_PROGRAM) {
            return None;
        }
        let end = command_end(reader, at);
        let command = words.raw(at, end);
        let command = command.strip_prefix("$ ").unwrap_or(command);
        reader.shell(command);
        return (!command.is_empty()).then_some(skip_tail(reader, end));
    }
    let mut at = at;
    loop {
        reader.shell(code(reader, at));
        at += 1;
        let mut next = at;
        while matches!(words.kind(next), Kind::Mark(',' | ';'))
            || words.is(next, "and then afterwards next")
        {
            next += 1;
        }
        if next == at || !words.is_quoted(next) {
            return Some(skip_tail(reader, at));
        }
        at = next;
    }
}

/// A quoted or fenced command, without the prompt signs of a console.
pub(super) fn code(reader: &Reader<'_>, at: usize) -> String {
    let inner = reader.words.inner(at);
    if inner.trim_start().starts_with("$ ") {
        let lines = inner
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("$ "));
        return lines.collect::<Vec<_>>().join("\n");
    }
    if reader.words.kind(at) == Kind::Fence {
        inner.trim_end().to_owned()
    } else {
        inner.trim().to_owned()
    }
}

/// Whether a quoted first word is only the beginning of a command.
fn continues(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    words.kind(at) == Kind::Word
        && !words.is_new_line(at)
        && (words.touches(at) || words.inner(at).starts_with(['-', '|', '>', '<', '&', '$']))
}

/// Where a command that is not quoted ends.
fn command_end(reader: &Reader<'_>, start: usize) -> usize {
    let words = reader.words;
    let mut at = start + 1;
    while at < words.len() && !words.is_new_command_line(at) && !ends_command(reader, at) {
        at += 1;
    }
    while at > start + 1
        && matches!(words.kind(at - 1), Kind::Mark('.' | ',' | '!' | ':'))
        && !words.inner(at - 1).starts_with("..")
    {
        at -= 1;
    }
    at
}

/// Whether the token at `at` cannot belong to a command any more.
fn ends_command(reader: &Reader<'_>, at: usize) -> bool {
    const TAILS: &str = "for me|in the shell|in a shell|in the terminal|in a terminal|\
        in bash|in your shell|in my terminal|in your terminal|using the shell|using your shell|\
        using a shell|using bash|using the terminal|with the shell|with your shell|with a shell|\
        with bash|via the shell|through the shell|with a timeout|from the shell|\
        from the command line|on the command line|with the terminal|as a shell|to completion|\
        until it|so that|so i|to see|to check|to show|exactly once|exactly as|as is|\
        as a command|once it|in one go|and nothing else|and only|if you|because|when you|\
        before you|in the foreground|to create|to read|to get|to find|to list|to print|as it is|\
        and its|and the output|and what|followed by";
    let words = reader.words;
    let behind = at + 1;
    match words.kind(at) {
        Kind::Mark('.' | '!' | '?') => {
            let next = words.inner(behind);
            words.is_new_line(behind)
                || words.kind(behind) == Kind::End
                || next.starts_with(|c: char| c.is_uppercase() || "\"'“(".contains(c))
                || words.starts_action(words.skip_fillers(behind))
        }
        Kind::Mark(',') => {
            words.is(
                behind,
                "then please and but which wait so as exactly once nothing",
            ) && !words.touches(behind)
                || joins(reader, behind)
        }
        Kind::Mark('(') => {
            !words.touches(at)
                && !matches!(words.kind(at - 1), Kind::Mark(_))
                && !words.is(at - 1, "&& || | ! then do in")
                && !is_command(&words.word(behind))
        }
        Kind::Mark('—' | '–' | '→') => !words.touches(at) && !words.touches(behind),
        Kind::Mark(';') => !words.touches(behind) && is_prose(reader, behind),
        Kind::Bullet => true,
        Kind::Word if words.is(at, "then") => !matches!(words.kind(at - 1), Kind::Mark(';' | ']')),
        Kind::Word if words.is(at, "and but before after") => {
            words.is(behind, "then finally afterwards")
                || joins(reader, behind)
                || words.any_phrase(at, TAILS).is_some()
        }
        Kind::Word if words.is(at, "please") => words.ends_sentence(behind),
        Kind::Word if words.is(at, "there here") => {
            words.ends_sentence(behind) || words.starts_next(behind)
        }
        Kind::Word => words.any_phrase(at, TAILS).is_some(),
        _ => false,
    }
}

/// Whether what follows a semicolon is an instruction in English and no command.
fn is_prose(reader: &Reader<'_>, at: usize) -> bool {
    let words = reader.words;
    if words.is(at, "i you it this we") && words.is(at + 1, "will am is may can should must have") {
        return true;
    }
    let verb = words.skip_fillers(at);
    words.starts_action(verb)
        && !is_command(&words.word(verb))
        && words.has(
            Range::new(verb + 1, verb + 6),
            "its the it me that for you your my with a",
        )
}

/// Whether an instruction, and no argument, starts at `at`.
fn joins(reader: &Reader<'_>, at: usize) -> bool {
    let verb = reader.words.skip_fillers(at);
    reader.words.starts_action(verb) && !reader.words.touches(at)
}

/// Skips `in the shell`, `for me`, `to completion` behind a command.
fn skip_tail(reader: &Reader<'_>, at: usize) -> usize {
    let words = reader.words;
    if words.is(
        at,
        "for in using with via through from on as to until exactly",
    ) && !words.is_new_line(at)
    {
        words.clause_end(at)
    } else {
        at
    }
}
