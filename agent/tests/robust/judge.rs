//! What must be true of everything that went over a wire, whatever the order was.
//!
//! A pure function of what was sent and what came, so that it can be tried on faults by hand.

#![allow(missing_docs, reason = "only for tests")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// One message, in the order in which the client sent or received it.
#[derive(Debug, Clone)]
pub enum Line {
    Sent(Value),
    Came(Value),
    /// The client closed its end.
    Closed,
}

#[derive(Default)]
struct State {
    /// Requests without an answer: the method, the session, and whether it was asked to stop.
    open: BTreeMap<i64, Open>,
    answered: BTreeSet<i64>,
    /// Tool calls by session and id: whether they have their final status.
    calls: BTreeMap<(String, String), bool>,
}

struct Open {
    method: String,
    session: String,
    stopped: bool,
}

/// The first thing that is wrong.
pub fn judge(lines: &[Line]) -> Result<(), String> {
    let mut state = State::default();
    for (at, line) in lines.iter().enumerate() {
        let judged = match line {
            Line::Sent(message) => {
                state.sent(message);
                Ok(())
            }
            Line::Came(message) if message.get("method").is_some() => state.told(message),
            Line::Came(message) => state.answered(message),
            Line::Closed => {
                state.open.values_mut().for_each(|open| open.stopped = true);
                Ok(())
            }
        };
        judged.map_err(|what| format!("{what}, at line {at}: {line:?}"))?;
    }
    if let Some((id, open)) = state.open.first_key_value() {
        return Err(format!("request {id} ({}) has no answer", open.method));
    }
    match state.calls.iter().find(|(_, ended)| !**ended) {
        Some((call, _)) => Err(format!("{call:?} has no final status")),
        None => Ok(()),
    }
}

impl State {
    fn sent(&mut self, message: &Value) {
        let session = text(&message["params"]["sessionId"]);
        let method = text(&message["method"]);
        let stops = |open: &Open| open.session == session;
        match (method.as_str(), message["id"].as_i64()) {
            ("session/cancel", _) => self.stop(stops),
            ("$/cancel_request", _) => {
                let id = message["params"]["requestId"].as_i64();
                if let Some(open) = id.and_then(|id| self.open.get_mut(&id)) {
                    open.stopped = true;
                }
            }
            ("", _) | (_, None) => {}
            (_, Some(id)) => {
                if method == "session/close" || method == "session/delete" {
                    self.stop(stops);
                }
                let open = Open {
                    method,
                    session,
                    stopped: false,
                };
                self.open.insert(id, open);
            }
        }
    }

    fn stop(&mut self, which: impl Fn(&Open) -> bool) {
        let stopped = self.open.values_mut().filter(|open| which(open));
        stopped.for_each(|open| open.stopped = true);
    }

    fn answered(&mut self, message: &Value) -> Result<(), String> {
        let id = message["id"].as_i64().ok_or("an answer without an id")?;
        let Some(open) = self.open.remove(&id) else {
            let twice = self.answered.contains(&id);
            return Err(format!(
                "an answer that is {}",
                if twice { "the second" } else { "nobody's" }
            ));
        };
        self.answered.insert(id);
        if let Some(code) = message["error"]["code"].as_i64() {
            let refused =
                matches!(code, -32600 | -32601 | -32002) || (code == -32800 && open.stopped);
            return refused
                .then_some(())
                .ok_or(format!("{} failed", open.method));
        }
        if open.method != "session/prompt" {
            return Ok(());
        }
        if message["result"]["stopReason"] == "cancelled" && !open.stopped {
            return Err("cancelled, and nobody asked for it".to_owned());
        }
        let open = |(of, _): &(String, String)| *of == open.session;
        match self
            .calls
            .iter()
            .find(|(call, ended)| open(call) && !**ended)
        {
            Some(((_, call), _)) => Err(format!("answered before {call} has its final status")),
            None => Ok(()),
        }
    }

    fn told(&mut self, message: &Value) -> Result<(), String> {
        let session = text(&message["params"]["sessionId"]);
        let open = |methods: &[&str]| {
            let mut all = self.open.values();
            all.any(|open| open.session == session && methods.contains(&open.method.as_str()))
        };
        if message["method"] == "session/request_permission" {
            return open(&["session/prompt"])
                .then_some(())
                .ok_or("a question without a turn".to_owned());
        }
        let update = &message["params"]["update"];
        let kind = text(&update["sessionUpdate"]);
        if !matches!(
            kind.as_str(),
            "agent_message_chunk"
                | "agent_thought_chunk"
                | "user_message_chunk"
                | "tool_call"
                | "tool_call_update"
                | "plan"
        ) {
            return Ok(());
        }
        if !open(&["session/prompt", "session/load"]) {
            return Err(format!("a {kind} outside of a turn and of a load"));
        }
        let call = (session, text(&update["toolCallId"]));
        let is_final = update["status"] == "completed" || update["status"] == "failed";
        match kind.as_str() {
            // A call that is final when it is announced is replayed.
            "tool_call" if !is_final && self.calls.insert(call, false).is_some() => {
                Err("a tool call with an id that was used".to_owned())
            }
            "tool_call_update" => match self.calls.get_mut(&call) {
                None => Err("an update of an unknown tool call".to_owned()),
                Some(true) => Err("an update of a tool call behind its final status".to_owned()),
                Some(ended) => {
                    *ended = is_final;
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
