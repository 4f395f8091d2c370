//! `Make a plan with 3 steps: …` and the modes: the model's own plan, shown while it works.
//!
//! Apart from `plan`, which saves plans with a tool: this one only says what will be done.

use super::Reader;
use crate::arguments;
use crate::instruction::Action;
use crate::text::{Kind, Range};

/// The most steps that a plan shows.
const MAX_STEPS: usize = 50;

/// Reads a request for a plan, or for another mode.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    mode(reader, start)
        .or_else(|| plan(reader, start))
        .or_else(|| begin(reader, start))
}

/// `Switch to default mode`, `leave plan mode`.
fn mode(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let changes = words.verb_is(start, "switch change go set enter use");
    let leaves = words.verb_is(start, "leave exit quit end stop");
    if !(changes || leaves) || !words.has(clause, "mode") && !words.has_phrase(clause, "plan-mode")
    {
        return None;
    }
    let word = words.position(clause, "mode")?;
    let to = words.position(Range::new(word, clause.to), "to into");
    let name = match to {
        Some(to) => words
            .inner(to + 1 + usize::from(words.is(to + 1, "the")))
            .into_owned(),
        None => {
            let from = (start + 1..word)
                .rev()
                .take_while(|at| !words.is(*at, "to into the from out of your a switch"))
                .last();
            from.map_or(String::new(), |from| {
                words
                    .raw(from, word)
                    .trim_matches(['"', '\'', '`'])
                    .to_owned()
            })
        }
    };
    let target = (changes && !name.is_empty()).then(|| name.to_ascii_lowercase().replace(' ', "-"));
    reader.act(Action::SwitchMode { mode: target });
    Some(clause.to)
}

/// `Make a plan with 3 steps: a, b, c`.
fn plan(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let verb = words.verb_is(
        start,
        "make create draw write show give prepare draft outline set plan produce propose \
            present build use",
    );
    let near = Range::new(start, (start + 7).min(clause.to));
    let list = words.has(near, "plan todo to-do checklist update_plan todos")
        || words.has(near, "steps") && words.has(near, "plan");
    if !verb
        || !list
        || words.has(near, "called titled named mode id")
        || reader.path_in(clause).is_some()
    {
        return None;
    }
    if words.has(near, "create_plan get_plan title")
        || (words.verb_is(start, "show give") && words.has(near, "the that my"))
        || words.verb_is(start, "use") && !words.has(near, "update_plan")
    {
        return None;
    }
    // The steps of a plan may name the tool that saves one: then they are to be done.
    let saves = words.has(
        Range::new(start, words.sentence_end(start)),
        "create_plan description title",
    ) || words.has(Range::new(start, start + 60), "create_plan");
    if saves && arguments::find_tool(reader.tools, "create_plan").is_some() {
        return None;
    }
    let sentence_end = words.sentence_end(start);
    let colon = (start..sentence_end).find(|at| matches!(words.kind(*at), Kind::Mark(':' | '—')));
    let (steps, next) = match colon {
        Some(colon) if words.kind(colon + 1) == Kind::Bullet => bullets(reader, colon + 1),
        Some(colon) => (
            inline(reader, Range::new(colon + 1, sentence_end)),
            sentence_end,
        ),
        None if words.kind(sentence_end) == Kind::Bullet => bullets(reader, sentence_end),
        None => (Vec::new(), clause.to),
    };
    let steps = if steps.is_empty() {
        ["Look at what is asked", "Do it", "Report"]
            .map(str::to_owned)
            .to_vec()
    } else {
        steps
    };
    reader.request.plan = Some(steps);
    Some(next)
}

/// The items of a list, to its end.
fn bullets(reader: &Reader<'_>, first: usize) -> (Vec<String>, usize) {
    let words = reader.words;
    let mut at = first;
    let mut steps = Vec::new();
    while words.kind(at) == Kind::Bullet && steps.len() < MAX_STEPS {
        let end = words.sentence_end(at + 1);
        let end = if words.kind(at + 1) == Kind::Bullet {
            at + 1
        } else {
            end
        };
        let range = words.trimmed(Range::new(at + 1, end));
        if range.from < range.to {
            steps.push(words.raw(range.from, range.to).to_owned());
        }
        at = end;
        while matches!(words.kind(at), Kind::Mark(_)) {
            at += 1;
        }
    }
    (steps, at)
}

/// `a, b and c`, or `a; b; c`.
fn inline(reader: &Reader<'_>, range: Range) -> Vec<String> {
    let words = reader.words;
    let semicolons = (range.from..range.to).any(|at| matches!(words.kind(at), Kind::Mark(';')));
    let mut steps = Vec::new();
    let mut from = range.from;
    for at in range.from..=range.to {
        let parts = match words.kind(at) {
            _ if at == range.to => true,
            Kind::Mark(';') => true,
            Kind::Mark(',') => !semicolons,
            Kind::Word => words.is(at, "and then") && !semicolons && from < at,
            _ => false,
        };
        if parts {
            let from_word = (from..at)
                .find(|at| !words.is(*at, "and then"))
                .unwrap_or(at);
            let text = words.raw(from_word, at).trim_matches(['"', '\'', '`']);
            if from_word < at && !text.is_empty() && steps.len() < MAX_STEPS {
                steps.push(text.to_owned());
            }
            from = at + 1;
        }
    }
    steps
}

/// `… and start`, `then do it`: in plan mode the mode has to be left first.
fn begin(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let short = words.trimmed(clause).to - start <= 3;
    let begins = words.verb_is(start, "start begin execute implement proceed go carry");
    if reader.request.plan.is_none() || !begins || !short {
        return None;
    }
    reader.act(Action::SwitchMode { mode: None });
    Some(clause.to)
}
