//! What a `session/update` says, as text for the transcript. Pure.
//!
//! Must stay true: an update of a kind that is not known says nothing; it is no error.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use serde_json::Value;

use crate::api::Role;

/// Something for the transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// A part of a message or thought. Parts with the same role, and the same message id if there is
    /// one, belong together.
    Part {
        role: Role,
        text: String,
        message: Option<String>,
    },
    /// The title of a tool call; a later one with the same id replaces it.
    Tool { call: String, title: String },
    /// The whole plan; a later one in the same turn replaces it.
    Plan(String),
}

/// What the params of a `session/update` say.
pub(super) fn said(params: &Value) -> Option<Said> {
    let update = &params["update"];
    match update["sessionUpdate"].as_str()? {
        "agent_message_chunk" => part(Role::Agent, update),
        "agent_thought_chunk" => part(Role::Thought, update),
        "tool_call" | "tool_call_update" => Some(Said::Tool {
            call: update["toolCallId"].as_str()?.to_owned(),
            title: update["title"].as_str()?.to_owned(),
        }),
        "plan" => {
            let lines: Vec<String> = update["entries"].as_array()?.iter().map(entry).collect();
            Some(Said::Plan(lines.join("\n")))
        }
        _ => None,
    }
}

fn part(role: Role, update: &Value) -> Option<Said> {
    let content = &update["content"];
    let text = match content["type"].as_str()? {
        "text" => content["text"].as_str()?.to_owned(),
        "resource_link" => format!("[{}]", content["uri"].as_str()?),
        other => format!("[{other}]"),
    };
    let message = update["messageId"].as_str().map(str::to_owned);
    Some(Said::Part {
        role,
        text,
        message,
    })
}

fn entry(entry: &Value) -> String {
    let mark = match entry["status"].as_str() {
        Some("completed") => 'x',
        Some("in_progress") => '>',
        _ => ' ',
    };
    format!("[{mark}] {}", entry["content"].as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Said, said};
    use crate::api::Role;

    #[test]
    fn updates_become_text() {
        let part = |role, text: &str, message: Option<&str>| {
            let (text, message) = (text.to_owned(), message.map(str::to_owned));
            Some(Said::Part {
                role,
                text,
                message,
            })
        };
        let tool = |call: &str, title: &str| {
            let (call, title) = (call.to_owned(), title.to_owned());
            Some(Said::Tool { call, title })
        };
        let text = json!({"type": "text", "text": "hi"});
        let plan = json!([
            {"content": "look", "status": "completed"},
            {"content": "do", "status": "in_progress"},
            {"content": "rest", "status": "pending"},
        ]);
        let table = [
            (
                json!({"sessionUpdate": "agent_message_chunk", "content": text}),
                part(Role::Agent, "hi", None),
            ),
            (
                json!({"sessionUpdate": "agent_message_chunk", "content": text, "messageId": "m"}),
                part(Role::Agent, "hi", Some("m")),
            ),
            (
                json!({"sessionUpdate": "agent_thought_chunk", "content": text}),
                part(Role::Thought, "hi", None),
            ),
            (
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": ""}}),
                part(Role::Agent, "[image]", None),
            ),
            (
                json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "resource_link", "uri": "file:///a"}}),
                part(Role::Agent, "[file:///a]", None),
            ),
            (
                json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Run"}),
                tool("c", "Run"),
            ),
            (
                json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "Ran"}),
                tool("c", "Ran"),
            ),
            (
                json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}),
                None,
            ),
            (
                json!({"sessionUpdate": "plan", "entries": plan}),
                Some(Said::Plan("[x] look\n[>] do\n[ ] rest".to_owned())),
            ),
            (json!({"sessionUpdate": "of_tomorrow"}), None),
            (json!({}), None),
        ];
        for (update, expected) in table {
            assert_eq!(said(&json!({"update": update})), expected, "{update}");
        }
    }
}
