//! The built server as a child process: lines in, lines out, and its end. Every wait has a deadline.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

/// Long enough for a loaded machine; a healthy server needs a few milliseconds.
const DEADLINE: Duration = Duration::from_secs(20);

pub struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Server {
    /// Starts the program; nothing is sent yet.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mcp-tools"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            lines,
        }
    }

    /// Starts the program and opens the MCP session.
    pub fn ready(arguments: &[&str]) -> Self {
        let mut server = Self::start(arguments);
        server.ask(&initialize(0));
        server.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    pub fn say(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input
            .as_mut()
            .unwrap()
            .write_all(line.as_bytes())
            .unwrap();
    }

    /// Sends a request and reads the next message, which must answer it.
    pub fn ask(&mut self, request: &Value) -> Value {
        self.say(request);
        let line = self.lines.recv_timeout(DEADLINE).expect("no answer");
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], request["id"], "{answer}");
        answer
    }

    /// Calls a tool and returns the result.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(&tool_call(1, tool, arguments))["result"].take()
    }

    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// All messages until the server closes its output.
    pub fn rest(&mut self) -> Vec<Value> {
        let text = self.output();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// All text until the server closes its output.
    pub fn output(&mut self) -> String {
        let end = Instant::now() + DEADLINE;
        let mut text = String::new();
        loop {
            match self
                .lines
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(line) => text.extend([line.as_str(), "\n"]),
                Err(RecvTimeoutError::Disconnected) => return text,
                Err(RecvTimeoutError::Timeout) => panic!("output still open after: {text}"),
            }
        }
    }

    /// What the ended server wrote to stderr.
    pub fn log(&mut self) -> String {
        let mut log = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut log)
            .unwrap();
        log
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.pid().cast_signed()), signal).unwrap();
    }

    /// Closes the input and waits for the end.
    pub fn end(&mut self) -> ExitStatus {
        self.close_input();
        self.wait()
    }

    pub fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + DEADLINE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "the server does not end");
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn initialize(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    }})
}

pub fn tool_call(id: i64, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool,
        "arguments": arguments,
    }})
}
