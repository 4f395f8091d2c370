//! What there is to learn from a tool's result: its output, an id, whether it worked.
//!
//! Apart from the answer, because servers say the same thing in many ways: as structured values,
//! as JSON in a text, or in a sentence.

use serde_json::Value;

use crate::conversation::{Outcome, ToolResult};
use crate::text::shape::is_marker;
use crate::text::{Kind, Words};

/// Names of members that hold an id, best first.
const ID_KEYS: &[&str] = &["planid", "id", "identifier", "uuid", "key"];

/// How deep and how wide a structured result is searched.
const MAX_VALUES: usize = 10_000;

/// Whether a call did what it was meant to do.
pub(crate) fn worked(result: &ToolResult) -> bool {
    let status = result.structured.as_ref().and_then(|value| {
        ["exit_code", "exitCode", "exit_status", "exitStatus"]
            .iter()
            .find_map(|key| value.get(*key))
    });
    result.outcome == Outcome::Completed
        && status
            .and_then(Value::as_i64)
            .is_none_or(|status| status == 0)
}

/// What a call put out.
pub(crate) fn output(result: &ToolResult) -> String {
    let keys = ["stdout", "output", "content", "text"];
    let structured = result.structured.as_ref().and_then(|value| {
        keys.iter()
            .find_map(|key| value.get(*key))
            .and_then(Value::as_str)
    });
    let text = structured
        .filter(|text| !text.trim().is_empty())
        .unwrap_or(&result.text);
    text.trim_end().to_owned()
}

/// The id in a result.
pub(crate) fn id(result: &ToolResult) -> Option<String> {
    let structured = result.structured.as_ref().and_then(id_in_json);
    structured.or_else(|| id_in_text(&result.text))
}

/// Looks at each level before the levels below it, so that a plan's own id comes first.
fn id_in_json(value: &Value) -> Option<String> {
    let mut level = vec![value];
    let mut seen = 0;
    while !level.is_empty() && seen < MAX_VALUES {
        for key in ID_KEYS {
            for object in level.iter().filter_map(|value| value.as_object()) {
                let found = object
                    .iter()
                    .find(|(name, _)| crate::arguments::bare_name(name) == *key)
                    .and_then(|(_, value)| scalar(value));
                if found.is_some() {
                    return found;
                }
            }
        }
        seen += level.len();
        let below = level.iter().flat_map(|value| -> Vec<&Value> {
            match value {
                Value::Object(map) => map.values().collect(),
                Value::Array(list) => list.iter().collect(),
                _ => Vec::new(),
            }
        });
        level = below.take(MAX_VALUES).collect();
    }
    None
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn id_in_text(text: &str) -> Option<String> {
    let json = text.find(['{', '[']).and_then(|start| {
        serde_json::Deserializer::from_str(&text[start..])
            .into_iter::<Value>()
            .next()
    });
    if let Some(Ok(value)) = json
        && let Some(id) = id_in_json(&value)
    {
        return Some(id);
    }
    let text = text.trim();
    if !text.is_empty() && !text.contains(char::is_whitespace) {
        return Some(text.trim_matches(['"', '\'', '`', '.']).to_owned());
    }
    let words = Words::new(text);
    let labelled = |labels: &str| {
        (0..words.len())
            .filter(|at| words.is(*at, labels))
            .find_map(|at| {
                let mut value = at + 1;
                while matches!(words.kind(value), Kind::Mark(':' | '=' | '('))
                    || words.is(value, "is of the plan was id with #")
                {
                    value += 1;
                }
                let inner = words.inner(value);
                let sound = !inner.is_empty()
                    && (inner.chars().any(|c| c.is_ascii_digit())
                        || words.is_quoted(value)
                        || is_marker(&inner)
                        || labels.contains("id"));
                sound.then(|| inner.trim_start_matches('#').to_owned())
            })
    };
    labelled("id planid plan_id identifier uuid plan-id")
        .or_else(|| labelled("plan"))
        .or_else(|| {
            (0..words.len())
                .rev()
                .map(|at| words.inner(at))
                .find(|inner| is_marker(inner))
                .map(|inner| inner.into_owned())
        })
}
