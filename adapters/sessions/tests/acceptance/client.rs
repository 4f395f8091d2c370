//! An ACP client, by hand: what it sends is what stands here.

use std::{collections::HashMap, path::Path, process::Stdio};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout},
    time::timeout,
};

use crate::{home::Home, scene::PATIENCE};

/// How a turn has ended, and what the agent said in it.
#[derive(Debug, Default)]
pub struct Answer {
    pub stop: String,
    pub text: String,
}

/// A client and its front.
pub struct Client {
    child: Child,
    stdin: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    next: u64,
    /// What the agent said since the last prompt, by session.
    said: HashMap<String, String>,
}

impl Client {
    /// Starts a front in the workspace `demo`, and says hello.
    pub async fn start(home: &Home, arguments: &[&str]) -> Self {
        home.say(&["workspaces", "create", "demo"]).await;
        let mut child = home
            .program("acp-sessions")
            .args(["acp", "--workspace", "demo"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let said = HashMap::new();
        let mut client = Self {
            child,
            stdin,
            lines,
            next: 1,
            said,
        };
        let id = client
            .ask("initialize", json!({"protocolVersion": 1}))
            .await;
        assert_eq!(client.answer(id).await["protocolVersion"], 1);
        client
    }

    /// Makes a session.
    pub async fn new_session(&mut self, cwd: &Path) -> String {
        let id = self
            .ask("session/new", json!({"cwd": cwd, "mcpServers": []}))
            .await;
        self.answer(id).await["sessionId"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Sends a prompt, whose answer is still to come.
    pub async fn begin(&mut self, session: &str, text: &str) -> u64 {
        self.said.clear();
        let prompt = json!([{"type": "text", "text": text}]);
        self.ask(
            "session/prompt",
            json!({"sessionId": session, "prompt": prompt}),
        )
        .await
    }

    /// Waits for the end of a turn.
    pub async fn end_of(&mut self, turn: u64) -> Answer {
        let result = self.answer(turn).await;
        Answer {
            stop: result["stopReason"].as_str().unwrap().to_owned(),
            text: self.said.drain().map(|(_, text)| text).collect(),
        }
    }

    /// Sends a prompt and waits for the end of its turn.
    pub async fn prompt(&mut self, session: &str, text: &str) -> Answer {
        let turn = self.begin(session, text).await;
        self.end_of(turn).await
    }

    /// Cancels the turn.
    pub async fn cancel(&mut self, session: &str) {
        let params = json!({"sessionId": session});
        self.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}))
            .await;
    }

    /// Goes, whatever runs: the input ends. Answers the front's exit status.
    pub async fn leave(self) -> Option<i32> {
        let Self {
            mut child,
            stdin,
            mut lines,
            ..
        } = self;
        drop(stdin);
        while let Ok(Some(_)) = timeout(PATIENCE, lines.next_line()).await.unwrap() {}
        timeout(PATIENCE, child.wait())
            .await
            .unwrap()
            .unwrap()
            .code()
    }

    async fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        id
    }

    async fn send(&mut self, message: &Value) {
        self.stdin
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    /// Reads on until the result of a request, which must be one.
    async fn answer(&mut self, id: u64) -> Value {
        loop {
            let line = timeout(PATIENCE * 2, self.lines.next_line())
                .await
                .expect("an answer in time");
            let line = line.unwrap().expect("the front is there");
            let mut message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{line}");
                return message["result"].take();
            }
            let params = &message["params"];
            let update = &params["update"];
            if update["sessionUpdate"] == "agent_message_chunk" {
                let session = params["sessionId"].as_str().unwrap().to_owned();
                let text = update["content"]["text"].as_str().unwrap_or_default();
                self.said.entry(session).or_default().push_str(text);
            }
        }
    }
}
