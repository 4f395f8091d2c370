//! The program under test, as its client.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, channel},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

use super::DEADLINE;

/// A running program.
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    reader: Option<JoinHandle<()>>,
    enough: Arc<AtomicBool>,
    stderr: Option<JoinHandle<String>>,
    last_id: u64,
    /// All that it said, in order.
    pub said: Vec<Value>,
}

/// How a program ended.
pub struct Ended {
    pub status: ExitStatus,
    pub stderr: String,
    /// All that it said, in order.
    pub said: Vec<Value>,
}

impl Program {
    pub fn start(mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let enough = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&enough);
        let reader = thread::spawn(move || {
            for line in stdout.lines() {
                let _ = send.send(line.unwrap());
                if stop.load(Ordering::Relaxed) {
                    return;
                }
            }
        });
        let mut stream = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        });
        Self {
            stdin: child.stdin.take(),
            child,
            lines,
            reader: Some(reader),
            enough,
            stderr: Some(stderr),
            last_id: 0,
            said: Vec::new(),
        }
    }

    /// Writes one line.
    pub fn write(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// An id for a request.
    pub fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Sends a request; its id.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id();
        self.write(
            &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string(),
        );
        id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Reads until the answer to this request.
    pub fn answer(&mut self, id: u64) -> Value {
        self.answer_to(&json!(id))
    }

    pub fn answer_to(&mut self, id: &Value) -> Value {
        self.until_said(|said| said["id"] == *id && said.get("method").is_none())
    }

    /// Reads until something like this was said.
    pub fn until_said(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + DEADLINE;
        loop {
            if let Some(answer) = self.said.iter().find(|said| is_wanted(said)) {
                return answer.clone();
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => self.said.push(serde_json::from_str(&line).unwrap()),
                Err(error) => {
                    let _ = self.child.kill();
                    let stderr = self.stderr.take().unwrap().join().unwrap();
                    panic!(
                        "it is never said: {error}; said {:#?}; stderr: {stderr}",
                        self.said
                    );
                }
            }
        }
    }

    /// Whether this request is answered already, as far as a look says.
    pub fn is_answered(&mut self, id: u64) -> bool {
        while let Ok(line) = self.lines.try_recv() {
            self.said.push(serde_json::from_str(&line).unwrap());
        }
        self.said
            .iter()
            .any(|said| said["id"] == id && said.get("method").is_none())
    }

    /// The result of a request.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let answer = self.answer(id);
        assert!(answer.get("result").is_some(), "{method} failed: {answer}");
        answer["result"].clone()
    }

    /// The message of the error of a request; its code is the one of the front's own refusals.
    pub fn refused(&mut self, id: u64) -> String {
        let error = self.answer(id)["error"].clone();
        assert_eq!(error["code"], -32603, "{error}");
        assert!(error.get("data").is_none(), "{error}");
        error["message"].as_str().unwrap().to_owned()
    }

    pub fn initialize(&mut self) -> Value {
        self.call(
            "initialize",
            json!({"protocolVersion": 1, "clientCapabilities": {}}),
        )
    }

    /// Asks for a session.
    pub fn ask_session(&mut self) -> u64 {
        self.request("session/new", json!({"cwd": "/", "mcpServers": []}))
    }

    /// A new session.
    pub fn session(&mut self) -> String {
        let id = self.ask_session();
        let answer = self.answer(id);
        let session = answer["result"]["sessionId"].as_str();
        session
            .unwrap_or_else(|| panic!("no session: {answer}"))
            .to_owned()
    }

    /// Sends a prompt.
    pub fn ask_prompt(&mut self, session: &str, text: &str) -> u64 {
        let block = json!({"type": "text", "text": text});
        self.request(
            "session/prompt",
            json!({"sessionId": session, "prompt": [block]}),
        )
    }

    /// The stop reason of a prompt.
    pub fn stop_reason(&mut self, id: u64) -> String {
        let answer = self.answer(id);
        let reason = answer["result"]["stopReason"].as_str();
        reason
            .unwrap_or_else(|| panic!("no stop reason: {answer}"))
            .to_owned()
    }

    /// Sends a prompt and waits for its stop reason.
    pub fn prompt(&mut self, session: &str, text: &str) -> String {
        let id = self.ask_prompt(session, text);
        self.stop_reason(id)
    }

    pub fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", json!({"sessionId": session}));
    }

    /// The texts of all updates so far.
    pub fn messages(&self) -> Vec<String> {
        let updates = self
            .said
            .iter()
            .filter(|said| said["method"] == "session/update");
        updates
            .map(|said| {
                let update = &said["params"]["update"];
                assert_eq!(update["sessionUpdate"], "agent_message_chunk", "{said}");
                update["content"]["text"].as_str().unwrap().to_owned()
            })
            .collect()
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    /// Closes its output, as a client that does not listen any more.
    pub fn stop_reading(&mut self) {
        self.enough.store(true, Ordering::Relaxed);
        self.request("initialize", json!({"protocolVersion": 1}));
        self.reader.take().unwrap().join().unwrap();
    }

    /// Closes its input, as a client that goes away.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Closes its input and waits for its end.
    pub fn end(mut self) -> Ended {
        self.close();
        self.wait()
    }

    /// Waits for its end.
    pub fn wait(mut self) -> Ended {
        let deadline = Instant::now() + DEADLINE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                let _ = self.child.kill();
                let stderr = self.stderr.take().unwrap().join().unwrap();
                panic!("it does not end; stderr: {stderr}");
            }
            thread::sleep(std::time::Duration::from_millis(5));
        };
        while let Ok(line) = self.lines.recv() {
            self.said.push(serde_json::from_str(&line).unwrap());
        }
        Ended {
            status,
            stderr: self.stderr.take().unwrap().join().unwrap(),
            said: std::mem::take(&mut self.said),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// It ended with this status.
    #[track_caller]
    pub fn assert_status(&self, status: i32) {
        assert_eq!(self.status.code(), Some(status), "stderr: {}", self.stderr);
    }

    /// All of these stand on stderr.
    #[track_caller]
    pub fn assert_says(&self, wanted: &[&str]) {
        for wanted in wanted {
            assert!(
                self.stderr.contains(wanted),
                "no {wanted:?} in: {}",
                self.stderr
            );
        }
    }
}
