//! Questions and other answers that are described, not given: `tell me the word`, `what is K?`.
//!
//! Apart from `reply`, which reads the words to say, because what a question is about depends on
//! the rest of the prompt: `the word` is in the file when there is one, in memory otherwise.

use super::Reader;
use super::image::is_about_images;
use crate::instruction::{Action, Want};
use crate::text::shape::is_command;
use crate::text::{Kind, Range};

/// Reads a question.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let end = words.sentence_end(start);
    let asks = words.is(
        start,
        "what which who where when how what's whats whose does did is are was can name repeat \
            recall list show identify report describe include mention state print get determine \
            find",
    ) || words.is(start, "see find know")
        && words.is(start + 1, "what which out how the")
        || words.is(start, "do") && words.is(start + 1, "you i we")
        || matches!(words.kind(end), Kind::Mark('?'));
    let asked = matches!(words.kind(end), Kind::Mark('?'));
    if matches!(words.kind(start + 1), Kind::Mark(':')) {
        return None;
    }
    let goes_on = reader
        .asks
        .last()
        .is_some_and(|(_, asked)| start <= asked.to + 4)
        && words.is(start, "the its also")
        && words.has(
            Range::new(start, words.clause_end(start)),
            "word marker colour color id output contents",
        );
    let asks = asks || goes_on;
    if !asks || words.ends_sentence(start + 1) && !words.is(start, "what report") && !asked {
        return None;
    }
    let clause = words.clause_end(start);
    reader.mention(Range::new(start, clause));
    reader.ask(Range::new(start, clause));
    Some(clause)
}

/// Turns the questions into wants, now that the whole prompt is known.
pub(super) fn finish(reader: &mut Reader<'_>) {
    let asks = std::mem::take(&mut reader.asks);
    let mut wants = std::mem::take(&mut reader.request.wants)
        .into_iter()
        .enumerate();
    let mut all: Vec<Want> = Vec::new();
    let mut seen = 0;
    for (place, range) in asks {
        while seen < place {
            all.extend(wants.next().map(|(_, want)| want));
            seen += 1;
        }
        if !all.is_empty() && only_points(reader, range) {
            continue;
        }
        for want in about(reader, range) {
            if !all.contains(&want) {
                all.push(want);
            }
        }
    }
    all.extend(wants.map(|(_, want)| want));
    // A wish without a verb: `the word in a.txt, please`.
    let named = !reader.paths.is_empty()
        || !reader.prompt.images.is_empty()
        || !reader.prompt.resources.is_empty();
    if all.is_empty()
        && reader.request.actions.is_empty()
        && reader.request.remembered.is_empty()
        && named
    {
        all = about(reader, Range::new(0, reader.words.len()));
        all.retain(|want| !matches!(want, Want::Fact(_)));
    }
    // `The secret, please.`: nothing else was understood, so it is asked for.
    let short = Range::new(0, reader.words.len().min(60));
    if all.is_empty() && !reader.request.understood && reader.words.has(short, WORD) && !named {
        all.push(Want::Fact(
            reader.words.raw(short.from, short.to).to_owned(),
        ));
    }
    // The word alone was asked for in the end, so the whole text is not.
    if all.contains(&Want::FileWord) {
        all.retain(|want| *want != Want::FileContent);
    }
    reader.request.wants = all;
}

const WORD: &str = "word words marker secret token code codeword passphrase password phrase \
    value string key number";
const CONTENT: &str = "content contents text says say contain contains inside written lines \
    line read saw found file";

/// `Reply with it`, `which one?`: what is meant was said before.
fn only_points(reader: &Reader<'_>, range: Range) -> bool {
    let words = reader.words;
    range.near().all(|at| {
        matches!(words.kind(at), Kind::Mark(_))
            || words.is(
                at,
                "it that this one them which what is was the only just exactly and nothing else \
                    please alone",
            )
    })
}

/// What a question is about.
fn about(reader: &mut Reader<'_>, range: Range) -> Vec<Want> {
    let mut wants = Vec::new();
    let words = reader.words;
    let range = if only_points(reader, range) {
        Range::new(range.from.saturating_sub(60), range.to)
    } else {
        range
    };
    if embedded_command(reader, range) {
        return vec![Want::Output];
    }
    if is_about_images(reader, range) {
        wants.push(Want::Colour);
    }
    let planned = reader
        .request
        .actions
        .iter()
        .any(|action| matches!(action, Action::CreatePlan { .. } | Action::GetPlan { .. }));
    if words.has(range, "id identifier ids plan-id planid plan_id id's")
        && (planned || words.has(range, "plan"))
    {
        wants.push(Want::PlanId);
    }
    wants.extend(history(reader, range));
    let both = words.has(range, "both each all them") && !reader.prompt.images.is_empty();
    if wants.is_empty() && both {
        wants.push(Want::Colour);
        let near = Range::new(range.from.saturating_sub(40), range.to);
        wants.extend(in_file(reader, near).map(|_| Want::FileWord));
        return wants;
    }
    let about_file = words.has(range, WORD)
        || words.has(range, "file note document") && words.has(range, CONTENT)
        || reader
            .path_in(range)
            .is_some_and(|(_, path)| !is_picture(&path));
    if !wants.is_empty() && !about_file {
        return wants;
    }
    if let Some(want) = in_file(reader, range) {
        wants.insert(0, want);
        return wants;
    }
    let ran = reader
        .request
        .actions
        .iter()
        .any(|action| !matches!(action, Action::SwitchMode { .. }));
    if wants.is_empty() && ran && !recalls(reader, range) {
        wants.push(Want::Output);
    }
    if wants.is_empty() {
        let fact = || Want::Fact(words.raw(range.from, range.to).to_owned());
        wants.push(surroundings(reader, range).unwrap_or_else(fact));
    }
    wants
}

/// Whether a path is that of a picture, by its name.
fn is_picture(path: &str) -> bool {
    let extension = path.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    ["png", "jpg", "jpeg", "gif", "webp", "bmp"].contains(&extension.as_str())
}

/// `what \`ls\` prints`, `the output of the command ls`: to know it, the command has to run.
fn embedded_command(reader: &mut Reader<'_>, range: Range) -> bool {
    let words = reader.words;
    if !words.has(
        range,
        "output print prints printed result show shows return returns stdout say says give gives",
    ) {
        return false;
    }
    let code = range.near().find(|at| {
        matches!(words.kind(*at), Kind::Code | Kind::Quoted)
            && is_command(words.inner(*at).split(' ').next().unwrap_or(""))
    });
    let bare = range
        .near()
        .skip(1)
        .find(|at| words.is(at - 1, "command") && is_command(&words.word(*at)));
    let command = code.map(|at| words.inner(at).into_owned()).or_else(|| {
        bare.map(|at| {
            words
                .raw(at, words.trimmed(Range::new(at, range.to)).to)
                .to_owned()
        })
    });
    let Some(command) = command else { return false };
    let known =
        reader.request.actions.iter().any(
            |action| matches!(action, Action::Shell { command: known, .. } if *known == command),
        );
    let planned = reader
        .request
        .actions
        .iter()
        .any(|action| matches!(action, Action::CreatePlan { .. }));
    if !known && !planned {
        reader.shell(command);
    }
    !planned
}

/// Whether a range asks for something that was said.
fn recalls(reader: &Reader<'_>, range: Range) -> bool {
    let words = reader.words;
    words.has(
        range,
        "remember remembered memorise memorised memorize memorized earlier told gave asked \
            mentioned said before recall memory shared taught",
    ) && !words.has(range, "file")
}

/// The word in a file, or all of it; the file is read if no step reads it yet.
fn in_file(reader: &mut Reader<'_>, range: Range) -> Option<Want> {
    let words = reader.words;
    let named = reader.path_in(range).map(|(_, path)| path);
    let asks_word = words.has(range, WORD);
    let asks_content = words.has(range, CONTENT) || words.has(range, "it there");
    if recalls(reader, range) && named.is_none() || !(asks_word || asks_content || named.is_some())
    {
        return None;
    }
    if words.has(range, "output result printed exit") && named.is_none() {
        return None;
    }
    let reads = reader.request.actions.iter().any(|action| match action {
        Action::Read { .. } => true,
        Action::Shell { command, .. } => command.contains("cat "),
        _ => false,
    });
    if let Some(path) = named {
        reader.ensure_read(&path);
    } else if !reads {
        match reader
            .paths
            .iter()
            .rev()
            .find(|path| !is_picture(path))
            .cloned()
        {
            Some(path) if reader.request.actions.is_empty() => reader.ensure_read(&path),
            _ if reader.prompt.resources.is_empty() => return None,
            _ => {}
        }
    }
    Some(if asks_word {
        Want::FileWord
    } else {
        Want::FileContent
    })
}

/// Questions about what was asked and answered before.
fn history(reader: &Reader<'_>, range: Range) -> Option<Want> {
    let words = reader.words;
    let past = words.has(
        range,
        "last previous earlier past before prior recent first so",
    );
    if words.has(
        range,
        "requests prompts messages questions request prompt question instructions message",
    ) && past
    {
        return Some(Want::Requests(how_many(reader, range)));
    }
    let asked = [
        "did i ask",
        "did i say",
        "have i asked",
        "i asked",
        "did i request",
    ]
    .iter()
    .any(|phrase| words.has_phrase(range, phrase));
    if asked
        && past
        && !words.has(
            range,
            "remember memorise memorize keep word secret code token name",
        )
    {
        return Some(Want::Requests(how_many(reader, range)));
    }
    let yours = [
        "did you say",
        "did you reply",
        "did you answer",
        "your last",
        "your previous",
        "you just said",
        "you said",
        "you replied",
    ]
    .iter()
    .any(|phrase| words.has_phrase(range, phrase));
    yours.then_some(Want::LastAnswer)
}

fn how_many(reader: &Reader<'_>, range: Range) -> usize {
    const NAMES: &[&str] = &[
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let words = reader.words;
    let number = (range.from..range.to).find_map(|at| {
        let word = words.word(at);
        NAMES
            .iter()
            .position(|name| *name == word)
            .or_else(|| word.parse().ok())
    });
    let many = words.has(
        range,
        "requests prompts messages questions instructions all",
    );
    number.unwrap_or(if many { usize::MAX } else { 1 })
}

/// Questions about the session itself.
fn surroundings(reader: &Reader<'_>, range: Range) -> Option<Want> {
    let words = reader.words;
    let asks_you = words.has(
        range,
        "you your this current we i session available offered",
    );
    if words.has(range, "tools tool can able capabilities")
        && asks_you
        && !words.has(range, "remember tell word")
    {
        return Some(Want::Tools);
    }
    if words.has(range, "mode") && !words.has_phrase(range, "plan mode") {
        return Some(Want::Mode);
    }
    (words.has(range, "directory folder cwd") && words.has(range, "working current in cwd"))
        .then_some(Want::Folder)
}
