//! What `session/new` and `session/load` have in common: where the session works, and which tool
//! servers it gets.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#working-directory>

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use serde_json::value::RawValue;
use wire::Params;

use crate::{
    acp, agent::Agent, error::RequestError, limits, mcp, roots::Roots,
    session::servers::ToolServers, tools::Scope,
};

/// Checks the paths and makes the scope of the session's tools.
///
/// # Errors
/// `InvalidParams` for a path that is relative, or is no folder.
pub(super) fn scope(cwd: &Path, additional: &[PathBuf]) -> Result<Scope, RequestError> {
    check_absolute(cwd)?;
    for path in additional {
        check_absolute(path)?;
    }
    let roots = Roots::new(cwd, additional)
        .map_err(|error| RequestError::InvalidParams(error.to_string()))?;
    Ok(Scope {
        cwd: cwd.to_owned(),
        roots,
    })
}

/// Refuses a relative path: nobody knows what it would be relative to.
///
/// # Errors
/// `InvalidParams` with the path.
pub(super) fn check_absolute(path: &Path) -> Result<(), RequestError> {
    if path.is_absolute() {
        return Ok(());
    }
    let path = path.display();
    Err(RequestError::InvalidParams(format!(
        "{path} is not an absolute path"
    )))
}

/// Finds the entry of `mcpServers` that cannot be read, so that the error can name it. The params
/// as a whole would only say that something is wrong somewhere.
///
/// # Errors
/// `InvalidParams` with the number and the name of the entry, and never with its environment.
pub(super) fn check_entries(params: &Params) -> Result<(), RequestError> {
    #[derive(Deserialize)]
    struct Entries {
        #[serde(rename = "mcpServers")]
        servers: Vec<Box<RawValue>>,
    }
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    // Params that are wrong as a whole are for the parser of the request.
    let Ok(Entries { servers }) = params.parse::<Entries>() else {
        return Ok(());
    };
    for (index, entry) in servers.iter().enumerate() {
        if serde_json::from_str::<acp::McpServer>(entry.get()).is_ok() {
            continue;
        }
        let name = match serde_json::from_str::<Named>(entry.get()) {
            Ok(Named { name }) => format!(" ({:?})", name.chars().take(64).collect::<String>()),
            Err(_) => String::new(),
        };
        return Err(RequestError::InvalidParams(format!(
            "mcpServers[{index}]{name} is no tool server: a stdio server has the members name, \
             command, args and env"
        )));
    }
    Ok(())
}

/// Refuses servers over transports that were not advertised.
///
/// # Errors
/// `InvalidParams` with the server's name.
pub(super) fn check_servers(servers: &[acp::McpServer]) -> Result<(), RequestError> {
    for server in servers {
        if let Some(reason) = mcp::unsupported(server) {
            return Err(RequestError::InvalidParams(reason));
        }
    }
    Ok(())
}

/// Starts the servers; with `--strict-mcp` waits for them, and fails when one of them does.
///
/// # Errors
/// `Internal`, naming the first server that could not be started.
pub(super) async fn start_servers(
    agent: &Arc<Agent>,
    servers: Vec<acp::McpServer>,
    cwd: &Path,
) -> Result<ToolServers, RequestError> {
    let started = agent.start_servers(servers, cwd);
    if !agent.config.strict_mcp {
        return Ok(started);
    }
    let ready = tokio::select! {
        ready = started.ready() => ready,
        () = agent.ending.cancelled() => return Err(RequestError::ShuttingDown),
    };
    match ready.as_ref().and_then(|ready| ready.failures().first()) {
        None => Ok(started),
        Some(failure) => {
            let error = RequestError::Internal(failure.to_string());
            started.end(limits::SERVERS_END).await;
            Err(error)
        }
    }
}
