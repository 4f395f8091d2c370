//! One turn: what the agent says in it, as events.
//!
//! Pure: an update goes in, events come out. Whoever owns the turn sends them, in order.
//!
//! Must stay true:
//!
//! - Every tool call that was announced gets exactly one result, at the latest when the turn ends.
//! - What is kept of the text is bounded by what an event can carry.
//! - An update that is not known is told once, and never ends a turn.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use std::{collections::HashSet, time::Instant};

use serde_json::{Map, Value};

use crate::{
    boundary, content, denial,
    event::{Event, Level},
    fit::{MAX_LINE, one_line, pieces},
    model::Model,
};

/// The block of a turn that is its text.
const TEXT: u32 = 0;
/// The block of a turn that is what was thought.
const THOUGHTS: u32 = 1;

/// The longest piece of streamed text, in bytes of JSON: an event with it is below the longest line.
const MAX_DELTA: usize = MAX_LINE - 10_000;

/// How many bytes of a turn's text, and of its thoughts, are kept for the end of it. An event cannot
/// carry more; the pieces that streamed are all there.
const MAX_TEXT: usize = MAX_LINE;

/// How many kinds of unknown updates are told. An agent that makes up kinds must not fill the log.
const MAX_UNKNOWN: usize = 32;

/// What lives longer than a turn.
#[derive(Debug, Default)]
pub struct Memory {
    /// US dollars since the start of the agent.
    pub cost_usd: Option<f64>,
    /// Kinds of updates that were not known.
    unknown: HashSet<String>,
    /// Whether refusals of the colony are not looked for.
    is_denial_layer_off: bool,
    /// Hints that the agent has not been told yet.
    pub untold_hints: Vec<&'static str>,
    /// Classes of refusals whose hint it was told, or will be.
    known_classes: HashSet<&'static str>,
}

impl Memory {
    /// Nothing yet.
    pub fn new(is_denial_layer_off: bool) -> Self {
        Self {
            is_denial_layer_off,
            ..Self::default()
        }
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The agent stopped, for this reason.
    Stopped(Value),
    /// The agent answered the prompt with an error; the text says which.
    Failed(String),
    /// The runner ends before the agent answered.
    Interrupted,
    /// The agent has ended; the text says how.
    Died(String),
}

/// A turn that runs.
#[derive(Debug)]
pub struct Turn {
    message_id: String,
    began: Instant,
    text: String,
    thoughts: String,
    /// Calls without a result, in the order in which they were announced, with their arguments.
    open: Vec<(String, String)>,
    /// Calls with a result.
    closed: HashSet<String>,
}

impl Turn {
    /// A turn that begins now, the `number`th of the run.
    pub fn begin(number: u64) -> Self {
        Self {
            message_id: format!("msg-{number}"),
            began: Instant::now(),
            text: String::new(),
            thoughts: String::new(),
            open: Vec::new(),
            closed: HashSet::new(),
        }
    }

    /// The id under which its events go.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Takes an update of the agent.
    pub fn update(&mut self, update: &Value, model: &mut Model, memory: &mut Memory) -> Vec<Event> {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => self.chunk(&content::block(&update["content"])),
            Some("agent_thought_chunk") => {
                keep(&mut self.thoughts, &content::block(&update["content"]));
                Vec::new()
            }
            Some("tool_call") => self.tool_call(update, memory),
            Some("tool_call_update") => self.tool_result(update, memory),
            Some("plan") => vec![self.thinking(content::plan(update))],
            Some("usage_update") => {
                let cost = &update["cost"];
                if cost["currency"] == "USD"
                    && let Some(amount) = cost["amount"].as_f64()
                {
                    memory.cost_usd = Some(amount);
                }
                Vec::new()
            }
            Some("config_option_update") => {
                let changed = model.options_changed(&update["configOptions"]);
                changed.into_iter().collect()
            }
            Some(
                "user_message_chunk"
                | "available_commands_update"
                | "current_mode_update"
                | "session_info_update",
            ) => Vec::new(),
            kind => unknown(kind, update, memory),
        }
    }

    fn chunk(&mut self, text: &str) -> Vec<Event> {
        keep(&mut self.text, text);
        let delta = |piece: &str| Event::AssistantTextDelta {
            message_id: self.message_id.clone(),
            block_index: TEXT,
            delta: piece.to_owned(),
        };
        pieces(text, MAX_DELTA).map(delta).collect()
    }

    fn thinking(&self, text: String) -> Event {
        Event::Thinking {
            message_id: self.message_id.clone(),
            block_index: THOUGHTS,
            text,
        }
    }

    fn tool_call(&mut self, call: &Value, memory: &mut Memory) -> Vec<Event> {
        let Some(id) = call["toolCallId"].as_str() else {
            return unknown(None, call, memory);
        };
        let name = ["title", "kind"]
            .iter()
            .find_map(|name| call[*name].as_str().filter(|name| !name.is_empty()));
        let input = call["rawInput"].as_object().cloned().unwrap_or_default();
        let is_new = !self.closed.contains(id) && self.open.iter().all(|(open, _)| open != id);
        if is_new {
            self.open.push((id.to_owned(), arguments(&input)));
        }
        let mut events = vec![Event::ToolCall {
            message_id: self.message_id.clone(),
            tool_call_id: id.to_owned(),
            name: name.unwrap_or("tool").to_owned(),
            input,
        }];
        events.extend(self.tool_result(call, memory));
        events
    }

    /// The result, if the update brings one and there was none before.
    fn tool_result(&mut self, update: &Value, memory: &mut Memory) -> Vec<Event> {
        let is_error = match update["status"].as_str() {
            Some("completed") => false,
            Some("failed") => true,
            _ => return Vec::new(),
        };
        let Some(id) = update["toolCallId"].as_str() else {
            return unknown(None, update, memory);
        };
        if !self.closed.insert(id.to_owned()) {
            return Vec::new();
        }
        let place = self.open.iter().position(|(open, _)| open == id);
        let input = place.map(|place| self.open.remove(place).1);
        let output = content::output(update);
        let refusal = (is_error && !memory.is_denial_layer_off)
            .then(|| denial::classify(&output))
            .flatten();
        let mut events = Vec::new();
        let denial = refusal.map(|refusal| {
            if let Some((kind, control)) = refusal.boundary {
                let target = denial::target(kind, &output, input.as_deref().unwrap_or_default());
                events.push(boundary::event(kind, control, &output, target.as_deref()));
            }
            if memory.known_classes.insert(refusal.denial.class) {
                memory.untold_hints.push(refusal.denial.hint);
            }
            refusal.denial
        });
        events.insert(
            0,
            Event::ToolResult {
                tool_call_id: id.to_owned(),
                output,
                is_error,
                denial,
            },
        );
        events
    }

    /// Ends the turn.
    pub fn end(self, end: End, cost_usd: Option<f64>) -> Vec<Event> {
        let mut events = Vec::new();
        if !self.thoughts.is_empty() {
            events.push(self.thinking(self.thoughts.clone()));
        }
        let has_text = !matches!(end, End::Failed(_) | End::Died(_)) && !self.text.is_empty();
        if has_text {
            events.push(Event::AssistantText {
                message_id: self.message_id.clone(),
                block_index: TEXT,
                text: self.text.clone(),
            });
        }
        let open = self.open.into_iter();
        events.extend(open.map(|(tool_call_id, _)| Event::ToolResult {
            tool_call_id,
            output: "cancelled".to_owned(),
            is_error: true,
            denial: None,
        }));
        let text = Some(self.text).filter(|text| !text.is_empty());
        let (is_error, result) = match end {
            End::Interrupted => (true, Some("interrupted by the user".to_owned())),
            End::Died(how) => (true, Some(format!("the ACP agent died mid-turn: {how}"))),
            End::Failed(why) => (true, Some(format!("the turn failed: {why}"))),
            End::Stopped(reason) => match reason.as_str() {
                Some("end_turn") => (false, text),
                Some("cancelled") => (true, Some("interrupted by the user".to_owned())),
                Some("refusal") => (true, Some("the agent refused to continue".to_owned())),
                _ => {
                    let reason = one_line(&reason.to_string(), 200);
                    let warning = format!("the turn stopped on {reason}");
                    events.push(Event::log(Level::Warn, warning));
                    (false, text)
                }
            },
        };
        events.push(Event::TurnEnd {
            is_error,
            result,
            cost_usd,
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).ok(),
        });
        events
    }
}

/// Adds to a text as long as there is room.
fn keep(text: &mut String, more: &str) {
    let room = MAX_TEXT.saturating_sub(text.len());
    text.push_str(&more[..more.floor_char_boundary(room)]);
}

/// The arguments of a call as text to look for hosts and paths in, the beginning of it.
fn arguments(input: &Map<String, Value>) -> String {
    let values: Vec<&str> = input.values().filter_map(Value::as_str).collect();
    let text = values.join("\n");
    text[..text.floor_char_boundary(2_000)].to_owned()
}

/// Tells of an update that is not known, once for each kind.
fn unknown(kind: Option<&str>, update: &Value, memory: &mut Memory) -> Vec<Event> {
    let kind = one_line(kind.unwrap_or_default(), 100);
    if memory.unknown.len() >= MAX_UNKNOWN || !memory.unknown.insert(kind) {
        return Vec::new();
    }
    let json = one_line(&update.to_string(), 300);
    let warning = format!("ignored an unknown session/update type: {json}");
    vec![Event::warn(warning)]
}
