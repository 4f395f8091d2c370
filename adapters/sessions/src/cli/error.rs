//! Why a command did not do what was asked.

use std::{io, path::PathBuf};

use crate::{
    api::SessionId, client::ClientError, daemon::DaemonError, flags::in_flags,
    instance::InstanceError, retire::Unretired, workspace_name::WorkspaceRefused,
};

/// What is told on stderr. Each says what to do next, where that is not the daemon's to say.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    #[error(transparent)]
    Instance(#[from] InstanceError),
    #[error("the runtime could not be started: {0}")]
    Runtime(io::Error),
    #[error("the log {} cannot be written: {source}", .path.display())]
    Log { path: PathBuf, source: io::Error },
    #[error("standard output cannot be written: {0}")]
    Output(io::Error),
    #[error("standard input or output cannot be used: {0}")]
    Stdio(io::Error),
    #[error("{command}: {refused}")]
    Workspace {
        command: &'static str,
        refused: WorkspaceRefused,
    },
    #[error("{}", in_flags(&.0.to_string()))]
    Client(#[from] ClientError),
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    #[error("{}", .0.join("\nacp-sessions: "))]
    Front(Vec<String>),
    #[error("{}: {source}", .path.display())]
    Directory { path: PathBuf, source: io::Error },
    #[error("no session begins with {0}; list them with: acp-sessions sessions")]
    NoSession(String),
    #[error("several sessions begin with {prefix}: {}; say more of the id", .ids.join(", "))]
    ManySessions { prefix: String, ids: Vec<String> },
    #[error("session {id} {why}; see: acp-sessions sessions --session {id}")]
    NotReady { id: SessionId, why: String },
    #[error("{0}")]
    Unretired(#[from] Unretired),
    #[error("turn {turn} of session {id} {how}")]
    Turn {
        id: SessionId,
        turn: String,
        how: String,
    },
    #[error("session {0} has nothing to interrupt; see: acp-sessions sessions --session {0}")]
    NothingToInterrupt(SessionId),
    #[error("there is no text: give it behind the options, or `-` to read it from stdin")]
    NoText,
    #[error("{0} of these checks failed")]
    Doctor(usize),
    #[error("an answer cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}
