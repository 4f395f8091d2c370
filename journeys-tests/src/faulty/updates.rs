//! What a turn tells the client besides its tool calls: the reply in chunks, and updates that a fault
//! or a variant adds.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use std::thread;

use serde_json::json;

use super::{faults::Fault, turn::Turn, variants::Variant};

/// Two bytes each; as one chunk longer than a pipe holds.
const LONG_CHUNK_CHARACTERS: usize = 35 * 1024;

/// Requests that no client without capabilities serves.
const UNOFFERED: [&str; 4] = [
    "fs/read_text_file",
    "terminal/create",
    "foo/bar",
    "_example.com/time",
];

/// One chunk every 20 s for 3 minutes.
const TRICKLE_CHUNKS: usize = 9;
const TRICKLE_SECONDS: f64 = 20.0;

impl Turn {
    /// Sends the reply, in one chunk or in many.
    pub fn reply(&self, reply: &str) {
        let kind = match self.behaviour().fault {
            Some(Fault::ReplyInResult | Fault::EmptyTurn) => return,
            Some(Fault::ReplyInThoughts) => "agent_thought_chunk",
            Some(Fault::FailsOnce) if self.agent.store.is_first_call() => {
                return self.chunk("agent_message_chunk", "Not now.");
            }
            Some(Fault::WrongReply) => return self.chunk("agent_message_chunk", "As you like."),
            _ => "agent_message_chunk",
        };
        if self.behaviour().has(Fault::LateChunk) {
            let content = json!({"type": "text", "text": " Bye."});
            self.after_answer(json!({"sessionUpdate": kind, "content": content}));
        }
        match self.behaviour().variant {
            Some(Variant::ManyChunks) => {
                let mut buffer = [0; 4];
                for character in reply.chars() {
                    self.chunk(kind, character.encode_utf8(&mut buffer));
                }
            }
            Some(Variant::LongChunk) => {
                let long = "é".repeat(LONG_CHUNK_CHARACTERS);
                self.chunk(kind, &format!("{long} {reply}"));
            }
            Some(Variant::ByteByByte) => self.chunk(kind, &format!("日本語😀 {reply}")),
            _ => self.chunk(kind, reply),
        }
    }

    /// Sends a chunk of text.
    pub fn chunk(&self, kind: &str, text: &str) {
        let content = json!({"type": "text", "text": text});
        let mut update = json!({"sessionUpdate": kind, "content": content});
        if self.behaviour().is(Variant::Extensions) {
            update["_meta"] = json!({"example.com/seen": true});
        }
        self.update(update);
    }

    /// Updates that a fault or a variant sends beside the work of the turn.
    pub fn updates_in_turn(&self) {
        for message in self.session.take_replay() {
            self.agent.output.send(&message);
        }
        if let Some(name) = &self.agent.leak {
            self.leak(name);
        }
        match self.behaviour().fault {
            Some(Fault::OtherSession) => {
                let content = json!({"type": "text", "text": "Hello"});
                let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
                self.agent.output.update("session-of-nobody", update);
            }
            Some(Fault::UnknownUpdate) => {
                self.update(json!({"sessionUpdate": "weather_update", "degrees": 21}));
            }
            Some(Fault::ChunkWithoutContent) => {
                self.update(json!({"sessionUpdate": "agent_message_chunk"}));
            }
            Some(Fault::BadUpdates) => {
                self.update(json!({"sessionUpdate": "weather_update", "degrees": 21}));
                self.update(json!({"sessionUpdate": "agent_message_chunk"}));
                let content = json!({"type": "text", "text": "Hello"});
                let update = json!({"sessionUpdate": "agent_message_chunk", "content": content});
                self.agent.output.update("session-of-nobody", update);
            }
            Some(Fault::OldModeUpdate) => {
                let mode = self.session.mode().id(self.behaviour());
                self.update(json!({"sessionUpdate": "current_mode_update", "modeId": mode}));
            }
            _ => {}
        }
        match self.behaviour().variant {
            Some(Variant::Extensions) => {
                let hello = json!({"jsonrpc": "2.0", "method": "_example.com/hello", "params": {}});
                self.agent.output.send(&hello);
            }
            Some(Variant::AsksUnoffered) => {
                for method in UNOFFERED {
                    let agent = &self.agent;
                    let answer = agent.client.ask(&agent.output, method, json!({}));
                    let _ = answer.recv();
                }
            }
            Some(Variant::Trickle) => self.trickle(),
            _ => {}
        }
    }

    /// A turn that is slow but alive: its silences are short, its whole is longer than a silence may be.
    fn trickle(&self) {
        for _ in 0..TRICKLE_CHUNKS {
            if self.stop.asked() {
                return;
            }
            thread::sleep(self.behaviour().seconds(TRICKLE_SECONDS));
            self.chunk("agent_thought_chunk", "hm");
        }
    }

    /// Updates that ACP allows at any time.
    pub fn updates_out_of_turn(&self) {
        let mode = self.session.mode().id(self.behaviour());
        self.update(json!({"sessionUpdate": "usage_update", "used": 1200, "size": 200_000}));
        self.update(json!({"sessionUpdate": "session_info_update", "title": "A session"}));
        self.update(json!({"sessionUpdate": "current_mode_update", "currentModeId": mode}));
        self.update(json!({"sessionUpdate": "available_commands_update", "availableCommands": []}));
    }
}
