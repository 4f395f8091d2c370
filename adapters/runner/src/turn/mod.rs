//! One turn: what the agent says in it, as events.
//!
//! Pure: an update goes in, events come out. Whoever owns the turn sends them, in order.
//!
//! Must stay true:
//!
//! - Every tool call that was announced gets exactly one result, at the latest when the turn ends.
//! - What is kept of a turn is bounded, whatever the agent sends.
//! - An update that is not known is told once, and never ends a turn.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

mod calls;
mod text;

use std::{collections::HashSet, time::Instant};

use serde_json::{Map, Value};

use crate::{
    boundary, content, denial,
    event::{Event, Level},
    fit::{MAX_LINE, one_line, pieces},
    model::Model,
};
use calls::{Calls, Known};
use text::Text;

/// The block of a turn that is its text.
const TEXT: u32 = 0;
/// The block of a turn that is what was thought.
const THOUGHTS: u32 = 1;

/// The longest piece of streamed text, in bytes of JSON: an event with it is below the longest line.
const MAX_DELTA: usize = MAX_LINE - 10_000;

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
    text: Text,
    thoughts: Text,
    calls: Calls,
    /// Whether the host was told that there are too many calls.
    is_over_told: bool,
}

impl Turn {
    /// A turn that begins now, the `number`th of the run.
    pub fn begin(number: u64) -> Self {
        Self {
            message_id: format!("msg-{number}"),
            began: Instant::now(),
            text: Text::default(),
            thoughts: Text::default(),
            calls: Calls::default(),
            is_over_told: false,
        }
    }

    /// The id under which its events go.
    pub fn message_id(&self) -> &str {
        &self.message_id
    }

    /// Takes an update of the agent.
    pub fn update(&mut self, update: &Value, model: &mut Model, memory: &mut Memory) -> Vec<Event> {
        if let Some(events) = lasting(update, model, memory) {
            return events;
        }
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => self.chunk(update),
            Some("agent_thought_chunk") => {
                let thought = content::block(&update["content"]);
                self.thoughts.take(&thought, update["messageId"].as_str());
                Vec::new()
            }
            Some("tool_call") => self.tool_call(update, memory),
            Some("tool_call_update") => self.tool_result(update, memory),
            Some("plan") => vec![self.thinking(content::plan(update))],
            Some(
                "user_message_chunk"
                | "available_commands_update"
                | "current_mode_update"
                | "session_info_update",
            ) => Vec::new(),
            kind => unknown(kind, update, memory),
        }
    }

    fn chunk(&mut self, update: &Value) -> Vec<Event> {
        let text = content::block(&update["content"]);
        if !self.text.take(&text, update["messageId"].as_str()) {
            return Vec::new();
        }
        let delta = |piece: &str| Event::AssistantTextDelta {
            message_id: self.message_id.clone(),
            block_index: TEXT,
            delta: piece.to_owned(),
        };
        pieces(&text, MAX_DELTA).map(delta).collect()
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
        self.text.cut();
        self.thoughts.cut();
        let id = calls::id(id);
        match self.calls.announce(id, || arguments(&input)) {
            Known::News => {}
            // The host would wait for a second result.
            Known::Over => return Vec::new(),
            Known::TooMany => return self.too_many(),
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
        let id = calls::id(id);
        let input = match self.calls.close(id) {
            (Known::News, input) => input,
            (Known::Over, _) => return Vec::new(),
            (Known::TooMany, _) => return self.too_many(),
        };
        let output = content::output(update);
        let refusal = (is_error && !memory.is_denial_layer_off)
            .then(|| denial::classify(&output))
            .flatten();
        let mut events = Vec::new();
        let denial = refusal.map(|refusal| {
            if let Some((kind, control)) = refusal.boundary {
                let target = denial::target(kind, &output, &input);
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

    /// Says once that calls are left out.
    fn too_many(&mut self) -> Vec<Event> {
        if std::mem::replace(&mut self.is_over_told, true) {
            return Vec::new();
        }
        let most = calls::MOST;
        vec![Event::warn(format!(
            "the agent made more than {most} tool calls in one turn; the others are not shown"
        ))]
    }

    /// Ends the turn.
    pub fn end(mut self, end: End, cost_usd: Option<f64>) -> Vec<Event> {
        let mut events = Vec::new();
        let thoughts = std::mem::take(&mut self.thoughts).into_kept();
        if !thoughts.is_empty() {
            events.push(self.thinking(thoughts));
        }
        let text = std::mem::take(&mut self.text).into_kept();
        let has_text = !matches!(end, End::Failed(_) | End::Died(_)) && !text.is_empty();
        if has_text {
            events.push(Event::AssistantText {
                message_id: self.message_id.clone(),
                block_index: TEXT,
                text: text.clone(),
            });
        }
        let open = self.calls.into_open().into_iter();
        events.extend(open.map(|tool_call_id| Event::ToolResult {
            tool_call_id,
            output: "cancelled".to_owned(),
            is_error: true,
            denial: None,
        }));
        let (is_error, result) = outcome(end, text, &mut events);
        events.push(Event::TurnEnd {
            is_error,
            result,
            cost_usd,
            duration_ms: u64::try_from(self.began.elapsed().as_millis()).ok(),
        });
        events
    }
}

/// What a `turn_end` says, after what else must be told.
fn outcome(end: End, text: String, events: &mut Vec<Event>) -> (bool, Option<String>) {
    let text = Some(text).filter(|text| !text.is_empty());
    match end {
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
    }
}

/// Takes an update that is true beyond a turn: what was spent, and which model is used. Nothing if it
/// is none of these.
pub fn lasting(update: &Value, model: &mut Model, memory: &mut Memory) -> Option<Vec<Event>> {
    match update["sessionUpdate"].as_str()? {
        "usage_update" => {
            let cost = &update["cost"];
            if cost["currency"] == "USD"
                && let Some(amount) = cost["amount"].as_f64()
            {
                memory.cost_usd = Some(amount);
            }
            Some(Vec::new())
        }
        "config_option_update" => {
            let changed = model.options_changed(&update["configOptions"]);
            Some(changed.into_iter().collect())
        }
        _ => None,
    }
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

#[cfg(test)]
mod tests;
