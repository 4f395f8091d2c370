//! What the tests over real pipes share: a state folder, a workspace, a mark, and agents for them.

#![allow(
    dead_code,
    missing_docs,
    clippy::print_stderr,
    reason = "each test program uses a part, and figures are told on stderr"
)]

use std::{
    env,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;
use soak::{
    client::Client,
    finding::{Finding, Found, must},
    processes,
    program::Setup,
};
use tempfile::TempDir;

/// How long processes may take to be gone. They need a few milliseconds, or half a second when
/// they ignore a request; a busy machine needs longer.
pub const GONE: Duration = Duration::from_secs(10);

/// Where one agent, or several one after the other, live.
pub struct Scene {
    pub state: TempDir,
    pub workspace: TempDir,
    pub mark: String,
}

impl Scene {
    pub fn new() -> Found<Self> {
        let folder = || tempfile::tempdir().map_err(Finding::cannot("make a folder"));
        Ok(Self {
            state: folder()?,
            workspace: folder()?,
            mark: processes::mark(),
        })
    }

    pub fn setup(&self) -> Setup {
        Setup::reference(&program(), self.state.path(), &self.mark)
    }

    pub fn client(&self) -> Found<Client> {
        Client::start(&self.setup())
    }

    /// A session whose tool server, called `inner`, is started by `shim`. It writes to `log` what it
    /// hears: its process, its calls, their cancels.
    pub fn session_with_server(&self, client: &mut Client, shim: &[&str]) -> Found<String> {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_server/server.py");
        let args = ["python3", script, "good", &self.mark];
        let command: Vec<&str> = shim.iter().copied().chain(args).collect();
        let log = self.cwd().join("log");
        let server = json!({"name": "inner", "command": command[0], "args": command[1..],
            "env": [{"name": "LOG", "value": log}]});
        let params = json!({"cwd": self.cwd(), "mcpServers": [server]});
        let answer = client.call("session/new", params)?;
        let id = answer["result"]["sessionId"].as_str();
        id.map(ToOwned::to_owned)
            .ok_or_else(|| Finding(format!("session/new was answered with {answer}")))
    }

    /// What the tool server has written.
    pub fn log(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.cwd().join("log")).unwrap_or_default();
        log.lines().map(ToOwned::to_owned).collect()
    }

    /// Waits until the tool server has written this line.
    pub fn logged(&self, line: &str) -> Found<()> {
        let deadline = Instant::now() + GONE;
        while !self.log().iter().any(|logged| logged == line) {
            must(Instant::now() < deadline, || {
                format!("no {line} in {:?}", self.log())
            })?;
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    pub fn cwd(&self) -> &Path {
        self.workspace.path()
    }

    /// Nothing that carries the mark is left.
    pub fn nothing_left(&self) -> Found<()> {
        match processes::wait_until_gone(&self.mark, GONE) {
            Ok(_) => Ok(()),
            Err(left) => Err(Finding(format!("these processes are left: {left:?}"))),
        }
    }

    /// Closes the agent's input: it ends with status 0, and nothing is left.
    pub fn end(&self, client: Client) -> Found<Vec<serde_json::Value>> {
        let ended = client.end()?;
        must(ended.status.success(), || {
            format!("the agent ended with {}", ended.status)
        })?;
        self.nothing_left()?;
        Ok(ended.messages)
    }
}

/// The agent under test. Another one, such as a release build, can be named.
pub fn program() -> PathBuf {
    env::var_os("ROBUST_AGENT").map_or_else(|| env!("CARGO_BIN_EXE_acp-agent").into(), Into::into)
}

/// A number from the environment, for runs that are longer than those of CI.
pub fn number(name: &str, otherwise: u64) -> u64 {
    env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(otherwise)
}
