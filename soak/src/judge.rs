//! What must be true of everything that goes over a wire, whatever the order is.
//!
//! It sees each message in the order in which the client sent or received it, and says the first
//! thing that is wrong: a request with two answers or none, an update outside of a turn and of a
//! load, a tool call with two final statuses or none, a turn that was cancelled by nobody.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#status>

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::finding::{Finding, Found, must};

/// Watches one connection.
#[derive(Debug, Default)]
pub struct Judge {
    /// Requests without an answer.
    open: BTreeMap<i64, Open>,
    answered: BTreeSet<i64>,
    /// Tool calls by session and id: whether they have their final status.
    calls: BTreeMap<(String, String), bool>,
}

#[derive(Debug)]
struct Open {
    method: String,
    session: String,
    /// It was asked to stop.
    stopped: bool,
}

/// Updates that belong to a turn, or to the replay of one.
const OF_A_TURN: [&str; 6] = [
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message_chunk",
    "tool_call",
    "tool_call_update",
    "plan",
];

/// The errors that a client can bring about by what it asks for, and when.
const REFUSALS: [i64; 3] = [-32600, -32601, -32002];

/// The error of a request that was taken back.
const TAKEN_BACK: i64 = -32800;

impl Judge {
    /// The client has sent this.
    pub fn sent(&mut self, message: &Value) {
        let session = text(&message["params"]["sessionId"]);
        let method = text(&message["method"]);
        match (method.as_str(), message["id"].as_i64()) {
            ("session/cancel", _) => self.stop(|open| open.session == session),
            ("$/cancel_request", _) => {
                let taken_back = message["params"]["requestId"].as_i64();
                let open = taken_back.and_then(|id| self.open.get_mut(&id));
                if let Some(open) = open {
                    open.stopped = true;
                }
            }
            ("", _) | (_, None) => {}
            (_, Some(id)) => {
                if method == "session/close" || method == "session/delete" {
                    self.stop(|open| open.session == session);
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

    /// The client has closed the agent's input, or asked for its end.
    pub fn closed(&mut self) {
        self.stop(|_| true);
    }

    /// The agent has sent this.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn came(&mut self, message: &Value) -> Found<()> {
        let judged = if message.get("method").is_some() {
            self.told(message)
        } else {
            self.answer(message)
        };
        judged.map_err(|what| Finding(format!("{what}: {message}")))
    }

    /// The agent has ended, and had the time to end well.
    ///
    /// # Errors
    /// What is missing.
    pub fn ended(&self) -> Found<()> {
        if let Some((id, open)) = self.open.first_key_value() {
            let method = &open.method;
            return Err(Finding(format!("request {id} ({method}) has no answer")));
        }
        let open = self.calls.iter().find(|(_, ended)| !**ended);
        must(open.is_none(), || format!("{open:?} has no final status"))
    }

    fn stop(&mut self, which: impl Fn(&Open) -> bool) {
        let stopped = self.open.values_mut().filter(|open| which(open));
        stopped.for_each(|open| open.stopped = true);
    }

    fn answer(&mut self, message: &Value) -> Result<(), String> {
        let id = message["id"].as_i64().ok_or("an answer without an id")?;
        let Some(open) = self.open.remove(&id) else {
            return Err(match self.answered.contains(&id) {
                true => "a second answer".to_owned(),
                false => "an answer to nothing".to_owned(),
            });
        };
        self.answered.insert(id);
        if let Some(code) = message["error"]["code"].as_i64() {
            let refused = REFUSALS.contains(&code) || (code == TAKEN_BACK && open.stopped);
            return match refused {
                true => Ok(()),
                false => Err(format!("{} failed", open.method)),
            };
        }
        if open.method != "session/prompt" {
            return Ok(());
        }
        if message["result"]["stopReason"] == "cancelled" && !open.stopped {
            return Err("cancelled, and nobody asked for it".to_owned());
        }
        let of_it = |(session, _): &(String, String)| *session == open.session;
        let unended = |(call, ended): &(&(String, String), &bool)| of_it(call) && !**ended;
        match self.calls.iter().find(unended) {
            Some(((_, call), _)) => Err(format!("answered before {call} has its final status")),
            None => Ok(()),
        }
    }

    fn told(&mut self, message: &Value) -> Result<(), String> {
        let session = text(&message["params"]["sessionId"]);
        let has = |methods: &[&str]| {
            let mut open = self.open.values();
            open.any(|open| open.session == session && methods.contains(&open.method.as_str()))
        };
        if message["method"] == "session/request_permission" {
            return match has(&["session/prompt"]) {
                true => Ok(()),
                false => Err("a question without a turn".to_owned()),
            };
        }
        let update = &message["params"]["update"];
        let kind = text(&update["sessionUpdate"]);
        if !OF_A_TURN.contains(&kind.as_str()) {
            return Ok(());
        }
        if !has(&["session/prompt", "session/load"]) {
            return Err("an update outside of a turn and of a load".to_owned());
        }
        let call = (session, text(&update["toolCallId"]));
        let is_final = update["status"] == "completed" || update["status"] == "failed";
        match kind.as_str() {
            // One that is final when it is announced is replayed.
            "tool_call" if !is_final => match self.calls.insert(call, false) {
                Some(_) => Err("a tool call with an id that was used".to_owned()),
                None => Ok(()),
            },
            "tool_call_update" => match self.calls.get_mut(&call) {
                None => Err("an update of an unknown tool call".to_owned()),
                Some(true) => Err("an update of a tool call behind its end".to_owned()),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    enum Line {
        Sent(Value),
        Came(Value),
        Closed,
    }

    fn judge(lines: &[Line]) -> Found<()> {
        let mut judge = Judge::default();
        for line in lines {
            match line {
                Line::Sent(message) => judge.sent(message),
                Line::Came(message) => judge.came(message)?,
                Line::Closed => judge.closed(),
            }
        }
        judge.ended()
    }

    fn prompt() -> Line {
        Line::Sent(json!({"id": 1, "method": "session/prompt", "params": {"sessionId": "s"}}))
    }

    fn cancel() -> Line {
        Line::Sent(json!({"method": "session/cancel", "params": {"sessionId": "s"}}))
    }

    fn answer(reason: &str) -> Line {
        Line::Came(json!({"id": 1, "result": {"stopReason": reason}}))
    }

    fn update(update: &Value) -> Line {
        let params = json!({"sessionId": "s", "update": update});
        Line::Came(json!({"method": "session/update", "params": params}))
    }

    fn chunk() -> Line {
        update(&json!({"sessionUpdate": "agent_message_chunk"}))
    }

    fn call() -> Line {
        update(&json!({"sessionUpdate": "tool_call", "toolCallId": "c"}))
    }

    fn status(status: &str) -> Line {
        update(&json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": status}))
    }

    #[test]
    fn what_is_fine_is_fine() {
        let (running, failed) = (|| status("in_progress"), || status("failed"));
        for (at, lines) in [
            vec![prompt(), chunk(), answer("end_turn")],
            vec![prompt(), cancel(), answer("cancelled")],
            vec![prompt(), call(), running(), failed(), answer("end_turn")],
            vec![prompt(), Line::Closed, answer("cancelled")],
        ]
        .iter()
        .enumerate()
        {
            assert_eq!(judge(lines), Ok(()), "{at}");
        }
    }

    #[test]
    fn faults_are_found() {
        let (end, failed) = (|| answer("end_turn"), || status("failed"));
        let broken = Line::Came(json!({"id": 1, "error": {"code": -32603}}));
        for (at, lines) in [
            vec![prompt()],
            vec![prompt(), end(), end()],
            vec![end()],
            vec![prompt(), end(), chunk()],
            vec![cancel(), prompt(), answer("cancelled")],
            vec![prompt(), call(), end()],
            vec![prompt(), call(), failed(), failed(), end()],
            vec![prompt(), call(), failed(), call(), failed(), end()],
            vec![prompt(), failed(), end()],
            vec![prompt(), broken],
        ]
        .iter()
        .enumerate()
        {
            assert!(judge(lines).is_err(), "{at}");
        }
    }
}
