//! The words of ACP content, for a host that shows only words.
//!
//! Pure. What is not text is named in brackets, so that nothing is silently missing.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/content>
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#content>

use serde_json::Value;

use crate::fit::{MAX_OUTPUT, cut_units};

/// The text of a content block, or the name of its type.
pub fn block(block: &Value) -> String {
    match (block["type"].as_str(), block["text"].as_str()) {
        (Some("text") | None, Some(text)) => text.to_owned(),
        (Some("text") | None, None) => String::new(),
        (Some(other), _) => format!("[{other}]"),
    }
}

/// The output of a tool call, from its raw output and its content, cut to what the host takes.
pub fn output(update: &Value) -> String {
    let mut lines = Vec::new();
    match &update["rawOutput"] {
        Value::Null => {}
        Value::String(text) => lines.push(text.clone()),
        raw => lines.push(raw.to_string()),
    }
    for entry in update["content"].as_array().into_iter().flatten() {
        lines.push(match entry["type"].as_str() {
            Some("content") => block(&entry["content"]),
            Some("diff") => format!("[diff {}]", entry["path"].as_str().unwrap_or_default()),
            _ => entry.to_string(),
        });
    }
    let text = if lines.is_empty() {
        "{}".to_owned()
    } else {
        lines.join("\n")
    };
    cut_units(text, MAX_OUTPUT)
}

/// A plan as a list with boxes.
///
/// ACP: <https://agentclientprotocol.com/protocol/v1/agent-plan>
pub fn plan(update: &Value) -> String {
    let mut text = "Plan:".to_owned();
    for entry in update["entries"].as_array().into_iter().flatten() {
        let done = if entry["status"] == "completed" {
            'x'
        } else {
            ' '
        };
        let step = entry["content"].as_str().unwrap_or_default();
        text.push_str(&format!("\n- [{done}] {step}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_output_is_made_of_all_its_parts() {
        let text =
            |words: &str| json!({"type": "content", "content": {"type": "text", "text": words}});
        let table = [
            (json!({}), "{}"),
            (
                json!({"rawOutput": "out", "content": [text("block")]}),
                "out\nblock",
            ),
            (json!({"rawOutput": {"a": 1}}), r#"{"a":1}"#),
            (
                json!({"content": [{"type": "diff", "path": "p"}]}),
                "[diff p]",
            ),
            (
                json!({"content": [{"type": "content", "content": {"type": "image"}}]}),
                "[image]",
            ),
            (
                json!({"content": [{"type": "terminal", "terminalId": "t"}]}),
                r#"{"type":"terminal","terminalId":"t"}"#,
            ),
        ];
        for (update, expected) in table {
            assert_eq!(output(&update), expected, "{update}");
        }
    }
}
