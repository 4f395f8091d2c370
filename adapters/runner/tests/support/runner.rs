//! The built program, driven over its standard streams.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, Sender, channel},
    thread::{self, JoinHandle},
    time::Instant,
};

use serde_json::{Value, json};

use super::{
    processes::{DEADLINE, alive, until},
    schema,
};

pub struct Runner {
    pub child: Child,
    stdin: Option<ChildStdin>,
    /// Its output, as long as nobody reads it.
    unread: Option<(ChildStdout, Sender<String>)>,
    lines: Receiver<String>,
    /// All events so far.
    pub events: Vec<Value>,
    stderr: Option<JoinHandle<String>>,
    token: String,
}

/// A run that has ended.
pub struct Ended {
    pub events: Vec<Value>,
    pub stderr: String,
    pub status: ExitStatus,
}

impl Runner {
    pub fn start(workspace: &Path, env: &[(String, String)], token: &str) -> Self {
        let mut runner = Self::start_unread(workspace, env, token);
        runner.read_on();
        runner
    }

    /// A runner whose output nobody reads yet.
    pub fn start_unread(workspace: &Path, env: &[(String, String)], token: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acp-runner"));
        command
            .current_dir(workspace)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .envs(env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (sender, lines) = channel();
        let unread = Some((child.stdout.take().unwrap(), sender));
        let mut error = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = error.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Self {
            stdin: child.stdin.take(),
            child,
            unread,
            lines,
            events: Vec::new(),
            stderr: Some(stderr),
            token: token.to_owned(),
        }
    }

    /// Begins to read its output.
    pub fn read_on(&mut self) {
        let (output, sender) = self.unread.take().unwrap();
        thread::spawn(move || {
            BufReader::new(output)
                .lines()
                .map_while(Result::ok)
                .for_each(|line| drop(sender.send(line)));
        });
    }

    /// Closes the end of its output that nobody has read.
    pub fn close_output(&mut self) {
        self.unread = None;
    }

    pub fn line(&mut self, line: &str) {
        self.bytes(format!("{line}\n").as_bytes());
    }

    /// Writes bytes that need not be a line.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    pub fn signal(&self, signal: nix::sys::signal::Signal) {
        let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        nix::sys::signal::kill(pid, signal).unwrap();
    }

    /// The most memory that it ever had, in bytes.
    pub fn peak_memory(&self) -> u64 {
        let status = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(status).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:"));
        let kib = line.unwrap().split_whitespace().nth(1).unwrap();
        kib.parse::<u64>().unwrap() * 1024
    }

    pub fn send(&mut self, command: Value) {
        self.line(&command.to_string());
    }

    pub fn say(&mut self, id: &str, text: &str) {
        self.send(json!({"type": "user_message", "id": id, "text": text}));
    }

    pub fn interrupt(&mut self) {
        self.send(json!({"type": "interrupt"}));
    }

    /// Answers a question by the text of its only card.
    pub fn answer(&mut self, question: &Value, label: impl Into<Value>) {
        let text = question["questions"][0]["question"]
            .as_str()
            .unwrap()
            .to_owned();
        let mut answers = json!({});
        answers[text] = label.into();
        let id = &question["question_id"];
        self.send(
            json!({"type": "answer", "question_id": id, "answers": answers, "response": null}),
        );
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The next event.
    pub fn next(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => {
                let event = schema::check(&line);
                self.events.push(event.clone());
                Some(event)
            }
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(_) => panic!("nothing came in time, after {:#?}", self.events),
        }
    }

    /// Waits for an event, and returns it.
    pub fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next();
            let event = event.unwrap_or_else(|| panic!("it ended after {:#?}", self.events));
            if is_it(&event) {
                return event;
            }
        }
    }

    pub fn until_type(&mut self, kind: &str) -> Value {
        self.until(|event| event["type"] == kind)
    }

    pub fn until_state(&mut self, state: &str) -> Value {
        self.until(|event| event["type"] == "status" && event["state"] == state)
    }

    /// One message and its whole turn: its `turn_end`.
    pub fn turn(&mut self, text: &str) -> Value {
        self.say("u-turn", text);
        let end = self.until_type("turn_end");
        self.until_state("idle");
        end
    }

    /// Shuts it down in the usual way. Ended as it should: status `exited` last, exit 0.
    pub fn shut_down(mut self) -> Ended {
        self.send(json!({"type": "shutdown"}));
        self.ended_well()
    }

    pub fn ended_well(self) -> Ended {
        let ended = self.ended();
        assert_eq!(
            ended.status.code(),
            Some(0),
            "{:#?} {}",
            ended.events,
            ended.stderr
        );
        let last = json!({"type": "status", "state": "exited"});
        assert_eq!(ended.events.last(), Some(&last));
        ended
    }

    /// Waits for the end of its process, whatever it says.
    pub fn exit(&mut self) -> ExitStatus {
        until("it exits", || self.child.try_wait().unwrap().is_some());
        self.child.wait().unwrap()
    }

    /// Waits for its end. No process of it may be left then.
    pub fn ended(mut self) -> Ended {
        let begin = Instant::now();
        while self.next().is_some() {
            assert!(begin.elapsed() < DEADLINE, "it does not end");
        }
        let status = self.child.wait().unwrap();
        // All of it ended before the runner did, and not because of that.
        assert_eq!(alive(&self.token), Vec::<String>::new());
        let first = json!({"type": "status", "state": "idle"});
        assert_eq!(self.events.first(), Some(&first));
        let events = std::mem::take(&mut self.events);
        every_call_has_a_result(&events);
        Ended {
            events,
            stderr: self.stderr.take().unwrap().join().unwrap(),
            status,
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Each announced call has exactly one result, before the end of its turn.
fn every_call_has_a_result(events: &[Value]) {
    let mut open: Vec<&Value> = Vec::new();
    let mut closed: Vec<&Value> = Vec::new();
    for event in events {
        let id = &event["tool_call_id"];
        match event["type"].as_str() {
            Some("tool_call") if !closed.contains(&id) && !open.contains(&id) => open.push(id),
            Some("tool_result") => {
                open.retain(|other| *other != id);
                assert!(!closed.contains(&id), "two results: {event}");
                closed.push(id);
            }
            Some("turn_end") => {
                assert!(open.is_empty(), "open at the end of a turn: {open:?}");
                closed.clear();
            }
            _ => {}
        }
    }
}

impl Ended {
    pub fn of_type(&self, kind: &str) -> Vec<&Value> {
        self.events
            .iter()
            .filter(|event| event["type"] == kind)
            .collect()
    }

    /// The messages of the log at a level.
    pub fn log(&self, level: &str) -> Vec<&str> {
        let log = self
            .of_type("log")
            .into_iter()
            .filter(|event| event["level"] == level);
        log.map(|event| event["message"].as_str().unwrap())
            .collect()
    }

    /// The types, with the state of a status.
    pub fn outline(&self) -> Vec<String> {
        outline(&self.events)
    }
}

/// The types of events, with the state of a status.
pub fn outline(events: &[Value]) -> Vec<String> {
    let name = |event: &Value| match event["state"].as_str() {
        Some(state) => state.to_owned(),
        None => event["type"].as_str().unwrap().to_owned(),
    };
    events.iter().map(name).collect()
}
