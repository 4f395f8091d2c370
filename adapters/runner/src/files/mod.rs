//! The agent's requests for files: `fs/read_text_file` and `fs/write_text_file`.
//!
//! Must stay true: nothing outside the workspace is read or written, whatever the path says and
//! whatever changes between the look and the opening. The look ([`confine`]) says where a path
//! leads, which the reports need; the opening (`open`) is confined by itself.
//!
//! Requests are served one after the other, in the order in which they came, away from the runner's
//! loop: a disk may be slow.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/file-system>

pub mod confine;
mod open;

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use wire::{Error, INTERNAL_ERROR, INVALID_PARAMS, Responder};

use crate::{event::Access, outlet::Outlet, path_policy::PathPolicy};
use confine::{Located, Refused, Workspace};
use open::Opened;

/// The method that reads.
pub const READ: &str = "fs/read_text_file";
/// The method that writes.
pub const WRITE: &str = "fs/write_text_file";

/// How many requests wait until the agent is held back. It waits for its answers, so more than a few
/// are a flood. Each begun MiB of content counts as one.
const WAITING: usize = 64;

/// A request that waits.
struct Job {
    method: String,
    params: Value,
    responder: Responder,
    weight: usize,
}

/// Serves requests.
#[derive(Debug)]
pub struct Files {
    /// Bounded by [`Files::room`], and by what the connection holds.
    jobs: mpsc::UnboundedSender<Job>,
    /// How many wait, with the one that is served.
    waiting: watch::Sender<usize>,
}

impl Files {
    /// Starts to serve.
    pub fn start(workspace: Arc<Workspace>, mut policy: PathPolicy, outlet: Outlet) -> Self {
        let (sender, mut jobs) = mpsc::unbounded_channel::<Job>();
        let waiting = watch::Sender::new(0);
        let served = waiting.clone();
        tokio::spawn(async move {
            while let Some(job) = jobs.recv().await {
                let (method, workspace) = (job.method.clone(), Arc::clone(&workspace));
                let serve = move || serve(&workspace, &job.method, &job.params);
                let (located, answer) = match tokio::task::spawn_blocking(serve).await {
                    Ok(served) => served,
                    Err(_) => (
                        None,
                        Err(Error::new(
                            INTERNAL_ERROR,
                            format!("the runner failed to serve {method}"),
                        )),
                    ),
                };
                let access = if method == WRITE {
                    Access::Write
                } else {
                    Access::Read
                };
                if let Some(located) = located
                    && let Some(event) = policy.touch(access, &located.relative, &method)
                {
                    outlet.send(event).await;
                }
                job.responder.finish(answer);
                served.send_modify(|count| *count -= job.weight);
            }
        });
        Self {
            jobs: sender,
            waiting,
        }
    }

    /// Waits until another request should be taken.
    pub async fn room(&self) {
        let mut waiting = self.waiting.subscribe();
        // The sender is here, so the wait cannot fail.
        let _ = waiting.wait_for(|count| *count < WAITING).await;
    }

    /// Takes a request. Never waits.
    pub fn serve(&self, method: String, params: Value, responder: Responder) {
        let content = params["content"].as_str().unwrap_or_default();
        let weight = 1 + content.len() / (1024 * 1024);
        self.waiting.send_modify(|count| *count += weight);
        let job = Job {
            weight,
            method,
            params,
            responder,
        };
        // The task ends with the runtime only; a dropped responder answers by itself.
        let _ = self.jobs.send(job);
    }
}

type Served = (Option<Located>, Result<Value, Error>);

fn serve(workspace: &Workspace, method: &str, params: &Value) -> Served {
    let Some(path) = params["path"].as_str() else {
        return (
            None,
            Err(Error::invalid_params("\"path\" must be a string")),
        );
    };
    let located = match workspace.locate(Path::new(path)) {
        Ok(located) => located,
        Err(refused) => return (None, Err(refusal(path, &refused))),
    };
    let answer = if method == WRITE {
        let content = params["content"].as_str().unwrap_or_default();
        write(workspace, &located, path, content)
    } else {
        read(workspace, &located, path, params)
    };
    (Some(located), answer)
}

/// The error for a path that leads out.
pub fn refusal(path: &str, refused: &Refused) -> Error {
    let message = match refused {
        Refused::Outside => format!("refused: \"{path}\" is outside the workspace"),
        other => format!("refused: \"{path}\" is outside the workspace ({other})"),
    };
    Error::new(INVALID_PARAMS, message)
}

fn read(
    workspace: &Workspace,
    located: &Located,
    path: &str,
    params: &Value,
) -> Result<Value, Error> {
    let failed = |message: String| Error::new(INVALID_PARAMS, message);
    let text = match open::read(workspace.folder(), &located.relative) {
        Ok(Opened::Text(text)) => text,
        Ok(Opened::TooLarge(size)) => {
            return Err(failed(format!(
                "refused: \"{path}\" is {size} bytes, over the 16 MiB read cap"
            )));
        }
        Err(error) => return Err(failed(format!("could not read \"{path}\": {error}"))),
    };
    let first = params["line"].as_u64().unwrap_or(1).max(1) - 1;
    let limit = params["limit"].as_u64();
    if first == 0 && limit.is_none() {
        return Ok(json!({"content": text}));
    }
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let lines: Vec<&str> = text
        .split('\n')
        .skip(size(first))
        .take(limit.map_or(usize::MAX, size))
        .collect();
    Ok(json!({"content": lines.join("\n")}))
}

fn write(
    workspace: &Workspace,
    located: &Located,
    path: &str,
    content: &str,
) -> Result<Value, Error> {
    match open::write(workspace.folder(), &located.relative, content) {
        Ok(()) => Ok(json!({})),
        Err(error) => {
            let message = format!("could not write \"{path}\": {error}");
            Err(Error::new(INVALID_PARAMS, message))
        }
    }
}
