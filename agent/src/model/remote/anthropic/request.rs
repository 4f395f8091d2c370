//! A conversation as a request for a message.
//!
//! API: <https://docs.anthropic.com/en/api/messages>

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};

use crate::model::{
    Conversation,
    remote::{
        instructions::instructions,
        transcript::{Call, Ended, Entry, Piece, offered, transcript},
    },
};

/// The version of the API that is spoken, for its header.
pub(in super::super) const VERSION: &str = "2023-06-01";

/// The most tokens of a reply, when nothing else was said: the API wants a number. All models
/// since 2025 can say as much, and it is enough for the text of a large file.
const MAX_TOKENS: u32 = 32_000;

/// The body of the request.
pub(in super::super) fn request(
    model: &str,
    max_tokens: Option<u32>,
    conversation: &Conversation<'_>,
) -> Value {
    let mut messages: Vec<Value> = transcript(conversation.messages)
        .into_iter()
        .map(|entry| match entry {
            Entry::User(pieces) => message("user", pieces.iter().map(said).collect()),
            Entry::Model(text, calls) => message("assistant", answered(&text, &calls)),
            Entry::Results(results) => message("user", results.iter().map(result).collect()),
        })
        .collect();
    // The server keeps what it has read up to here and reads only what is new the next time.
    let last = messages.last_mut().map(|last| &mut last["content"]);
    if let Some(Value::Array(blocks)) = last
        && let Some(block) = blocks.last_mut()
    {
        block["cache_control"] = kept();
    }
    let system = instructions(conversation.cwd, conversation.mode);
    let tool = |tool| {
        let (name, description, schema) = offered(tool);
        json!({"name": name, "description": description, "input_schema": schema})
    };
    json!({
        "model": model,
        "max_tokens": max_tokens.unwrap_or(MAX_TOKENS),
        "stream": true,
        "system": [{"type": "text", "text": system, "cache_control": kept()}],
        "tools": conversation.tools.iter().map(tool).collect::<Vec<_>>(),
        "messages": messages,
    })
}

fn kept() -> Value {
    json!({"type": "ephemeral"})
}

fn message(role: &str, content: Vec<Value>) -> Value {
    json!({"role": role, "content": content})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn said(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(words) => text(words),
        Piece::Image { mime_type, data } => {
            let data = BASE64.encode(data);
            let source = json!({"type": "base64", "media_type": mime_type, "data": data});
            json!({"type": "image", "source": source})
        }
    }
}

fn answered(words: &str, calls: &[Call<'_>]) -> Vec<Value> {
    let words = (!words.is_empty()).then(|| text(words));
    let call = |call: &Call<'_>| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments});
    words.into_iter().chain(calls.iter().map(call)).collect()
}

fn result(ended: &Ended) -> Value {
    json!({
        "type": "tool_result",
        "tool_use_id": ended.id,
        "content": ended.text,
        "is_error": !ended.succeeded,
    })
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;
    use crate::model::{Message, Outcome, Part, ToolCall, ToolResult, ToolSpec};

    #[test]
    fn a_conversation() {
        let tool = ToolSpec {
            name: "read_file".into(),
            description: "Reads.".into(),
            input_schema: Arc::new(json!({"type": "object", "properties": {"path": {}}})),
        };
        let image = Part::Image {
            mime_type: "image/png".into(),
            data: b"abc".to_vec(),
        };
        let messages = [
            Message::User(vec![Part::Text("Look".into()), image]),
            Message::Assistant("Yes.".into()),
            Message::ToolCall(ToolCall {
                id: "c".into(),
                name: "read_file".into(),
                arguments: json!({"path": "a"}),
            }),
            Message::ToolResult(ToolResult {
                id: "c".into(),
                outcome: Outcome::Failed,
                text: "none".into(),
                structured: None,
            }),
        ];
        let conversation = Conversation {
            cwd: Path::new("/w"),
            mode: "plan",
            tools: &[tool],
            messages: &messages,
        };
        let mut request = request("m", None, &conversation);
        let system = request["system"][0]["text"].take();
        assert!(system.as_str().unwrap().contains("/w"));
        let kept = json!({"type": "ephemeral"});
        assert_eq!(
            request,
            json!({
                "model": "m",
                "max_tokens": 32_000,
                "stream": true,
                "system": [{"type": "text", "text": null, "cache_control": kept}],
                "tools": [{
                    "name": "read_file",
                    "description": "Reads.",
                    "input_schema": {"type": "object", "properties": {"path": {}}},
                }],
                "messages": [
                    {"role": "user", "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image", "source": {
                            "type": "base64", "media_type": "image/png", "data": "YWJj"}},
                    ]},
                    {"role": "assistant", "content": [
                        {"type": "text", "text": "Yes."},
                        {"type": "tool_use", "id": "c", "name": "read_file", "input": {"path": "a"}},
                    ]},
                    {"role": "user", "content": [{
                        "type": "tool_result",
                        "tool_use_id": "c",
                        "content": "[failed]\nnone",
                        "is_error": true,
                        "cache_control": kept,
                    }]},
                ],
            })
        );
    }
}
