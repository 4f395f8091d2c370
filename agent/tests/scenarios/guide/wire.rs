//! A client that records: it starts the built agent and keeps every line of both ways.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::schema::Schema;

/// Only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(30);

/// Which way a line went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    ToAgent,
    ToClient,
}

/// A running agent, its folders, and what was said so far.
pub struct Wire {
    /// The folder of the session; `state` and `work` lie in it.
    pub folder: TempDir,
    agent: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    schema: Schema,
    methods: HashMap<i64, String>,
    last_id: i64,
    /// What is shown.
    pub lines: Vec<(Way, String)>,
}

impl Wire {
    /// An agent with these arguments behind `--acp`.
    pub fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("work")).unwrap();
        Self::in_folder(folder, arguments)
    }

    /// The same in a folder that an agent has worked in before.
    pub fn in_folder(folder: TempDir, arguments: &[&str]) -> Self {
        let mut agent = Command::new(env!("CARGO_BIN_EXE_acp-agent"))
            .args(["--acp", "--state-dir"])
            .arg(folder.path().join("state"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, output) = channel();
        let read = BufReader::new(agent.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in read.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            folder,
            input: agent.stdin.take(),
            agent,
            output,
            schema: Schema::new(),
            methods: HashMap::new(),
            last_id: -1,
            lines: Vec::new(),
        }
    }

    /// The working folder of sessions.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// What came so far is not shown.
    pub fn forget(&mut self) {
        self.lines.clear();
    }

    pub fn raw(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        self.lines.push((Way::ToAgent, line.to_owned()));
    }

    pub fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.raw(&message.to_string());
    }

    /// Sends a request; its id.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.methods.insert(id, method.to_owned());
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The next message of the agent.
    fn receive(&mut self) -> Option<Value> {
        let line = self.output.recv_timeout(DEADLINE).ok()?;
        let methods = &self.methods;
        self.schema
            .check(&line, |id| methods.get(&id.as_i64()?).cloned());
        self.lines.push((Way::ToClient, line.clone()));
        Some(serde_json::from_str(&line).unwrap())
    }

    /// The next message like this.
    pub fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Some(message) = self.receive() else {
                panic!("the wanted message did not come: {:?}", self.lines);
            };
            if wanted(&message) {
                return message;
            }
        }
    }

    /// The answer to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        self.until(|message| message["id"] == id && message.get("method").is_none())
    }

    pub fn call(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The next request of this method.
    pub fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method && message.get("id").is_some())
    }

    /// Answers a request of the agent.
    pub fn reply(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// Answers requests of the agent by their methods, until this request of ours is answered.
    pub fn serve(&mut self, id: i64, result: impl Fn(&str) -> Value) {
        loop {
            let next = self.until(|message| message.get("id").is_some());
            match next["method"].as_str() {
                Some(method) => self.reply(&next, result(method)),
                None if next["id"] == id => return,
                None => {}
            }
        }
    }

    pub fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": 1,
            "clientCapabilities": capabilities,
            "clientInfo": {"name": "editor", "version": "1.0.0"},
        });
        self.call("initialize", params)
    }

    /// A session, up to the commands that come behind its answer.
    pub fn session(&mut self, servers: Value) -> String {
        let params = json!({"cwd": self.work(), "mcpServers": servers});
        let answer = self.call("session/new", params);
        self.until(|m| m["params"]["update"]["sessionUpdate"] == "available_commands_update");
        answer["result"]["sessionId"].as_str().unwrap().to_owned()
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> i64 {
        self.prompt_of(session, json!([{"type": "text", "text": text}]))
    }

    pub fn prompt_of(&mut self, session: &str, prompt: Value) -> i64 {
        let params = json!({"sessionId": session, "prompt": prompt});
        self.request("session/prompt", params)
    }

    /// Closes the agent's input, reads what is left, and gives the exit status and the folder.
    pub fn end(mut self) -> (Option<i32>, TempDir, Vec<(Way, String)>) {
        self.input = None;
        while let Ok(line) = self.output.recv_timeout(DEADLINE) {
            self.lines.push((Way::ToClient, line));
        }
        let status = self.agent.wait().unwrap();
        (status.code(), self.folder, self.lines)
    }
}

/// A tool server with plans.
pub fn plan_server() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/plan_server.py")
}
