//! Sentences on single steps: what a tool said, or why it did not work.
//!
//! Apart from the answer, which chooses what is said of a turn: these know one step each.
//!
//! Must stay true: a step that was refused, failed or cancelled is never told as done.

use crate::conversation::{Outcome, ToolResult};
use crate::instruction::Action;
use crate::progress::Step;
use crate::result;
use crate::text::shape::is_marker;
use crate::text::{Kind, Words};

/// How much of a file or of an output is repeated.
pub(crate) const MAX_REPORT: usize = 16 * 1024;

/// How much of an earlier request is repeated.
pub(crate) const MAX_QUOTE: usize = 300;

/// A sentence on a step that did not work.
pub(crate) fn failure(action: &Action, step: &Step<'_>) -> Option<String> {
    let what = described(action);
    match step {
        Step::Left(reason) => Some(reason.clone()),
        Step::Ran(result) => match result.outcome {
            Outcome::Completed => None,
            Outcome::Refused => Some(format!("I was not allowed to {what}{}", because(result))),
            Outcome::Failed => Some(format!("I could not {what}{}", because(result))),
            Outcome::Cancelled => Some(format!("It was cancelled before I could {what}.")),
        },
    }
}

fn because(result: &ToolResult) -> String {
    let text = shortened(result.text.trim());
    match text.contains('\n') {
        _ if text.is_empty() => ".".to_owned(),
        true => format!(":\n{text}"),
        false => format!(": {text}"),
    }
}

/// What a step that worked has to say.
pub(crate) fn success(action: &Action, step: &Step<'_>) -> String {
    let Step::Ran(result) = step else {
        return String::new();
    };
    if result.outcome != Outcome::Completed {
        return String::new();
    }
    let output = shortened(&result.text);
    match action {
        Action::Shell { .. }
        | Action::Read { .. }
        | Action::List { .. }
        | Action::Search { .. }
        | Action::Call { .. }
        | Action::GetPlan { .. } => {
            if output.trim().is_empty() {
                format!("I did {}; it gave no output.", described(action))
            } else {
                output
            }
        }
        Action::CreatePlan { title, .. } => match result::id(result) {
            Some(id) => format!("The plan \"{title}\" is saved; its ID is {id}."),
            None => format!("The plan \"{title}\" is saved."),
        },
        _ => format!("Done: {}.", described(action)),
    }
}

/// What an action does, for a sentence with `to`.
fn described(action: &Action) -> String {
    match action {
        Action::Shell { command, .. } => format!("run `{}`", clipped(command, MAX_QUOTE)),
        Action::Read { path, .. } => format!("read {path}"),
        Action::Write {
            path,
            append: false,
            ..
        } => format!("write {path}"),
        Action::Write {
            path, append: true, ..
        } => format!("append to {path}"),
        Action::Edit { path, .. } => format!("edit {path}"),
        Action::Folder { path } => format!("make the folder {path}"),
        Action::Delete { path } => format!("delete {path}"),
        Action::Move { from, to } => format!("move {from} to {to}"),
        Action::Copy { from, to } => format!("copy {from} to {to}"),
        Action::List { path } => format!("list {path}"),
        Action::Search { pattern, .. } => format!("search for {pattern}"),
        Action::CreatePlan { title, .. } => format!("save the plan \"{title}\""),
        Action::GetPlan { .. } => "read the plan back".to_owned(),
        Action::Call { tool, .. } => format!("call the tool {tool}"),
        Action::SwitchMode { mode: Some(mode) } => format!("change the mode to {mode}"),
        Action::SwitchMode { mode: None } => "leave the present mode, so I stay in it".to_owned(),
    }
}

/// The beginning of a long text, with a note on the rest.
pub(crate) fn shortened(text: &str) -> String {
    let text = text.trim_end();
    let start = clipped(text, MAX_REPORT);
    if start.len() == text.len() {
        return text.to_owned();
    }
    format!(
        "{start}\n… ({} more bytes are left out here)",
        text.len() - start.len()
    )
}

pub(crate) fn clipped(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

/// The word that a text is about: `the word is X`, or the one word there is.
pub(crate) fn word_in(text: &str) -> Option<String> {
    let trimmed = text.trim();
    if !trimmed.is_empty() && !trimmed.contains(char::is_whitespace) {
        return Some(trimmed.to_owned());
    }
    let words = Words::new(clipped(trimmed, MAX_REPORT));
    let nouns = "word marker secret token code codeword password passphrase value";
    let labelled = (0..words.len())
        .filter(|at| words.is(*at, nouns))
        .find_map(|at| {
            let sign =
                words.is(at + 1, "is = was") || matches!(words.kind(at + 1), Kind::Mark(':' | '='));
            let value = at + 2 + usize::from(matches!(words.kind(at + 2), Kind::Mark(':')));
            (sign && !words.inner(value).is_empty()).then(|| words.inner(value).into_owned())
        });
    let markers: Vec<String> = (0..words.len())
        .map(|at| words.inner(at))
        .filter(|inner| is_marker(inner))
        .map(|inner| inner.into_owned())
        .collect();
    labelled.or_else(|| {
        if let [marker] = markers.as_slice() {
            Some(marker.clone())
        } else {
            None
        }
    })
}
