//! A workspace on the disk, and a way to call tools in it as a turn does.

// Each test program uses its own part of it.
#![allow(dead_code)]

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use acp_agent::{
    proc::{Access, Supervisor},
    roots::Roots,
    tools::{self, Effect, Prepared, Progress, RunContext, Scope, Tool, ToolOutcome},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A workspace `w` in a temporary folder that is removed at the end.
pub struct Scene {
    _temp: tempfile::TempDir,
    /// The folder around the workspace.
    pub top: PathBuf,
    /// Where the calls happen.
    pub scope: Scope,
    /// Cancels the calls.
    pub cancel: CancellationToken,
    /// What running calls have shown.
    pub shown: Arc<Mutex<Vec<String>>>,
}

impl Scene {
    pub fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(temp.path()).unwrap();
        let cwd = top.join("w");
        fs::create_dir(&cwd).unwrap();
        Self {
            scope: Scope {
                roots: Roots::new(&cwd, &[]).unwrap(),
                cwd,
            },
            _temp: temp,
            top,
            cancel: CancellationToken::new(),
            shown: Arc::default(),
        }
    }

    /// A file below the folder around the workspace, with its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.top.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub fn link(&self, path: &str, target: &str) -> &Self {
        std::os::unix::fs::symlink(target, self.top.join(path)).unwrap();
        self
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.top.join(path)).unwrap()
    }

    pub fn prepare(&self, tool: &str, arguments: Value) -> Result<Prepared, String> {
        let tools = tools::built_in(&[]);
        let tool = tools.iter().find(|one| one.spec().name == tool).unwrap();
        tool.prepare(&arguments, &self.scope)
            .map_err(|error| error.to_string())
    }

    /// Prepares and runs a call.
    pub async fn call(&self, tool: &str, arguments: Value) -> (Effect, ToolOutcome) {
        match self.prepare(tool, arguments) {
            Ok(prepared) => (prepared.effect, (prepared.job)(self.context()).await),
            Err(error) => panic!("{tool}: {error}"),
        }
    }

    /// Prepares and runs a call of a tool that is not built in.
    pub async fn call_tool(&self, tool: &dyn Tool, arguments: Value) -> ToolOutcome {
        let prepared = tool.prepare(&arguments, &self.scope).unwrap();
        (prepared.job)(self.context()).await
    }

    pub fn context(&self) -> RunContext {
        let shown = Arc::clone(&self.shown);
        RunContext {
            cancel: self.cancel.clone(),
            access: Access::Full,
            supervisor: supervisor(),
            progress: Progress::new(move |text| shown.lock().unwrap().push(text)),
            environment: Arc::new(environment()),
            client: None,
            trace: acp_agent::trace::Trace::default(),
        }
    }
}

pub fn supervisor() -> Supervisor {
    Supervisor::at(env!("CARGO_BIN_EXE_acp-agent").into())
}

pub fn environment() -> Vec<(OsString, OsString)> {
    vec![("PATH".into(), std::env::var_os("PATH").unwrap())]
}

/// Whether a process is there and is not a zombie.
pub fn is_alive(pid: &str) -> bool {
    let stat = Path::new("/proc").join(pid).join("stat");
    fs::read_to_string(stat).is_ok_and(|stat| !stat.contains(") Z "))
}
