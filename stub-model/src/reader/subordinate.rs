//! Clauses that only say when, how or that something is not to be done.
//!
//! Apart from the families, because they stand in front of instructions of every kind: negations,
//! `once it is done, …`, `in the terminal, …`, `use the shell to …`.

use super::Reader;
use crate::text::{Kind, Range};

/// Reads one such clause; answers where the instruction behind it starts.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    narration(reader, start)
        .or_else(|| negation(reader, start))
        .or_else(|| purpose(reader, start))
        .or_else(|| condition(reader, start))
        .or_else(|| time(reader, start))
        .or_else(|| allowed_tools(reader, start))
        .or_else(|| instrument(reader, start))
}

/// `I attached an image and put a file at a.txt`: what the user did is not to be done again.
fn narration(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.clause_end(start);
    let verb = words.skip_fillers(end);
    let tells =
        words.is(start, "i i've we we've") && !words.has(Range::new(start, end), "you want");
    if !tells || !words.is(verb, "put set read left kept") || words.ends_sentence(end) {
        return None;
    }
    let end = words.clause_end(verb);
    reader.mention(Range::new(start, end));
    Some(end)
}

/// `Use only cat, create_plan and get_plan.`: which tools are allowed, and nothing to do.
fn allowed_tools(reader: &Reader<'_>, start: usize) -> Option<usize> {
    const AROUND: &str = "only just the tools tool commands command and or these following two \
        three cat shell your mcp rondar for this task server nothing else";
    let words = reader.words;
    let end = words.sentence_end(start);
    if !words.verb_is(start, "use") || end - start > 30 {
        return None;
    }
    let is_tool = |at: usize| {
        let inner = words.inner(at);
        crate::arguments::find_tool(reader.tools, &inner).is_some()
    };
    let names = (start + 1..end)
        .filter(|at| is_tool(*at) && !words.is(*at, AROUND))
        .count();
    let only = (start + 1..end)
        .all(|at| matches!(words.kind(at), Kind::Mark(_)) || words.is(at, AROUND) || is_tool(at));
    (names > 1 && only).then_some(end)
}

/// `Do not …`, `never …`, `no need to …`, `without …`: nothing is done.
fn negation(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let negated = words.is(start, "don't dont never avoid without refrain")
        || words.is(start, "no nothing none") && !words.ends_sentence(start + 1)
        || words.is(start, "do must should may need is are was")
            && words.is(start + 1, "not nothing")
        || words.is(start, "not")
        || words.is(start, "you i there it")
            && (words.is(start + 2, "not never")
                || words.is(
                    start + 1,
                    "mustn't shouldn't can't cannot needn't don't won't",
                ))
            && words.is(start, "you");
    let only = words
        .any_phrase(start, "nothing but|nothing except|nothing other than")
        .is_some();
    let forget = words
        .any_phrase(start, "don't forget|do not forget|never forget")
        .is_some();
    let end = words.clause_end(start);
    let instead = Range::new(start, end).near().find(|at| {
        matches!(words.kind(*at), Kind::Mark(':'))
            && words.starts_action(words.skip_fillers(at + 1))
    });
    // `No preamble: X is your whole reply.`
    let words_behind = Range::new(start, end).near().find(|at| {
        matches!(words.kind(*at), Kind::Mark(':')) && words.is(at + 2, "is should must has")
    });
    (negated && !forget && !only).then(|| match instead {
        None if words_behind.is_some() => words_behind.map_or(end, |colon| colon + 1),
        // `Don't do anything else: just run …`
        Some(colon) if words.has(Range::new(start, colon), "else more other") => colon + 1,
        _ => end,
    })
}

/// `To confirm that you hear us, …`: what for, in front of the instruction.
fn purpose(reader: &Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let to = start.checked_sub(1).filter(|to| words.is(*to, "to"))?;
    if to > 0 && !words.ends_sentence(to - 1) && !words.ends_sentence(to) {
        return None;
    }
    let comma = (start..words.sentence_end(start))
        .find(|at| matches!(words.kind(*at), Kind::Mark(',')))
        .filter(|comma| words.starts_action(words.skip_fillers(comma + 1)))?;
    Some(comma + 1)
}

/// `If you can, …` is politeness; any other condition is not decided here, and what depends on it
/// is left alone.
fn condition(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if let Some(next) = words.any_phrase(start, "if so|if yes") {
        // The question was only asked to go on from: `Are you there? If so, …`
        if reader
            .asks
            .last()
            .is_some_and(|(_, asked)| asked.to + 2 >= start)
        {
            reader.asks.pop();
        }
        return Some(next);
    }
    if !words.is(start, "if unless otherwise in")
        || words.is(start, "in") && !words.is(start + 1, "case")
    {
        return None;
    }
    let sentence = Range::new(start, words.sentence_end(start));
    let comma = (start..sentence.to)
        .find(|at| matches!(words.kind(*at), Kind::Mark(',')) || words.is(*at, "then"));
    let head = Range::new(start, comma.unwrap_or(sentence.to));
    let polite = words.has(head, "you possible ok okay ready")
        && words.has(
            head,
            "can could possible understand understood mind ready ok okay would please want like \
                got hear see are able",
        )
        && !words.has(head, "cannot can't find fail fails not");
    match comma {
        Some(comma) if polite => Some(comma + 1),
        _ => Some(sentence.to),
    }
}

/// `Once you have it, …`, `when that is done, …`, `before you answer, …`.
fn time(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let as_soon = words.any_phrase(start, "as soon as").is_some();
    if !(as_soon
        || words.is(
            start,
            "once when after before while since because as whenever until for given having upon",
        ))
    {
        return None;
    }
    if words.is(start, "when") && is_question(reader, start) {
        return None;
    }
    if words.is(start, "for") && words.is(start + 1, "now") {
        return Some(start + 2);
    }
    let inner = words.skip_fillers(start + 1);
    if words.is(start, "after having upon before for")
        && words.is(start + 1, "that this")
        && !(words.is(start, "for") && words.kind(start + 2) == Kind::Word)
    {
        return Some(start + 2);
    }
    if words.is(start, "after before upon having")
        && words.starts_action(inner)
        && !words.is(start + 1, "replying answering responding")
    {
        return Some(inner);
    }
    let end = words.sentence_end(start);
    let comma = (start..end).find(|at| matches!(words.kind(*at), Kind::Mark(',' | ':')));
    reader.mention(Range::new(start, comma.unwrap_or(end)));
    Some(comma.map_or_else(|| words.clause_end(start), |comma| comma + 1))
}

/// Whether the sentence at `start` ends with a question mark.
pub(super) fn is_question(reader: &Reader<'_>, start: usize) -> bool {
    matches!(
        reader.words.kind(reader.words.sentence_end(start)),
        Kind::Mark('?')
    )
}

/// `In the terminal, …`, `using the shell: …`, `use a shell command to …`.
fn instrument(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    if words.is(start, "shell terminal bash")
        && words.is(start + 1, "task job step action request")
        && matches!(words.kind(start + 2), Kind::Mark(':'))
    {
        reader.shell_until = words.sentence_end(start);
        return Some(start + 3);
    }
    if !words.verb_is(
        start,
        "in on via through with use from by open start have let ask tell",
    ) {
        return None;
    }
    let (after, cat) = noun(reader, start + 1)?;
    let next = after
        + usize::from(matches!(
            words.kind(after),
            Kind::Mark(',' | ':' | ';' | '—')
        ));
    let next = words
        .any_phrase(next, "in order to|and do|so as to|to do")
        .unwrap_or(next);
    if words.ends_sentence(after) || words.is(after, "for") {
        reader.by_shell |= !cat;
        reader.by_cat |= cat;
        return Some(words.clause_end(start).max(after));
    }
    if cat {
        return None;
    }
    if words.is_quoted(next) && next == after {
        return super::shell::command_from(reader, next);
    }
    reader.shell_until = words.sentence_end(start);
    if words.is(next, "this exactly the as precisely")
        || matches!(words.kind(after), Kind::Mark(':'))
    {
        return super::shell::command_from(reader, next);
    }
    // What follows must be an instruction; a command may follow a colon or a comma.
    let verb = words.skip_fillers(next);
    if words.starts_action(verb) {
        Some(next)
    } else {
        super::shell::command_from(reader, verb)
    }
}

/// `the shell`, `a terminal command`, `your bash tool`; or `cat`. Where it ends, and whether it is
/// `cat`.
fn noun(reader: &Reader<'_>, start: usize) -> Option<(usize, bool)> {
    let words = reader.words;
    let mut at = start + usize::from(words.is(start, "running executing using use"));
    let mut found = None;
    while at < start + 7 {
        if words.is(
            at,
            "the a an your my unix linux system single one built-in available its system's",
        ) {
            at += 1;
        } else if words.is(
            at,
            "shell terminal bash console command-line cli sh command",
        ) || found.is_some() && words.is(at, "prompt line")
        {
            found = Some(false);
            at += 1;
        } else if words.is(at, "cat") || (words.is_quoted(at) && words.inner(at) == "cat") {
            found = Some(true);
            at += 1;
        } else if found.is_some() && words.is(at, "tool utility program commands session window") {
            at += 1;
        } else {
            break;
        }
    }
    found.map(|cat| (at, cat))
}
