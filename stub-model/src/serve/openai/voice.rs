//! A reply in the words of a chat completion.
//!
//! API: <https://platform.openai.com/docs/api-reference/chat-streaming>

use serde_json::{Value, json};

use crate::{
    conversation::{Event, ToolCall},
    serve::{
        answer::{Cost, End, Voice, frame, pieces},
        asked::Asked,
    },
};

/// A completion while it is told.
pub(super) struct Completion {
    model: String,
    costs: bool,
    calls: usize,
}

impl Completion {
    /// The answer to this request.
    pub(super) fn of(asked: &Asked) -> Self {
        Self {
            model: asked.model.clone(),
            costs: asked.costs,
            calls: 0,
        }
    }

    fn chunk(&self, choices: Value) -> Value {
        json!({
            "id": "chatcmpl-stub",
            "object": "chat.completion.chunk",
            "created": 0,
            "model": self.model,
            "choices": choices,
        })
    }

    fn delta(&self, delta: Value) -> String {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": null});
        frame(None, &self.chunk(json!([choice])))
    }
}

impl Voice for Completion {
    fn begin(&mut self) -> Vec<String> {
        vec![self.delta(json!({"role": "assistant", "content": ""}))]
    }

    fn text(&mut self, text: &str) -> Vec<String> {
        vec![self.delta(json!({"content": text}))]
    }

    /// By the name that servers with open models use; OpenAI itself tells no thoughts here.
    fn thought(&mut self, text: &str) -> Vec<String> {
        vec![self.delta(json!({"reasoning_content": text}))]
    }

    fn call(&mut self, call: &ToolCall) -> Vec<String> {
        let index = self.calls;
        self.calls += 1;
        let function = json!({"name": call.name, "arguments": ""});
        let first =
            json!({"index": index, "id": call.id, "type": "function", "function": function});
        let arguments = call.arguments.to_string();
        let more = pieces(&arguments)
            .map(|piece| json!({"index": index, "function": {"arguments": piece}}));
        std::iter::once(first)
            .chain(more)
            .map(|piece| self.delta(json!({"tool_calls": [piece]})))
            .collect()
    }

    fn end(&mut self, end: End, cost: Cost) -> Vec<String> {
        let choice = json!({"index": 0, "delta": {}, "finish_reason": reason(end)});
        let mut told = vec![frame(None, &self.chunk(json!([choice])))];
        if self.costs {
            let mut last = self.chunk(json!([]));
            last["usage"] = usage(cost);
            told.push(frame(None, &last));
        }
        told.push("data: [DONE]\n\n".to_owned());
        told
    }

    fn failed(&mut self, why: &str) -> Vec<String> {
        vec![frame(None, &Self::error("stub_error", why))]
    }

    fn whole(&mut self, events: &[Event], end: End, cost: Cost) -> Value {
        let (mut text, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
        for event in events {
            match event {
                Event::Text(piece) => text.push_str(piece),
                Event::Thought(piece) => thought.push_str(piece),
                Event::ToolCall(call) => {
                    let arguments = call.arguments.to_string();
                    let function = json!({"name": call.name, "arguments": arguments});
                    calls.push(json!({"id": call.id, "type": "function", "function": function}));
                }
                _ => {}
            }
        }
        let mut message = json!({"role": "assistant", "content": text});
        if !thought.is_empty() {
            message["reasoning_content"] = thought.into();
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let choice = json!({"index": 0, "message": message, "finish_reason": reason(end)});
        let mut body = self.chunk(json!([choice]));
        body["object"] = json!("chat.completion");
        body["usage"] = usage(cost);
        body
    }

    fn error(kind: &str, message: &str) -> Value {
        json!({"error": {"message": message, "type": kind, "param": null, "code": null}})
    }
}

fn usage(cost: Cost) -> Value {
    json!({
        "prompt_tokens": cost.asked,
        "completion_tokens": cost.answered,
        "total_tokens": cost.asked.saturating_add(cost.answered),
    })
}

fn reason(end: End) -> &'static str {
    match end {
        End::Done => "stop",
        End::Calls => "tool_calls",
        End::Length => "length",
        End::Refused => "content_filter",
    }
}
