//! The steps of a script. A step is an object with one member:
//!
//! - `update`: sends a `session/update`; `raw`: sends a line as it is; `piece`: sends it without its end;
//! - `ask`: sends a request `{id, method, params}` and waits for its answer; `request` does not wait;
//! - `notify`: sends a notification `{method, params}`;
//! - `wait_cancel`: waits for `session/cancel`; `wait_answers`: for so many answers in all;
//! - `wait_file`: waits until a file is there;
//! - `stop`, `result`, `error`: answers the prompt; without any the prompt ends with `end_turn`;
//! - `repeat`: does a `step` so many `times`; `{n}` in it is the number of the round;
//! - `stderr`: writes to standard error;
//! - `flood`: writes for ever: `text`, `thoughts`, `noise`, or to `stderr`;
//! - `spawn`: starts a command that inherits nothing but the environment; `exit`, `abort`: ends;
//! - `hang`: never goes on; `close_output`: closes standard output.

use std::{
    io::{self, Write as _},
    os::fd::AsFd as _,
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::Agent;

impl Agent {
    /// Runs steps; `prompt` is the id of the prompt to answer.
    pub(super) fn steps(&self, steps: &Value, prompt: Option<&Value>) {
        let mut is_answered = false;
        for step in steps.as_array().into_iter().flatten() {
            let (name, value) = step.as_object().unwrap().iter().next().unwrap();
            is_answered |= matches!(name.as_str(), "stop" | "result" | "error");
            self.step(name, value, prompt);
        }
        if let (Some(id), false) = (prompt, is_answered) {
            self.send(json!({"id": id, "result": {"stopReason": "end_turn"}}));
        }
    }

    fn step(&self, name: &str, value: &Value, prompt: Option<&Value>) {
        match name {
            "update" => self.send(json!({
                "method": "session/update",
                "params": {"sessionId": "s-1", "update": value},
            })),
            "raw" => self.line(value.as_str().unwrap()),
            "piece" => {
                let mut output = self.output.lock().unwrap();
                let _ = output.write_all(value.as_str().unwrap().as_bytes());
                let _ = output.flush();
            }
            "repeat" => {
                for number in 0..value["times"].as_u64().unwrap() {
                    let step = value["step"]
                        .to_string()
                        .replace("{n}", &number.to_string());
                    self.steps(
                        &json!([serde_json::from_str::<Value>(&step).unwrap()]),
                        None,
                    );
                }
            }
            "ask" => {
                let id = self.ask(value);
                self.wait(|seen| seen.answers.iter().any(|answer| answer["id"] == id));
            }
            "request" => drop(self.ask(value)),
            "notify" => self.send(value.clone()),
            "wait_cancel" => self.wait(|seen| seen.cancels > 0),
            "wait_answers" => {
                let count = value.as_u64().unwrap() as usize;
                self.wait(|seen| seen.answers.len() >= count);
            }
            "wait_file" => {
                while !std::path::Path::new(value.as_str().unwrap()).exists() {
                    thread::sleep(Duration::from_millis(2));
                }
            }
            "stop" => self.send(json!({"id": prompt, "result": {"stopReason": value}})),
            "result" => self.send(json!({"id": prompt, "result": value})),
            "error" => self.send(json!({"id": prompt, "error": value})),
            "stderr" => io::stderr()
                .write_all(value.as_str().unwrap().as_bytes())
                .unwrap(),
            "flood" => flood(value),
            "spawn" => spawn(value),
            "exit" => std::process::exit(value.as_i64().unwrap() as i32),
            "abort" => std::process::abort(),
            "hang" => loop {
                thread::park();
            },
            "close_output" => {
                let null = std::fs::File::create("/dev/null").unwrap();
                nix::unistd::dup2_stdout(null.as_fd()).unwrap();
            }
            other => panic!("no such step: {other}"),
        }
    }

    fn ask(&self, request: &Value) -> Value {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let mut request = request.clone();
        if request.get("id").is_none() {
            request["id"] = format!("ask-{}", LAST.fetch_add(1, Ordering::Relaxed) + 1).into();
        }
        let id = request["id"].clone();
        self.send(request);
        id
    }
}

fn flood(what: &Value) {
    let what = what.as_str().unwrap();
    let update = |kind: &str| {
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": "s-1",
            "update": {"sessionUpdate": kind, "content": {"type": "text", "text": "x"}},
        }})
        .to_string()
    };
    let line = match what {
        "text" => update("agent_message_chunk"),
        "thoughts" => update("agent_thought_chunk"),
        _ => "noise".to_owned(),
    };
    let block = format!("{line}\n").repeat(100);
    loop {
        let written = match what {
            "stderr" => io::stderr().write_all(block.as_bytes()),
            _ => io::stdout().write_all(block.as_bytes()),
        };
        if written.is_err() {
            return;
        }
    }
}

fn spawn(words: &Value) {
    let words: Vec<&str> = words
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // Nobody waits for it: it is there to be left behind.
    drop(command.spawn().unwrap());
}
