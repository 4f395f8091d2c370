//! A reply in the words of a message: blocks that are opened, filled and closed.
//!
//! API: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>

use serde_json::{Value, json};

use crate::{
    conversation::{Event, ToolCall},
    serve::{
        answer::{Cost, End, Voice, frame, pieces},
        asked::Asked,
    },
};

/// Under every thought, as the API signs them.
const SIGNATURE: &str = "stub";

/// A message while it is told.
pub(super) struct Told {
    model: String,
    asked: u64,
    blocks: usize,
    open: Option<Kind>,
}

/// What the open block is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thought,
}

impl Told {
    /// The answer to this request.
    pub(super) fn of(asked: &Asked) -> Self {
        Self {
            model: asked.model.clone(),
            asked: u64::try_from(asked.bytes / 4).unwrap_or(u64::MAX),
            blocks: 0,
            open: None,
        }
    }

    fn message(&self, content: Value, stop: Value, usage: Value) -> Value {
        json!({
            "id": "msg_stub",
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": null,
            "usage": usage,
        })
    }

    /// Closes the open block, and opens this one.
    fn open(&mut self, block: &Value) -> Vec<String> {
        let mut told = self.close();
        told.push(event(
            "content_block_start",
            json!({"index": self.blocks, "content_block": block}),
        ));
        told
    }

    fn delta(&self, delta: Value) -> String {
        let delta = json!({"index": self.blocks, "delta": delta});
        event("content_block_delta", delta)
    }

    fn close(&mut self) -> Vec<String> {
        match self.open.take() {
            None => Vec::new(),
            Some(Kind::Text) => vec![self.end_of_block()],
            Some(Kind::Thought) => {
                let signed = json!({"type": "signature_delta", "signature": SIGNATURE});
                vec![self.delta(signed), self.end_of_block()]
            }
        }
    }

    fn end_of_block(&mut self) -> String {
        let end = event("content_block_stop", json!({"index": self.blocks}));
        self.blocks += 1;
        end
    }

    /// A piece of a block of this kind, which is opened first unless it is.
    fn say(&mut self, kind: Kind, block: &Value, delta: Value) -> Vec<String> {
        let mut told = Vec::new();
        if self.open != Some(kind) {
            told = self.open(block);
            self.open = Some(kind);
        }
        told.push(self.delta(delta));
        told
    }
}

impl Voice for Told {
    fn begin(&mut self) -> Vec<String> {
        let usage = json!({"input_tokens": self.asked, "output_tokens": 1});
        let message = self.message(json!([]), Value::Null, usage);
        vec![
            event("message_start", json!({ "message": message })),
            event("ping", json!({})),
        ]
    }

    fn text(&mut self, text: &str) -> Vec<String> {
        let block = json!({"type": "text", "text": ""});
        let delta = json!({"type": "text_delta", "text": text});
        self.say(Kind::Text, &block, delta)
    }

    fn thought(&mut self, text: &str) -> Vec<String> {
        let block = json!({"type": "thinking", "thinking": "", "signature": ""});
        let delta = json!({"type": "thinking_delta", "thinking": text});
        self.say(Kind::Thought, &block, delta)
    }

    fn call(&mut self, call: &ToolCall) -> Vec<String> {
        let block = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
        let mut told = self.open(&block);
        let arguments = call.arguments.to_string();
        for piece in pieces(&arguments) {
            told.push(self.delta(json!({"type": "input_json_delta", "partial_json": piece})));
        }
        told.push(self.end_of_block());
        told
    }

    fn end(&mut self, end: End, cost: Cost) -> Vec<String> {
        let mut told = self.close();
        let delta = json!({"stop_reason": reason(end), "stop_sequence": null});
        let delta = json!({"delta": delta, "usage": usage(cost)});
        told.push(event("message_delta", delta));
        told.push(event("message_stop", json!({})));
        told
    }

    fn failed(&mut self, why: &str) -> Vec<String> {
        vec![frame(Some("error"), &Self::error("stub_error", why))]
    }

    fn whole(&mut self, events: &[Event], end: End, cost: Cost) -> Value {
        let mut content: Vec<Value> = Vec::new();
        for event in events {
            let (kind, member, text) = match event {
                Event::Text(text) => ("text", "text", text),
                Event::Thought(text) => ("thinking", "thinking", text),
                Event::ToolCall(call) => {
                    content.push(json!({
                        "type": "tool_use",
                        "id": call.id,
                        "name": call.name,
                        "input": call.arguments,
                    }));
                    continue;
                }
                _ => continue,
            };
            match content.last_mut().filter(|block| block["type"] == kind) {
                Some(block) => {
                    let sofar = block[member].as_str().unwrap_or_default();
                    block[member] = format!("{sofar}{text}").into();
                }
                None => content.push(json!({"type": kind, member: text})),
            }
        }
        for block in content
            .iter_mut()
            .filter(|block| block["type"] == "thinking")
        {
            block["signature"] = SIGNATURE.into();
        }
        self.message(content.into(), reason(end).into(), usage(cost))
    }

    fn error(kind: &str, message: &str) -> Value {
        json!({"type": "error", "error": {"type": kind, "message": message}})
    }
}

/// An event; its name stands in its data too.
fn event(name: &str, mut data: Value) -> String {
    data["type"] = name.into();
    frame(Some(name), &data)
}

fn usage(cost: Cost) -> Value {
    json!({"input_tokens": cost.asked, "output_tokens": cost.answered})
}

fn reason(end: End) -> &'static str {
    match end {
        End::Done => "end_turn",
        End::Calls => "tool_use",
        End::Length => "max_tokens",
        End::Refused => "refusal",
    }
}
