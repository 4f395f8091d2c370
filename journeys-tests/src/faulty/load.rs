//! `session/load`: the replay and the answer, and what can be wrong with either.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions>

use std::{thread, time::Duration};

use serde_json::{Value, json};

use super::{
    agent::Agent,
    faults::Fault,
    modes,
    output::{answer_message, update_message},
    store::{Said, Speaker},
    variants::Variant,
};

/// Updates of a long replay.
const LONG_REPLAY: usize = 50;
/// What [`Variant::ReplaySlowly`] waits before each of them.
const BETWEEN_REPLAYS: Duration = Duration::from_millis(20);

impl Agent {
    /// Answers `session/load`, with the replay before it.
    pub fn load_session(&self, id: &Value, parameters: &Value) {
        let name = parameters["sessionId"].as_str().unwrap_or_default();
        let said = match self.store.load(name) {
            Ok(said) if !self.behaviour.has(Fault::LoadError) => said,
            Ok(_) => return self.output.fail(id, -32603, "the session is damaged"),
            Err(error) => return self.output.fail(id, -32002, &format!("{name}: {error}")),
        };
        let known = match self.behaviour.fault {
            Some(Fault::LoadForgets) => Vec::new(),
            _ => said.clone(),
        };
        let session = match self.open(name, parameters, known) {
            Ok(session) => session,
            Err((code, reason)) => return self.output.fail(id, code, &reason),
        };
        let offer = modes::offer(session.mode(), &self.behaviour);
        let result = match self.behaviour.variant {
            Some(Variant::LoadNull) => Value::Null,
            Some(Variant::LoadEmpty) => json!({}),
            Some(Variant::LoadWithOptions) => json!({"configOptions": []}),
            Some(Variant::LoadWithSessionId) => json!({"sessionId": "session-of-its-own"}),
            _ => offer,
        };
        let mut messages: Vec<_> = self.replay(name, &said);
        let answer = answer_message(id, result);
        match self.behaviour.fault {
            Some(Fault::ReplaysLate) => messages.insert(0, answer),
            Some(Fault::ReplaysInTurn) => {
                session.keep_replay(std::mem::take(&mut messages));
                messages.push(answer);
            }
            _ => messages.push(answer),
        }
        match self.behaviour.variant {
            Some(Variant::ReplayInOneWrite) => self.output.send_at_once(&messages),
            Some(Variant::ReplaySlowly) => messages.iter().for_each(|message| {
                thread::sleep(BETWEEN_REPLAYS);
                self.output.send(message);
            }),
            _ => messages
                .iter()
                .for_each(|message| self.output.send(message)),
        }
    }

    fn replay(&self, session: &str, said: &[Said]) -> Vec<Value> {
        let all = !self.behaviour.has(Fault::ReplaysNothing);
        let half = self.behaviour.has(Fault::ReplaysHalf);
        let told = said
            .iter()
            .filter(|said| all && !(half && said.by == Speaker::Agent));
        told.map(|said| {
            let kind = match said.by {
                Speaker::User => "user_message_chunk",
                Speaker::Agent => "agent_message_chunk",
            };
            let content = json!({"type": "text", "text": said.text});
            update_message(session, json!({"sessionUpdate": kind, "content": content}))
        })
        .chain(self.more_replay(session, said.len()))
        .collect()
    }

    /// As if the session had been a long one.
    fn more_replay(&self, session: &str, have: usize) -> Vec<Value> {
        let is_long = self.behaviour.is(Variant::ReplayInOneWrite)
            || self.behaviour.is(Variant::ReplaySlowly);
        let content = json!({"type": "text", "text": "."});
        let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": content});
        let more = if is_long {
            LONG_REPLAY.saturating_sub(have)
        } else {
            0
        };
        vec![update_message(session, chunk); more]
    }
}
