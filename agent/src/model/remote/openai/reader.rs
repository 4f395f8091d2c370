//! The chunks of a chat completion, as they come.
//!
//! Must stay true: a reply is whole when its choice has a `finish_reason`, and then only. The
//! `[DONE]` behind it is waited for, because what the reply cost comes between the two; a server
//! that closes without it has still said all.
//!
//! API: <https://platform.openai.com/docs/api-reference/chat-streaming>

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::Value;

use crate::model::{
    Event,
    remote::{
        ending::{self, Calls, Finish},
        failure::Failure,
        reply::Flow,
        words,
    },
};

/// The data of the last event.
const DONE: &[u8] = b"[DONE]";

/// What was read of one reply.
#[derive(Debug, Default)]
pub(in super::super) struct Reader {
    context: Option<u64>,
    calls: Calls,
    finish: Option<Finish>,
    used: Option<u64>,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

/// The reasoning has two names, since it is no part of OpenAI's own API.
#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    reasoning_content: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    #[serde(default)]
    index: u64,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize)]
struct FunctionPiece {
    name: Option<String>,
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl Reader {
    /// For a model with a context of so many tokens, if that is known.
    pub(in super::super) fn new(context: Option<u64>) -> Self {
        Self {
            context,
            ..Self::default()
        }
    }

    /// Takes the data of one event.
    pub(in super::super) fn take(
        &mut self,
        data: &[u8],
        out: &mut VecDeque<Event>,
    ) -> Result<Flow, Failure> {
        if data == DONE {
            self.end(out)?;
            return Ok(Flow::Over);
        }
        let chunk: Chunk = serde_json::from_slice(data).map_err(words::unreadable)?;
        if let Some(error) = chunk.error {
            return Err(words::reported(&error));
        }
        if let Some(usage) = chunk.usage {
            self.used = Some(usage.prompt_tokens.saturating_add(usage.completion_tokens));
        }
        // One choice was asked for.
        for choice in chunk.choices.into_iter().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, out)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                let finish = finish(&reason).ok_or(Failure::UnknownStop(reason))?;
                // What was refused stays refused, whatever it is called afterwards.
                if self.finish != Some(Finish::Refused) {
                    self.finish = Some(finish);
                }
            }
        }
        Ok(Flow::On)
    }

    fn delta(&mut self, delta: Delta, out: &mut VecDeque<Event>) -> Result<(), Failure> {
        let said = |text: Option<String>| text.filter(|text| !text.is_empty());
        if let Some(text) = said(delta.reasoning_content).or_else(|| said(delta.reasoning)) {
            out.push_back(Event::Thought(text));
        }
        if let Some(text) = said(delta.content) {
            out.push_back(Event::Text(text));
        }
        if let Some(text) = said(delta.refusal) {
            out.push_back(Event::Text(text));
            self.finish = Some(Finish::Refused);
        }
        for piece in delta.tool_calls.into_iter().flatten() {
            let (name, arguments) = match piece.function {
                Some(function) => (function.name, function.arguments),
                None => (None, None),
            };
            // Some servers send them as the object that they are, in one piece.
            let arguments = match arguments {
                Some(Value::String(text)) => text,
                Some(Value::Null) | None => String::new(),
                Some(value) => value.to_string(),
            };
            let id = piece.id.unwrap_or_default();
            let name = name.unwrap_or_default();
            self.calls.piece(piece.index, &id, &name, &arguments)?;
        }
        Ok(())
    }

    /// There is nothing more to come.
    pub(in super::super) fn end(&mut self, out: &mut VecDeque<Event>) -> Result<(), Failure> {
        let Some(finish) = self.finish else {
            return Err(Failure::Broken(String::new()));
        };
        let calls = std::mem::take(&mut self.calls);
        ending::end(finish, calls, self.used, self.context, out);
        Ok(())
    }
}

/// What a `finish_reason` means; nothing for one that no server is known to give for an end.
fn finish(reason: &str) -> Option<Finish> {
    match reason {
        "stop" | "tool_calls" | "function_call" | "eos" | "end_turn" | "stop_sequence" => {
            Some(Finish::Done)
        }
        "length" | "max_tokens" | "model_length" => Some(Finish::Length),
        "content_filter" | "refusal" => Some(Finish::Refused),
        _ => None,
    }
}
