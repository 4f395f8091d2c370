//! The only writer of stdout: one JSON-RPC message a line, and what can be wrong with it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{
    io::{self, Write as _},
    sync::{Mutex, PoisonError},
};

use serde_json::{Value, json};

use super::{behaviour::Behaviour, faults::Fault, variants::Variant};

/// More than a pipe holds, so that an unread stderr stops the agent.
const LOUD_START: usize = 1024 * 1024;
/// As much as a pipe holds.
const LOUD_MESSAGE: usize = 64 * 1024;
/// Lines of the flood; each is read and kept or dropped by the checker.
const FLOOD_LINES: usize = 20_000;

/// Writes messages; whole lines are never mixed.
#[derive(Debug)]
pub struct Output {
    behaviour: Behaviour,
    stdout: Mutex<io::Stdout>,
}

impl Output {
    /// An output for stdout.
    #[must_use]
    pub fn new(behaviour: Behaviour) -> Self {
        let stdout = Mutex::new(io::stdout());
        Self { behaviour, stdout }
    }

    /// What is written before the first message is read.
    pub fn open(&self) {
        if self.behaviour.has(Fault::BannerLine) {
            self.write(b"[Agent] ready\n");
        }
        if self.behaviour.has(Fault::BannerFlood) {
            self.write("[Agent] still loading\n".repeat(FLOOD_LINES).as_bytes());
        }
        if self.behaviour.has(Fault::JsonLog) {
            self.write(b"{\"level\":\"info\",\"message\":\"ready\"}\n");
        }
        if self.behaviour.has(Fault::BadUtf8) {
            self.write(b"\xff\xfe\n");
        }
        if self.behaviour.is(Variant::BannerOnStderr) {
            stderr("[Agent] ready\n");
        }
        if self.behaviour.is(Variant::LoudStderr) {
            stderr(&"noise\n".repeat(LOUD_START / 6));
        }
    }

    /// Sends one message.
    pub fn send(&self, message: &Value) {
        if self.behaviour.is(Variant::LoudStderr) {
            stderr(&"noise\n".repeat(LOUD_MESSAGE / 6));
        }
        let line = self.line(message);
        if self.behaviour.is(Variant::ByteByByte) && message["method"] == "session/update" {
            self.write_slowly(line.as_bytes());
        } else {
            self.write(line.as_bytes());
        }
    }

    /// Sends several messages with one write.
    pub fn send_at_once(&self, messages: &[Value]) {
        let lines: String = messages.iter().map(|message| self.line(message)).collect();
        self.write(lines.as_bytes());
    }

    /// Sends the last message of this process, without a newline.
    pub fn send_last(&self, message: &Value) {
        self.write(message.to_string().as_bytes());
    }

    /// Sends one message as indented JSON.
    pub fn send_indented(&self, message: &Value) {
        self.write(format!("{message:#}\n").as_bytes());
    }

    /// Sends a notification `session/update`.
    pub fn update(&self, session: &str, update: Value) {
        self.send(&update_message(session, update));
    }

    /// Answers a request.
    pub fn answer(&self, id: &Value, result: Value) {
        self.send(&answer_message(id, result));
    }

    /// Answers a request with an error.
    pub fn fail(&self, id: &Value, code: i64, message: &str) {
        let error = json!({"code": code, "message": message});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}));
    }

    fn line(&self, message: &Value) -> String {
        let end = if self.behaviour.is(Variant::Crlf) {
            "\r\n"
        } else {
            "\n"
        };
        format!("{message}{end}")
    }

    /// A reader that is gone also closes our input: the end comes from there, not from here.
    fn write(&self, bytes: &[u8]) {
        let mut stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stdout.write_all(bytes).and_then(|()| stdout.flush());
    }

    fn write_slowly(&self, bytes: &[u8]) {
        let mut stdout = self.stdout.lock().unwrap_or_else(PoisonError::into_inner);
        for byte in bytes {
            let _ = stdout.write_all(&[*byte]).and_then(|()| stdout.flush());
        }
    }
}

/// A notification `session/update`.
#[must_use]
pub fn update_message(session: &str, update: Value) -> Value {
    let params = json!({"sessionId": session, "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
}

/// An answer with a result.
#[must_use]
pub fn answer_message(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Writes to stderr; nothing can be done if that fails.
pub fn stderr(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
