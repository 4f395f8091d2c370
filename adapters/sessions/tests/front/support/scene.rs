//! The folders of a test, in which everything that a program writes ends up.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::{Fake, Program};

/// Limits that are short enough for a test. What must not end by itself has its usual one.
const LIMITS: [(&str, &str); 5] = [
    ("READINESS_POLL", "20"),
    ("LOOK_INTERVAL", "20"),
    ("INTERRUPT_RETRY", "20"),
    ("FULL_FIRST", "20"),
    ("FULL_LONGEST", "20"),
];

/// The folders, and what is set for the programs that are started in them.
pub struct Scene {
    folder: TempDir,
    limits: Vec<(String, String)>,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["data", "config", "project"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let limits = LIMITS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            folder,
            limits: limits.into(),
        }
    }

    /// With one limit changed, in milliseconds.
    pub fn limit(mut self, name: &str, millis: u64) -> Self {
        self.limits.push((name.to_owned(), millis.to_string()));
        self
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Whether a daemon was ever started here.
    pub fn has_endpoint(&self) -> bool {
        self.data().join("daemon.json").exists()
    }

    /// A store with these workspaces, and no daemon.
    pub fn store(&self, workspaces: &[&str]) {
        let store = acp_sessions::store::Store::open(&self.data().join("store.sqlite")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            for name in workspaces {
                store.create_workspace((*name).to_owned()).await.unwrap();
            }
        });
    }

    /// A fake daemon with the workspace `editor`.
    pub fn fake(&self) -> Fake {
        Fake::start(&self.data())
    }

    /// The program, with the environment of this scene.
    pub fn command(&self, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(Path::new(env!("CARGO_BIN_EXE_acp-sessions")));
        command
            .args(args)
            .current_dir(self.project())
            .env("ACP_SESSIONS_DATA_DIR", self.data())
            .env("ACP_SESSIONS_CONFIG_DIR", self.config())
            .env_remove("ACP_SESSIONS_INSTANCE")
            // A proxy of the user's must not be used.
            .env("http_proxy", "http://127.0.0.1:9")
            .env("HTTP_PROXY", "http://127.0.0.1:9");
        for (name, value) in &self.limits {
            command.env(format!("ACP_SESSIONS_LIMIT_{name}_MS"), value);
        }
        command
    }

    /// A front of the workspace `editor`, with further flags.
    pub fn front(&self, flags: &[&str]) -> Program {
        Program::start(self.command(["acp", "--workspace", "editor"].iter().chain(flags)))
    }

    /// A front that was not told its workspace.
    pub fn program(&self, args: &[&str]) -> Program {
        Program::start(self.command(args))
    }
}
