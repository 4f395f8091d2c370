//! A session with tool servers that misbehave, seen from its client.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use acp_agent::{mode::Mode, serve::Outcome};
use serde_json::{Value, json};

use crate::support::{
    client::{Client, Setup, text},
    script::{Do, Script},
};

/// Only a failure waits for it.
const DEADLINE: Duration = Duration::from_secs(30);

/// A session that may do everything, and what its tool servers can be found by.
pub struct Scene {
    pub client: Client,
    pub session: String,
    pub mark: String,
}

/// What the client saw of a turn.
#[derive(Debug)]
pub struct Turn {
    pub stop: Value,
    pub calls: Vec<Seen>,
    /// What the model said.
    pub said: String,
}

/// What the client saw of a tool call.
#[derive(Debug, Default, Clone)]
pub struct Seen {
    pub id: Value,
    pub title: String,
    pub status: String,
    pub text: String,
    pub content: Vec<Value>,
}

impl Seen {
    pub fn expect(&self, status: &str, words: &[&str]) {
        assert_eq!(self.status, status, "{self:?}");
        for words in words {
            assert!(self.text.contains(words), "no {words:?} in {self:?}");
        }
    }
}

impl Scene {
    /// A session with one hostile server `bad` and a healthy one, whose model does this.
    pub async fn with(behaviour: &str, script: impl IntoIterator<Item = Vec<Do>>) -> Self {
        Self::start(&[("bad", behaviour)], script).await
    }

    /// A session with these servers, by name and behaviour, and a healthy one.
    pub async fn start(
        servers: &[(&str, &str)],
        script: impl IntoIterator<Item = Vec<Do>>,
    ) -> Self {
        let mark = mark();
        let mut list: Vec<_> = servers
            .iter()
            .map(|(name, behaviour)| server(name, behaviour, &[&mark]))
            .collect();
        list.push(server("healthy", "honest", &[&mark]));
        let mut client = client(script).await;
        let session = client.session_with(&list).await;
        Self {
            client,
            session,
            mark,
        }
    }

    /// Runs a turn to its end.
    pub async fn turn(&mut self) -> Turn {
        turn(&mut self.client, &self.session).await
    }

    /// Starts a turn, and cancels it when its first tool call runs.
    pub async fn cancelled_turn(&mut self) -> Turn {
        let id = self.client.prompt(&self.session, "go").await;
        let running = self
            .client
            .until(|m| m["params"]["update"]["status"] == "in_progress")
            .await;
        self.client.cancel(&self.session).await;
        let answer = self.client.answer(id).await;
        let mut seen = seen(&mut self.client, answer["result"]["stopReason"].clone());
        if seen.calls.is_empty() {
            seen.calls = collect(&[running["params"]["update"].clone()]);
        }
        seen
    }

    /// A file that a server writes into its working directory.
    pub async fn file(&self, name: &str) -> String {
        let path = self.client.workspace.path().join(name);
        let wait = async {
            loop {
                if let Ok(text) = fs::read_to_string(&path) {
                    return text;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let text = tokio::time::timeout(DEADLINE, wait).await;
        text.unwrap_or_else(|_| panic!("{name} was never written"))
    }

    /// Closes the input: the agent ends cleanly and leaves no process.
    pub async fn end(self) {
        let Self { client, mark, .. } = self;
        assert_eq!(client.end().await.1, Outcome::Clean);
        assert_eq!(alive(&mark), Vec::<String>::new());
    }
}

/// Runs a turn to its end.
pub async fn turn(client: &mut Client, session: &str) -> Turn {
    let stop = client.turn(session, "go").await;
    seen(client, stop)
}

fn seen(client: &mut Client, stop: Value) -> Turn {
    let updates = client.updates();
    Turn {
        stop,
        said: text(&updates),
        calls: collect(&updates),
    }
}

/// The tool calls among these updates, each as it is after the last of them.
fn collect(updates: &[Value]) -> Vec<Seen> {
    let mut calls: Vec<Seen> = Vec::new();
    for update in updates {
        let kind = update["sessionUpdate"].as_str().unwrap();
        if !kind.starts_with("tool_call") {
            continue;
        }
        let id = &update["toolCallId"];
        if !calls.iter().any(|call| call.id == *id) {
            let id = id.clone();
            calls.push(Seen {
                id,
                ..Seen::default()
            });
        }
        let call = calls.iter_mut().find(|call| call.id == *id).unwrap();
        if let Some(title) = update["title"].as_str() {
            call.title = title.to_owned();
        }
        if let Some(status) = update["status"].as_str() {
            call.status = status.to_owned();
        }
        if let Some(content) = update["content"].as_array() {
            let texts = content.iter().filter_map(|c| c["content"]["text"].as_str());
            call.text = texts.collect::<Vec<_>>().join("\n");
            call.content = content.clone();
        }
    }
    calls
}

/// An agent in full access, so that nobody needs to answer.
pub async fn client(script: impl IntoIterator<Item = Vec<Do>>) -> Client {
    let setup = Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    };
    let mut client = Client::start_with(Script::new(script), setup);
    client.initialize().await;
    client
}

impl Client {
    pub async fn session_with(&mut self, servers: &[Value]) -> String {
        let cwd = self.workspace.path().to_owned();
        let params = json!({"cwd": cwd, "mcpServers": servers});
        let answer = self.call("session/new", params).await;
        let id = answer["result"]["sessionId"].as_str();
        id.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

/// One reply of the model that calls these tools, one after the other.
pub fn call(tools: &[&'static str]) -> Vec<Do> {
    tools.iter().map(|name| Do::Call(name, json!({}))).collect()
}

/// The reply that ends a turn.
pub fn done() -> Vec<Do> {
    vec![Do::Say("done"), Do::End]
}

/// An entry of `mcpServers`.
pub fn server(name: &str, behaviour: &str, args: &[&str]) -> Value {
    let args: Vec<_> = std::iter::once(&behaviour).chain(args).collect();
    json!({"name": name, "command": program(), "args": args, "env": []})
}

/// A word that no other process has in its arguments.
pub fn mark() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("hostile-mark-{}-{count}-end", std::process::id())
}

/// The processes that have the word among their arguments and are not zombies.
pub fn alive(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let found = entries.filter_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        (line.contains(mark) && !stat.contains(") Z ")).then(|| format!("{pid}: {line}"))
    });
    found.collect()
}

/// The program `hostile-mcp`, which lies beside the agent. `cargo test -p` does not build it, so
/// this does when it is not there; `make test` has built it before.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let agent = Path::new(env!("CARGO_BIN_EXE_acp-agent"));
        let program = agent.with_file_name("hostile-mcp");
        if program.is_file() {
            return program;
        }
        let folder = agent.parent().unwrap();
        let mut build = Command::new(env!("CARGO"));
        build
            .args(["build", "--quiet", "--package", "mcp-tools"])
            .args(["--bin", "hostile-mcp", "--target-dir"])
            .arg(folder.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"));
        if folder.ends_with("release") {
            build.arg("--release");
        }
        let built = build.status();
        assert!(
            built.is_ok_and(|status| status.success()) && program.is_file(),
            "{} cannot be built: try `cargo build -p mcp-tools`",
            program.display()
        );
        program
    })
}
