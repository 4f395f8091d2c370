//! A harness that does what its prompts say: the other side in the tests of the daemon.
//!
//! It shares no code with the daemon, so that a fault of the daemon's connection cannot hide in it.
//! A prompt is a list of steps, one a line; what a step can be is in `steps.rs`. Arguments:
//!
//! - `--record FILE`: all lines that come in are appended there;
//! - `--state FOLDER`: sessions are remembered there, and can be loaded;
//! - `--ready FILE`: `session/new` is answered when this file is there;
//! - `--refuse TEXT`: `session/new` is answered with this error;
//! - `--say-version TEXT`: the version in `agentInfo`;
//! - `--die-at-start`: it complains and ends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a fixture: a panic is how it fails"
)]

mod steps;

use std::{
    collections::HashMap,
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// How often a file is looked for.
const LOOK: Duration = Duration::from_millis(2);

/// What the reader learns and the steps wait for.
#[derive(Default)]
struct Seen {
    /// The prompt that runs was cancelled.
    is_cancelled: bool,
    answers: Vec<Value>,
}

struct Harness {
    options: HashMap<String, String>,
    seen: Mutex<Seen>,
    changed: Condvar,
    output: Mutex<io::Stdout>,
    session: Mutex<String>,
    cwd: Mutex<PathBuf>,
}

fn main() {
    // A thread that fails must not leave a harness that never answers.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        usual(panic);
        std::process::exit(101);
    }));
    let mut options = HashMap::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = match name.as_str() {
            "--die-at-start" => String::new(),
            _ => arguments.next().unwrap(),
        };
        options.insert(name, value);
    }
    if options.contains_key("--die-at-start") {
        eprintln!("the scripted harness was told to die");
        std::process::exit(3);
    }
    let harness = Arc::new(Harness {
        options,
        seen: Mutex::default(),
        changed: Condvar::new(),
        output: Mutex::new(io::stdout()),
        session: Mutex::default(),
        cwd: Mutex::default(),
    });
    for line in io::stdin().lines() {
        let Ok(line) = line else { break };
        harness.record(&line);
        let message: Value = serde_json::from_str(&line).unwrap();
        match message["method"].as_str() {
            Some("session/cancel") => harness.learn(|seen| seen.is_cancelled = true),
            Some("session/prompt") => {
                harness.learn(|seen| seen.is_cancelled = false);
                let harness = Arc::clone(&harness);
                thread::spawn(move || harness.prompt(&message));
            }
            Some("session/new" | "session/load") => {
                let harness = Arc::clone(&harness);
                thread::spawn(move || harness.open(&message));
            }
            Some("initialize") => harness.initialize(&message),
            Some(_) if message.get("id").is_some() => {
                harness.answer(
                    &message,
                    json!({"error": {"code": -32601, "message": "no"}}),
                );
            }
            Some(_) => {}
            None => harness.learn(|seen| seen.answers.push(message)),
        }
    }
}

impl Harness {
    fn record(&self, line: &str) {
        let Some(path) = self.options.get("--record") else {
            return;
        };
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn learn(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.seen.lock().unwrap());
        self.changed.notify_all();
    }

    fn wait<T>(&self, look: impl Fn(&Seen) -> Option<T>) -> T {
        let mut seen = self.seen.lock().unwrap();
        loop {
            if let Some(found) = look(&seen) {
                return found;
            }
            seen = self.changed.wait(seen).unwrap();
        }
    }

    /// Waits until a file is there; false if the prompt was cancelled meanwhile.
    fn wait_file(&self, path: &Path) -> bool {
        loop {
            if path.exists() {
                return true;
            }
            if self.seen.lock().unwrap().is_cancelled {
                return false;
            }
            thread::sleep(LOOK);
        }
    }

    fn send(&self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        let mut output = self.output.lock().unwrap();
        // The daemon may be gone.
        let _ = writeln!(output, "{message}").and_then(|()| output.flush());
    }

    fn answer(&self, request: &Value, mut answer: Value) {
        answer["id"] = request["id"].clone();
        self.send(answer);
    }

    fn initialize(&self, message: &Value) {
        let version = self
            .options
            .get("--say-version")
            .map_or("1", String::as_str);
        let can_load = self.options.contains_key("--state");
        self.answer(
            message,
            json!({"result": {
                "protocolVersion": 1,
                "agentCapabilities": {"loadSession": can_load},
                "agentInfo": {"name": "scripted-harness", "version": version},
            }}),
        );
    }

    fn open(&self, message: &Value) {
        if let Some(path) = self.options.get("--ready") {
            self.wait_file(path.as_ref());
        }
        if let Some(refusal) = self.options.get("--refuse") {
            let error = json!({"code": -32603, "message": refusal});
            return self.answer(message, json!({"error": error}));
        }
        let params = &message["params"];
        *self.cwd.lock().unwrap() = params["cwd"].as_str().unwrap().into();
        let id = match params["sessionId"].as_str() {
            Some(id) if self.memory(id).is_some_and(|file| file.exists()) => id.to_owned(),
            Some(_) => {
                let error = json!({"code": -32002, "message": "no such session"});
                return self.answer(message, json!({"error": error}));
            }
            None => format!("native-{}", std::process::id()),
        };
        self.session.lock().unwrap().clone_from(&id);
        if let Some(file) = self.memory(&id).filter(|file| !file.exists()) {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let new = file.with_extension("new");
            std::fs::write(&new, "0").unwrap();
            std::fs::rename(new, file).unwrap();
        }
        self.update(json!({"sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "a history that nobody wants"}}));
        self.answer(message, json!({"result": {"sessionId": id}}));
    }

    /// The file in which a session's number of prompts is remembered.
    fn memory(&self, id: &str) -> Option<PathBuf> {
        let folder = self.options.get("--state")?;
        // So that a checkpoint can take it along.
        let folder = match folder.strip_prefix("$XDG_STATE_HOME") {
            Some(rest) => format!("{}{rest}", std::env::var("XDG_STATE_HOME").unwrap()),
            None => folder.clone(),
        };
        Some(PathBuf::from(folder).join(id))
    }

    fn update(&self, update: Value) {
        let session = self.session.lock().unwrap().clone();
        self.send(json!({"method": "session/update",
            "params": {"sessionId": session, "update": update}}));
    }
}
