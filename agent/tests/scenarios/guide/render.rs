//! Recorded lines as they stand in the guide: the same each time, and short enough to be read.

use serde_json::{Map, Value};

use super::wire::Way;

/// Longer texts are cut.
const MAX_TEXT: usize = 100;

/// Longer base64 is cut.
const MAX_DATA: usize = 24;

/// Longer lists are cut.
const MAX_ITEMS: usize = 2;

/// Members that change from run to run, and what stands for them.
const CHANGING: [(&str, &str); 4] = [
    ("updatedAt", "2026-01-02T03:04:05Z"),
    ("version", "1.0.0"),
    ("elicitationId", "elicitation_1"),
    ("nextCursor", "eyJ…"),
];

/// Fewer chunks in a row than this are shown.
const MANY: usize = 4;

/// Lines as one block; `replaced` are words of the run, and what stands for them.
pub fn render(lines: &[(Way, String)], replaced: &[(String, &str)]) -> String {
    let mut block = String::new();
    let chunk = |line: &(Way, String)| line.1.contains("\"agent_message_chunk\"");
    for run in lines.chunk_by(|one, next| chunk(one) && chunk(next)) {
        // Of many chunks in a row, the first and the last.
        let (first, last) = match run.len() {
            many if many > MANY => (&run[..1], &run[many - 1..]),
            _ => (run, &run[..0]),
        };
        let left_out = run.len() - first.len() - last.len();
        first
            .iter()
            .for_each(|line| push(&mut block, line, replaced));
        if left_out > 0 {
            block.push_str(&format!("   … {left_out} more chunks\n"));
        }
        last.iter()
            .for_each(|line| push(&mut block, line, replaced));
    }
    block
}

fn push(block: &mut String, (way, line): &(Way, String), replaced: &[(String, &str)]) {
    let sign = match way {
        Way::ToAgent => "->",
        Way::ToClient => "<-",
    };
    block.push_str(&format!("{sign} {}\n", short(line, replaced)));
}

fn short(line: &str, replaced: &[(String, &str)]) -> String {
    let mut line = line.to_owned();
    for (word, by) in replaced {
        line = line.replace(word.as_str(), by);
    }
    match serde_json::from_str::<Value>(&line) {
        Ok(Value::Object(mut message)) => {
            message.remove("jsonrpc");
            ordered(cut(Value::Object(message), "")).to_string()
        }
        _ => line,
    }
}

/// The id first, as people read it.
fn ordered(message: Value) -> Value {
    let Value::Object(mut members) = message else {
        return message;
    };
    let mut first = Map::new();
    for name in ["id", "method"] {
        if let Some(value) = members.remove(name) {
            first.insert(name.to_owned(), value);
        }
    }
    // What is taken from the middle leaves the rest in another order: it is put in one.
    let mut rest: Vec<_> = members.into_iter().collect();
    rest.sort_by(|one, other| one.0.cmp(&other.0));
    first.extend(rest);
    Value::Object(first)
}

fn cut(value: Value, name: &str) -> Value {
    if let Some((_, by)) = CHANGING.iter().find(|(changing, _)| *changing == name)
        && value.is_string()
    {
        return (*by).into();
    }
    match value {
        Value::String(text) => {
            let most = if name == "data" { MAX_DATA } else { MAX_TEXT };
            let shown: String = text.chars().take(most).collect();
            match shown.len() == text.len() {
                true => text.into(),
                false => format!("{shown}…").into(),
            }
        }
        Value::Array(items) => {
            let all = items.len();
            // The options of a permission request are what its answer names.
            let whole = ["entries", "content", "prompt"].contains(&name)
                || items.iter().any(|item| item.get("optionId").is_some());
            let keep = if whole { all } else { MAX_ITEMS.min(all) };
            let mut shown: Vec<_> = items
                .into_iter()
                .take(keep)
                .map(|item| cut(item, ""))
                .collect();
            if keep < all {
                shown.push(format!("… {} more", all - keep).into());
            }
            Value::Array(shown)
        }
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .map(|(name, value)| {
                    let value = cut(value, &name);
                    (name, value)
                })
                .collect(),
        ),
        other => other,
    }
}
