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
    time::Duration,
};

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
