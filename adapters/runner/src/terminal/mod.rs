//! The agent's terminals: commands that it runs on this side, under this side's eyes.
//!
//! Must stay true: every command runs in a process tree of its own and ends with it; nothing waits
//! for a process that a command left behind; memory is bounded by the limits of the outputs; and
//! when [`Terminals::end`] returns, no process of any terminal is left.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/terminals>

mod output;
mod run;

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use process_tree::{Access, CommandSpec, Supervisor};
use serde_json::{Value, json};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use wire::{Error, INVALID_PARAMS, Responder};

use crate::{
    environment::{self, Environment},
    files::{confine::Workspace, refusal},
};
use run::Terminal;

/// How much output is kept when the agent does not say.
const DEFAULT_LIMIT: usize = 16_000;

/// How much output is kept at most, whatever the agent says.
const MOST_LIMIT: usize = 16 * 1024 * 1024;

/// How many terminals may exist at once. An agent that releases none is told.
const MOST: usize = 64;

/// How many requests may wait for the end of a command.
const MOST_WAITING: usize = 1_000;

/// All terminals. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Terminals {
    workspace: Arc<Workspace>,
    supervisor: Supervisor,
    environment: Arc<Environment>,
    open: Arc<Mutex<Open>>,
    tasks: TaskTracker,
    /// Ends all of them.
    end: CancellationToken,
}

#[derive(Debug, Default)]
struct Open {
    last: u64,
    terminals: HashMap<String, Arc<Terminal>>,
}

impl Terminals {
    /// No terminals yet.
    pub fn new(
        workspace: Arc<Workspace>,
        supervisor: Supervisor,
        environment: Environment,
    ) -> Self {
        Self {
            workspace,
            supervisor,
            environment: Arc::new(environment),
            open: Arc::default(),
            tasks: TaskTracker::new(),
            end: CancellationToken::new(),
        }
    }

    /// Whether a method is one of terminals.
    pub fn serves(method: &str) -> bool {
        matches!(
            method.strip_prefix("terminal/"),
            Some("create" | "output" | "wait_for_exit" | "kill" | "release")
        )
    }

    /// Serves a request. Never waits.
    pub fn serve(&self, method: &str, params: &Value, responder: Responder) {
        if method == "terminal/create" {
            return responder.finish(self.create(params));
        }
        let id = params["terminalId"].as_str().unwrap_or_default();
        let Some(terminal) = self.open().terminals.get(id).cloned() else {
            let message = format!("no terminal with id \"{id}\"");
            return responder.error(Error::new(INVALID_PARAMS, message));
        };
        match method {
            "terminal/output" => responder.respond(&terminal.output()),
            "terminal/wait_for_exit" if self.tasks.len() >= MOST + MOST_WAITING => {
                let message = "too many requests wait for the end of a command";
                responder.error(Error::new(INVALID_PARAMS, message));
            }
            "terminal/wait_for_exit" => {
                self.tasks.spawn(async move {
                    let cancelled = responder.cancelled();
                    tokio::select! {
                        exit = terminal.exit() => responder.respond(&exit),
                        // Answers that it was cancelled.
                        () = cancelled.cancelled() => drop(responder),
                    }
                });
            }
            "terminal/release" => {
                terminal.kill();
                self.open().terminals.remove(id);
                responder.respond(&json!({}));
            }
            _ => {
                terminal.kill();
                responder.respond(&json!({}));
            }
        }
    }

    fn create(&self, params: &Value) -> Result<Value, Error> {
        let invalid = |message: &str| Error::new(INVALID_PARAMS, message);
        let command = params["command"].as_str().unwrap_or_default();
        if command.trim().is_empty() {
            return Err(invalid("\"command\" is empty"));
        }
        let cwd = match &params["cwd"] {
            Value::Null => self.workspace.root().to_owned(),
            Value::String(cwd) => {
                let located = self.workspace.locate(cwd.as_ref());
                located.map_err(|refused| refusal(cwd, &refused))?.path
            }
            _ => return Err(invalid("\"cwd\" must be a string")),
        };
        let limit = match params["outputByteLimit"].as_u64() {
            None | Some(0) => DEFAULT_LIMIT,
            Some(limit) => usize::try_from(limit).unwrap_or(MOST_LIMIT).min(MOST_LIMIT),
        };
        let spec = spec(command, params, cwd, &self.environment);
        let mut open = self.open();
        if open.terminals.len() >= MOST || self.end.is_cancelled() {
            return Err(invalid("too many terminals are open; release some"));
        }
        open.last += 1;
        let id = format!("term-{}", open.last);
        let terminal = Arc::new(Terminal::new(limit, self.end.child_token()));
        open.terminals.insert(id.clone(), Arc::clone(&terminal));
        drop(open);
        self.tasks
            .spawn(run::run(terminal, self.supervisor.clone(), spec));
        Ok(json!({"terminalId": id}))
    }

    /// Ends all of them, and returns when nothing is left.
    pub async fn end(&self) {
        self.end.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to start: with the agent's own environment, and what the agent adds.
fn spec(command: &str, params: &Value, cwd: PathBuf, environment: &Environment) -> CommandSpec {
    let list = |name: &str| params[name].as_array().into_iter().flatten();
    let added: Environment = list("env")
        .filter_map(|entry| {
            let name = entry["name"].as_str()?;
            let value = entry["value"].as_str().unwrap_or_default();
            // No environment can hold these, and one bad entry must not take the command down.
            let is_bad = name.is_empty() || name.contains(['=', '\0']) || value.contains('\0');
            (!is_bad).then(|| (name.into(), value.into()))
        })
        .collect();
    CommandSpec {
        program: command.into(),
        args: list("args")
            .filter_map(Value::as_str)
            .map(Into::into)
            .collect(),
        cwd,
        env: environment::with(environment, &added),
        access: Access::Full,
    }
}
