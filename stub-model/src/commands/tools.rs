//! Commands that call tools, the agent's own by their names.
//!
//! Must stay true: what a command says in the end is what its results say; a refusal is told as
//! one.

use serde_json::json;

use super::call::{Call, say};
use crate::conversation::{Event, Outcome, ToolResult};

/// The most calls in one reply.
const MAX_CALLS: u64 = 100;

/// The most bytes of output that are asked for.
const MAX_OUTPUT: u64 = 10 << 30;

/// What `/terminal` runs when nothing is said: three lines, one after the other.
const LIVE: &str = "for n in 1 2 3; do echo \"line $n\"; sleep 0.3; done";

pub(super) fn permission(call: &Call<'_>) -> Vec<Event> {
    shell(call, "echo permitted")
}

pub(super) fn terminal(call: &Call<'_>) -> Vec<Event> {
    shell(
        call,
        if call.argument.is_empty() {
            LIVE
        } else {
            call.argument
        },
    )
}

pub(super) fn big_output(call: &Call<'_>) -> Vec<Event> {
    let bytes = size(call.argument).unwrap_or(10 << 20).min(MAX_OUTPUT);
    shell(call, &format!("yes 0123456789 | head -c {bytes}"))
}

/// One command, and what became of it.
fn shell(call: &Call<'_>, command: &str) -> Vec<Event> {
    match call.results.first() {
        None => one(call, "shell", json!({ "command": command })),
        Some(result) => say(&told(result)),
    }
}

/// Writes a file, then changes one line of it.
pub(super) fn diff(call: &Call<'_>) -> Vec<Event> {
    const FILE: &str = "acp-demo.txt";
    match call.results.last() {
        None => {
            let content = "first line\nsecond line\nthird line\n";
            one(
                call,
                "write_file",
                json!({"path": FILE, "content": content}),
            )
        }
        Some(result) if result.outcome == Outcome::Completed && call.results.len() == 1 => {
            let edit = json!({
                "path": FILE,
                "old_text": "second line",
                "new_text": "second line, edited",
            });
            one(call, "edit_file", edit)
        }
        Some(result) => say(&told(result)),
    }
}

pub(super) fn parallel(call: &Call<'_>) -> Vec<Event> {
    if call.results.is_empty() && call.has("list_directory") {
        let calls = call.number(5, MAX_CALLS).max(1);
        let list = |number| Call::tool(number, "list_directory", json!({"path": "."}));
        return (0..usize::try_from(calls).unwrap_or(1)).map(list).collect();
    }
    let completed = |result: &&&ToolResult| result.outcome == Outcome::Completed;
    let done = call.results.iter().filter(completed).count();
    let all = call.results.len();
    say(&format!("{done} of {all} calls are completed."))
}

pub(super) fn switch_mode(call: &Call<'_>) -> Vec<Event> {
    let target = match (call.argument, call.conversation.mode) {
        ("", "plan") => "default",
        ("", _) => "plan",
        (mode, _) => mode,
    };
    match call.results.first() {
        None => one(call, "switch_mode", json!({ "mode": target })),
        Some(result) => say(&told(result)),
    }
}

/// One call, or the honest word that there is no such tool.
pub(super) fn one(call: &Call<'_>, tool: &str, arguments: serde_json::Value) -> Vec<Event> {
    if call.has(tool) {
        vec![Call::tool(call.results.len(), tool, arguments)]
    } else {
        say(&format!("There is no tool named {tool} here."))
    }
}

/// The longest result that is repeated, in bytes.
const REPEATED: usize = 500;

/// What became of a call, in words.
fn told(result: &ToolResult) -> String {
    let end = result.text.floor_char_boundary(REPEATED);
    let text = result.text[..end].trim();
    match result.outcome {
        Outcome::Completed => format!("It is done: {text}"),
        Outcome::Failed => format!("It failed: {text}"),
        Outcome::Refused => format!("It was not allowed: {text}"),
        Outcome::Cancelled => format!("It was cancelled: {text}"),
    }
}

/// `10MB`, `64k`, `5`.
pub(super) fn size(text: &str) -> Option<u64> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit)
}
