//! The steps of a prompt:
//!
//! - `say TEXT`, `think TEXT`: a chunk of a message or thought;
//! - `tool ID TITLE`: a tool call, or its new title; `plan A|B`: a plan;
//! - `withdraw TEXT`: a question that it withdraws at once, and waits for the end of it;
//! - `ask TEXT`: a question, whose answer it says; `permit`: a permission request, likewise;
//! - `wait-file PATH`: waits for a file, or for the cancel; `wait-cancel`: for the cancel;
//! - `hang`: never goes on, whatever comes; `die STATUS`: ends;
//! - `fail TEXT`: answers with an error; `stop REASON`: with a stop reason;
//! - `count`: says how many prompts its session has had; `env NAME`: says a variable;
//! - `sh COMMAND`: runs a command in the working directory, and says what it prints;
//! - `leave`: starts a process that would outlive it; `flood NUMBER`: so many chunks of 64 bytes.

use std::{
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use serde_json::{Value, json};

use super::Harness;

/// How a step goes on.
enum After {
    Next,
    Answered(Value),
}

impl Harness {
    /// Runs the steps of a prompt and answers it.
    pub(super) fn prompt(&self, message: &Value) {
        self.count();
        let text = message["params"]["prompt"][0]["text"].as_str().unwrap();
        for line in text.lines() {
            let (step, rest) = line.split_once(' ').unwrap_or((line, ""));
            if let After::Answered(answer) = self.step(step, rest) {
                return self.answer(message, answer);
            }
        }
        self.answer(message, stopped("end_turn"));
    }

    fn step(&self, step: &str, rest: &str) -> After {
        match step {
            "say" => self.say(rest),
            "think" => self.chunk("agent_thought_chunk", rest),
            "tool" => {
                let (id, title) = rest.split_once(' ').unwrap();
                self.update(
                    json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": title}),
                );
            }
            "plan" => {
                let entries: Vec<_> = rest
                    .split('|')
                    .map(|entry| json!({"content": entry, "priority": "medium", "status": "pending"}))
                    .collect();
                self.update(json!({"sessionUpdate": "plan", "entries": entries}));
            }
            "ask" => {
                let session = self.session.lock().unwrap().clone();
                let answer = self.request(
                    "elicitation/create",
                    json!({"sessionId": session,
                    "mode": "form", "message": rest,
                    "requestedSchema": {"type": "object", "properties": {}}}),
                );
                self.say(&format!("answer: {}", answer["result"]["action"]));
            }
            "withdraw" => {
                let session = self.session.lock().unwrap().clone();
                let params = json!({"sessionId": session, "mode": "form", "message": rest,
                    "requestedSchema": {"type": "object", "properties": {}}});
                let id = self.begin("elicitation/create", params);
                self.send(json!({"method": "$/cancel_request", "params": {"requestId": id}}));
                self.answer_to(id);
            }
            "permit" => {
                let session = self.session.lock().unwrap().clone();
                let option = |kind| json!({"optionId": kind, "kind": kind, "name": kind});
                let kinds = ["allow_always", "allow_once", "reject_once", "reject_always"];
                let answer = self.request(
                    "session/request_permission",
                    json!({
                    "sessionId": session, "toolCall": {"toolCallId": "p"},
                    "options": kinds.map(option)}),
                );
                self.say(&format!(
                    "chosen: {}",
                    answer["result"]["outcome"]["optionId"]
                ));
            }
            "wait-file" if !self.wait_file(rest.as_ref()) => {
                return After::Answered(stopped("cancelled"));
            }
            "wait-file" => {}
            "wait-cancel" => {
                self.wait(|seen| seen.is_cancelled.then_some(()));
                return After::Answered(stopped("cancelled"));
            }
            "hang" => loop {
                thread::park();
            },
            "die" => std::process::exit(rest.parse().unwrap()),
            "fail" => {
                return After::Answered(json!({"error": {"code": -32603, "message": rest}}));
            }
            "stop" => return After::Answered(stopped(rest)),
            "count" => self.say(&self.remembered().to_string()),
            "env" => self.say(&std::env::var(rest).unwrap_or_default()),
            "sh" => {
                let cwd = self.cwd.lock().unwrap().clone();
                let output = Command::new("sh")
                    .args(["-c", rest])
                    .current_dir(cwd)
                    .output();
                let output = output.unwrap();
                let said = [output.stdout, output.stderr].concat();
                self.say(String::from_utf8_lossy(&said).trim());
            }
            "leave" => {
                let mut command = Command::new("setsid");
                command.args(["sleep", rest]).stdin(Stdio::null());
                command.stdout(Stdio::null()).stderr(Stdio::null());
                drop(command.spawn().unwrap());
            }
            "flood" => {
                for _ in 0..rest.parse().unwrap() {
                    self.say(&"x".repeat(64));
                }
            }
            other => panic!("no such step: {other}"),
        }
        After::Next
    }

    fn say(&self, text: &str) {
        self.chunk("agent_message_chunk", text);
    }

    fn chunk(&self, kind: &str, text: &str) {
        self.update(json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}}));
    }

    /// Sends a request and waits for its answer.
    fn request(&self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer_to(id)
    }

    /// Sends a request, and says its id.
    fn begin(&self, method: &str, params: Value) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        self.send(json!({"id": id, "method": method, "params": params}));
        id
    }

    fn answer_to(&self, id: u64) -> Value {
        self.wait(|seen| {
            let mut answers = seen.answers.iter();
            answers.find(|answer| answer["id"] == id).cloned()
        })
    }

    fn count(&self) {
        let id = self.session.lock().unwrap().clone();
        if let Some(file) = self.memory(&id) {
            // As a whole: it may be killed at any time.
            let new = file.with_extension("new");
            std::fs::write(&new, (self.remembered() + 1).to_string()).unwrap();
            std::fs::rename(new, file).unwrap();
        }
    }

    fn remembered(&self) -> u64 {
        let id = self.session.lock().unwrap().clone();
        let file = self.memory(&id);
        file.map_or(0, |file| {
            std::fs::read_to_string(file).unwrap().parse().unwrap()
        })
    }
}

fn stopped(reason: &str) -> Value {
    json!({"result": {"stopReason": reason}})
}
