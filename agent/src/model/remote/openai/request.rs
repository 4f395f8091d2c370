//! A conversation as a request for a chat completion.
//!
//! Only what servers of all makers know is used: no `developer` role, no `strict` schemas, and a
//! text stays a string where it can, because many take nothing else.
//!
//! API: <https://platform.openai.com/docs/api-reference/chat/create>

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};

use crate::model::{
    Conversation,
    remote::{
        instructions::instructions,
        transcript::{Call, Entry, Piece, offered, transcript},
    },
};

/// The body of the request. Usage is asked for only where the size of the context is known, because
/// nothing else is told of it, and some servers refuse the question.
pub(in super::super) fn request(
    model: &str,
    max_tokens: Option<u32>,
    context: Option<u64>,
    conversation: &Conversation<'_>,
) -> Value {
    let system = instructions(conversation.cwd, conversation.mode);
    let mut messages = vec![json!({"role": "system", "content": system})];
    for entry in transcript(conversation.messages) {
        match entry {
            Entry::User(pieces) => messages.push(json!({"role": "user", "content": said(&pieces)})),
            Entry::Model(text, calls) => messages.push(answered(text, &calls)),
            Entry::Results(results) => messages.extend(results.into_iter().map(
                |ended| json!({"role": "tool", "tool_call_id": ended.id, "content": ended.text}),
            )),
        }
    }
    let mut request = json!({
        "model": model,
        "stream": true,
        "messages": messages,
    });
    if context.is_some() {
        request["stream_options"] = json!({"include_usage": true});
    }
    // An empty list is an error to some servers.
    if !conversation.tools.is_empty() {
        let tool = |tool| {
            let (name, description, parameters) = offered(tool);
            let function =
                json!({"name": name, "description": description, "parameters": parameters});
            json!({"type": "function", "function": function})
        };
        request["tools"] = conversation.tools.iter().map(tool).collect();
    }
    if let Some(max_tokens) = max_tokens {
        request["max_completion_tokens"] = max_tokens.into();
    }
    request
}

fn said(pieces: &[Piece<'_>]) -> Value {
    let part = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => json!({"type": "text", "text": text}),
        Piece::Image { mime_type, data } => {
            let url = format!("data:{mime_type};base64,{}", BASE64.encode(data));
            json!({"type": "image_url", "image_url": {"url": url}})
        }
    };
    match pieces {
        [Piece::Text(text)] => text.as_ref().into(),
        pieces => pieces.iter().map(part).collect(),
    }
}

fn answered(text: String, calls: &[Call<'_>]) -> Value {
    let mut message = json!({"role": "assistant"});
    message["content"] = if text.is_empty() {
        Value::Null
    } else {
        text.into()
    };
    if !calls.is_empty() {
        let call = |call: &Call<'_>| {
            let arguments = call.arguments.to_string();
            let function = json!({"name": call.name, "arguments": arguments});
            json!({"id": call.id, "type": "function", "function": function})
        };
        message["tool_calls"] = calls.iter().map(call).collect();
    }
    message
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
            Message::Assistant("It is not there.".into()),
            Message::User(vec![Part::Text("Thanks".into())]),
        ];
        let conversation = Conversation {
            cwd: Path::new("/w"),
            mode: "plan",
            tools: &[tool],
            messages: &messages,
        };
        let mut request = request("m", Some(9), Some(1000), &conversation);
        let system = request["messages"][0]["content"].take();
        assert!(system.as_str().unwrap().contains("/w"));
        assert_eq!(
            request,
            json!({
                "model": "m",
                "stream": true,
                "stream_options": {"include_usage": true},
                "messages": [
                    {"role": "system", "content": null},
                    {"role": "user", "content": [
                        {"type": "text", "text": "Look"},
                        {"type": "image_url", "image_url": {"url": "data:image/png;base64,YWJj"}},
                    ]},
                    {"role": "assistant", "content": null, "tool_calls": [
                        {"id": "c", "type": "function", "function": {
                            "name": "read_file", "arguments": "{\"path\":\"a\"}"}},
                    ]},
                    {"role": "tool", "tool_call_id": "c", "content": "[failed]\nnone"},
                    {"role": "assistant", "content": "It is not there."},
                    {"role": "user", "content": "Thanks"},
                ],
                "tools": [{"type": "function", "function": {
                    "name": "read_file",
                    "description": "Reads.",
                    "parameters": {"type": "object", "properties": {"path": {}}},
                }}],
                "max_completion_tokens": 9,
            })
        );
    }

    #[test]
    fn what_is_not_known_is_not_there() {
        let conversation = Conversation {
            cwd: Path::new("/w"),
            mode: "default",
            tools: &[],
            messages: &[],
        };
        let request = request("m", None, None, &conversation);
        for member in ["tools", "max_completion_tokens", "stream_options"] {
            assert_eq!(request.get(member), None, "{member}");
        }
    }
}
