//! An ACP agent that does what a script says: the other side in the tests of the runner.
//!
//! It shares no code with the runner, so that a fault of the runner's connection cannot hide in it.
//! The script is a JSON file named in `SCRIPT`; all lines that come in are appended to the file
//! named in `RECORD`. A script has these members, all optional:
//!
//! - `answers`: by method, `{result}` or `{error}`, or null for no answer at all;
//! - `refused_models`: model ids that are answered with an error;
//! - `before`: by method, steps before the answer;
//! - `start`: steps that run once the session is there;
//! - `prompts`: for each prompt a list of steps, the last of which repeats;
//! - `ignores_sigterm`: whether SIGTERM does nothing.
//!
//! What a step can be is in `steps.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a fixture: a panic is how it fails"
)]

mod steps;

use std::{
    env,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use serde_json::{Value, json};

/// What the reader learns and the steps wait for.
#[derive(Default)]
struct Seen {
    /// `session/cancel`s since the prompt began.
    cancels: usize,
    /// Responses of the runner.
    answers: Vec<Value>,
}

struct Agent {
    script: Value,
    seen: Mutex<Seen>,
    changed: Condvar,
    output: Mutex<io::Stdout>,
    record: Mutex<File>,
}

fn main() {
    let script = std::fs::read_to_string(env::var("SCRIPT").unwrap()).unwrap();
    let record = OpenOptions::new()
        .append(true)
        .create(true)
        .open(env::var("RECORD").unwrap());
    let agent = Arc::new(Agent {
        script: serde_json::from_str(&script).unwrap(),
        seen: Mutex::default(),
        changed: Condvar::new(),
        output: Mutex::new(io::stdout()),
        record: Mutex::new(record.unwrap()),
    });
    if agent.script["ignores_sigterm"] == true {
        nix::sys::signal::SigSet::from_iter([nix::sys::signal::Signal::SIGTERM])
            .thread_block()
            .unwrap();
    }
    agent.record(
        &json!({"argv": env::args().skip(1).collect::<Vec<_>>(), "pid": std::process::id()}),
    );
    let mut prompts = 0;
    for line in io::stdin().lines() {
        let Ok(line) = line else { break };
        let message: Value = serde_json::from_str(&line).unwrap();
        agent.record(&message);
        match message["method"].as_str() {
            Some("session/cancel") => agent.learn(|seen| seen.cancels += 1),
            Some("session/prompt") => {
                agent.learn(|seen| seen.cancels = 0);
                let agent = Arc::clone(&agent);
                let number = prompts;
                prompts += 1;
                thread::spawn(move || agent.prompt(number, &message));
            }
            Some(method) => agent.request(method, &message),
            None => agent.learn(|seen| seen.answers.push(message)),
        }
    }
    if agent.script["ignores_eof"] == true {
        loop {
            thread::park();
        }
    }
}

impl Agent {
    fn record(&self, message: &Value) {
        let mut record = self.record.lock().unwrap();
        // In one write: the test reads while this goes on.
        record.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn learn(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait(&self, is_there: impl Fn(&Seen) -> bool) {
        let seen = self.seen.lock().unwrap();
        drop(
            self.changed
                .wait_while(seen, |seen| !is_there(seen))
                .unwrap(),
        );
    }

    fn line(&self, line: &str) {
        let mut output = self.output.lock().unwrap();
        // The runner may be gone.
        let _ = writeln!(output, "{line}").and_then(|()| output.flush());
    }

    fn send(&self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.line(&message.to_string());
    }

    /// Answers any request but a prompt.
    fn request(self: &Arc<Self>, method: &str, message: &Value) {
        if message.get("id").is_none() {
            return;
        }
        self.steps(&self.script["before"][method], None);
        let answer = match self.script["answers"].get(method) {
            Some(Value::Null) => return,
            Some(answer) => answer.clone(),
            None => json!({"result": self.default_answer(method, &message["params"])}),
        };
        let model = message["params"]["modelId"]
            .as_str()
            .or(message["params"]["value"].as_str());
        let refused = self.script["refused_models"]
            .as_array()
            .into_iter()
            .flatten();
        let is_refused = model.is_some_and(|model| refused.clone().any(|other| other == model));
        let mut answer = match is_refused {
            true => json!({"error": {"code": -32602, "message": "no such model here"}}),
            false => answer,
        };
        answer["id"] = message["id"].clone();
        self.send(answer);
        if matches!(method, "session/new" | "session/load") && self.script["start"].is_array() {
            let agent = Arc::clone(self);
            thread::spawn(move || agent.steps(&agent.script["start"], None));
        }
    }

    fn default_answer(&self, method: &str, params: &Value) -> Value {
        match method {
            "initialize" => json!({"protocolVersion": 1, "agentCapabilities": {}}),
            "session/new" => json!({"sessionId": "s-1"}),
            "session/load" => json!({}),
            "session/set_model" => json!({}),
            "session/set_config_option" => json!({"configOptions": [{
                "id": params["configId"], "name": "Model", "category": "model", "type": "select",
                "currentValue": params["value"], "options": [],
            }]}),
            other => panic!("the script has no answer to {other}"),
        }
    }

    fn prompt(&self, number: usize, message: &Value) {
        let prompts = self.script["prompts"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let none = json!([]);
        let steps = prompts.get(number).or(prompts.last()).unwrap_or(&none);
        self.steps(steps, Some(&message["id"]));
    }
}
