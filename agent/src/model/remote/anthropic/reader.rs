//! The events of a message, as they come.
//!
//! Must stay true: a reply is whole with `message_stop`, and not before. Events and blocks of kinds
//! that are not known are passed over, as the API asks its clients to do.
//!
//! API: <https://docs.anthropic.com/en/docs/build-with-claude/streaming>

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::{
    Event,
    remote::{
        ending::{self, Calls, Finish},
        failure::Failure,
        reply::Flow,
        words,
    },
};

/// What was read of one reply.
#[derive(Debug, Default)]
pub(in super::super) struct Reader {
    context: Option<u64>,
    calls: Calls,
    stop: Option<String>,
    usage: Usage,
    /// The content as it is to be given back when the model pauses.
    blocks: Vec<Value>,
    /// The input of the block that is open, where it is no call of ours.
    input: String,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Told {
    MessageStart {
        message: Started,
    },
    ContentBlockStart {
        index: u64,
        content_block: Value,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {},
    MessageDelta {
        delta: Changed,
        usage: Option<Usage>,
    },
    MessageStop {},
    Error {
        error: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Started {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Changed {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(other)]
    Other,
}

/// Each number is told when it is known, and again when it has changed.
#[derive(Debug, Default, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

impl Usage {
    fn update(&mut self, newer: Option<Self>) {
        let Some(newer) = newer else { return };
        let pairs = [
            (&mut self.input_tokens, newer.input_tokens),
            (
                &mut self.cache_creation_input_tokens,
                newer.cache_creation_input_tokens,
            ),
            (
                &mut self.cache_read_input_tokens,
                newer.cache_read_input_tokens,
            ),
            (&mut self.output_tokens, newer.output_tokens),
        ];
        for (number, newer) in pairs {
            *number = newer.or(*number);
        }
    }

    /// All tokens; nothing when the server has told none.
    fn used(&self) -> Option<u64> {
        let numbers = [
            self.input_tokens,
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
            self.output_tokens,
        ];
        let told = numbers.iter().flatten();
        told.copied().reduce(u64::saturating_add)
    }
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
        match serde_json::from_slice(data).map_err(words::unreadable)? {
            Told::MessageStart { message } => self.usage.update(message.usage),
            Told::ContentBlockStart {
                index,
                content_block,
            } => self.begin(index, content_block, out)?,
            Told::ContentBlockDelta { index, delta } => self.delta(index, delta, out)?,
            Told::ContentBlockStop {} => self.close(),
            Told::MessageDelta { delta, usage } => {
                self.usage.update(usage);
                self.stop = delta.stop_reason.or(self.stop.take());
            }
            Told::MessageStop {} => return self.stopped(out),
            Told::Error { error } => return Err(words::reported(&error)),
            Told::Other => {}
        }
        Ok(Flow::On)
    }

    /// A block may have its beginning in it already.
    fn begin(
        &mut self,
        index: u64,
        block: Value,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        let text = |member: &str| block[member].as_str().unwrap_or_default();
        match text("type") {
            "text" if !text("text").is_empty() => {
                out.push_back(Event::Text(text("text").to_owned()));
            }
            "thinking" if !text("thinking").is_empty() => {
                out.push_back(Event::Thought(text("thinking").to_owned()));
            }
            "tool_use" => {
                // The input begins as an empty object, and its pieces replace that.
                let input = match &block["input"] {
                    Value::Object(input) if !input.is_empty() => block["input"].to_string(),
                    _ => String::new(),
                };
                self.calls.piece(index, text("id"), text("name"), &input)?;
            }
            _ => {}
        }
        self.blocks.push(block);
        Ok(())
    }

    fn delta(
        &mut self,
        index: u64,
        delta: Delta,
        out: &mut VecDeque<Event>,
    ) -> Result<(), Failure> {
        match delta {
            Delta::Text { text } => {
                self.grow("text", &text);
                out.push_back(Event::Text(text));
            }
            Delta::Thinking { thinking } => {
                self.grow("thinking", &thinking);
                out.push_back(Event::Thought(thinking));
            }
            Delta::Signature { signature } => self.grow("signature", &signature),
            Delta::InputJson { partial_json } if self.calling() => {
                self.calls.piece(index, "", "", &partial_json)?;
            }
            Delta::InputJson { partial_json } => self.input.push_str(&partial_json),
            Delta::Other => {}
        }
        Ok(())
    }

    /// Whether the open block is a call of a tool of ours.
    fn calling(&self) -> bool {
        self.blocks
            .last()
            .is_some_and(|block| block["type"] == "tool_use")
    }

    /// Adds to a text of the open block.
    fn grow(&mut self, member: &str, text: &str) {
        let Some(Value::Object(block)) = self.blocks.last_mut() else {
            return;
        };
        match block.entry(member).or_insert_with(|| json!("")) {
            Value::String(sofar) => sofar.push_str(text),
            other => *other = text.into(),
        }
    }

    fn close(&mut self) {
        let input = std::mem::take(&mut self.input);
        if let (Some(Value::Object(block)), Ok(input)) = (
            self.blocks.last_mut(),
            serde_json::from_str::<Value>(&input),
        ) {
            block.insert("input".to_owned(), input);
        }
    }

    fn stopped(&mut self, out: &mut VecDeque<Event>) -> Result<Flow, Failure> {
        let stop = self.stop.take().unwrap_or_default();
        let finish = match stop.as_str() {
            "end_turn" | "stop_sequence" | "tool_use" => Finish::Done,
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Refused,
            "pause_turn" => return Ok(Flow::Paused(std::mem::take(&mut self.blocks))),
            _ => return Err(Failure::UnknownStop(stop)),
        };
        let calls = std::mem::take(&mut self.calls);
        ending::end(finish, calls, self.usage.used(), self.context, out);
        Ok(Flow::Over)
    }
}
