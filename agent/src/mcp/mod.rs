//! The tool servers of a session: started, listed, called, closed.
//!
//! They belong to one session and to nobody else: a server that two sessions name runs twice, with
//! the environment of each. rmcp speaks the protocol over the pipes; the processes are ours, below
//! a supervisor like every other (see [`crate::proc`]), because a server may fork, ignore its end,
//! or outlive a transport that was dropped.
//!
//! Must stay true:
//!
//! - A server that fails, at the start or later, fails alone, and is told of by name.
//! - Every wait has a deadline and every answer a bound; see [`limits`].
//! - [`Servers::close`] returns when no process is left, or at its deadline; dropping [`Servers`]
//!   ends the processes too, without waiting.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers>

mod catalog;
mod client;
mod connection;
mod failure;
mod http;
mod incoming;
pub mod limits;
mod naming;
mod program;
mod request;
mod result;
mod server;
mod signals;
mod stderr;
mod tool;
mod transport;

use std::{
    ffi::OsString,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures::future::join_all;
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

pub use failure::{Failure, StartError};
pub use limits::Deadlines;

use crate::{
    acp,
    proc::Supervisor,
    tools::{self, Tool},
};
use connection::Connection;
use server::{Ground, Server};
use tool::ServerTool;

/// The tool servers of one session.
pub struct Servers {
    connections: Vec<Arc<Connection>>,
    failures: Vec<Failure>,
    close: CancellationToken,
    /// One for each server; ends when its processes are gone.
    owners: Mutex<Vec<AbortOnDropHandle<()>>>,
    /// Counts the changes of the tools.
    revision: Arc<AtomicU64>,
    /// The tools as they were offered last.
    offered: Mutex<Option<Offer>>,
}

/// The tools at one revision. Kept, because every turn asks for them and they hardly ever change.
struct Offer {
    revision: u64,
    tools: Vec<Arc<dyn Tool>>,
}

impl Servers {
    /// Starts all servers at once, in `cwd` and with `environment` plus what each brings along.
    /// Returns when each has told its tools or has failed.
    pub async fn start(
        servers: &[acp::McpServer],
        cwd: &Path,
        supervisor: &Supervisor,
        environment: &[(OsString, OsString)],
    ) -> Self {
        Self::start_within(servers, cwd, supervisor, environment, Deadlines::default()).await
    }

    /// [`Servers::start`] with other deadlines than the usual ones.
    pub async fn start_within(
        servers: &[acp::McpServer],
        cwd: &Path,
        supervisor: &Supervisor,
        environment: &[(OsString, OsString)],
        deadlines: Deadlines,
    ) -> Self {
        let ground = Ground {
            cwd,
            supervisor,
            environment,
            deadlines,
            revision: Arc::default(),
            close: CancellationToken::new(),
        };
        let given: Vec<_> = servers.iter().map(name).collect();
        let names = naming::servers(&given).into_iter().enumerate();
        let starts = names
            .zip(servers)
            .map(|((index, name), server)| start(index, name, server, &ground));
        let mut all = Self {
            connections: Vec::new(),
            failures: Vec::new(),
            close: ground.close.clone(),
            owners: Mutex::default(),
            revision: Arc::clone(&ground.revision),
            offered: Mutex::default(),
        };
        let mut owners = Vec::new();
        for started in join_all(starts).await {
            match started {
                Ok(Server { connection, owner }) => {
                    all.connections.push(connection);
                    owners.push(owner);
                }
                Err(failure) => {
                    tracing::warn!("{failure}");
                    all.failures.push(failure);
                }
            }
        }
        all.owners = Mutex::new(owners);
        all
    }

    /// The servers that could not be started.
    #[must_use]
    pub fn failures(&self) -> &[Failure] {
        &self.failures
    }

    /// What a model should know about the tools: where some are left out.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for connection in &self.connections {
            let (server, catalog) = (&connection.name, connection.catalog());
            if catalog.cut {
                let count = catalog.tools.len();
                notes.push(format!("the tool server {server} has more tools than can be offered; these are its first {count}"));
            }
            if catalog.unreadable > 0 {
                let count = catalog.unreadable;
                notes.push(format!("the tool server {server} has {count} tools without a proper name or schema; they are left out"));
            }
        }
        notes
    }

    /// Changes whenever [`Servers::tools`] does.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    /// All tools, under names that are unique among them and among the built-in ones.
    #[must_use]
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        // Read before the catalogs are: a change in between makes the next call build them anew.
        let revision = self.revision();
        let mut offered = self.offered.lock().unwrap_or_else(PoisonError::into_inner);
        match &*offered {
            Some(offer) if offer.revision == revision => offer.tools.clone(),
            _ => {
                let tools = self.collect();
                *offered = Some(Offer {
                    revision,
                    tools: tools.clone(),
                });
                tools
            }
        }
    }

    fn collect(&self) -> Vec<Arc<dyn Tool>> {
        let mut found = Vec::new();
        for connection in &self.connections {
            for tool in &connection.catalog().tools {
                found.push((Arc::clone(connection), Arc::clone(tool)));
            }
        }
        let own: Vec<_> = found
            .iter()
            .map(|(connection, tool)| (connection.name.as_str(), tool.name.as_str()))
            .collect();
        let names = naming::offered(&own, &tools::NAMES);
        names
            .into_iter()
            .zip(found)
            .map(|(name, (connection, tool))| -> Arc<dyn Tool> {
                Arc::new(ServerTool::new(name, connection, tool))
            })
            .collect()
    }

    /// Closes all servers at once and waits until their processes are gone, or for the deadline,
    /// after which they are left to their supervisors. Returns whether all were gone in time.
    pub async fn close(&self, deadline: Duration) -> bool {
        self.close.cancel();
        let owners =
            std::mem::take(&mut *self.owners.lock().unwrap_or_else(PoisonError::into_inner));
        let closed = timeout(deadline, join_all(owners)).await.is_ok();
        if !closed {
            tracing::warn!("some tool servers did not end in time");
        }
        closed
    }
}

async fn start(
    index: usize,
    name: String,
    server: &acp::McpServer,
    ground: &Ground<'_>,
) -> Result<Server, Failure> {
    let failed = |server, cause| Failure {
        server,
        cause: Arc::new(cause),
        stderr_tail: String::new(),
    };
    if index >= limits::MAX_SERVERS {
        return Err(failed(name, StartError::TooMany(limits::MAX_SERVERS)));
    }
    match server {
        acp::McpServer::Stdio(server) => server::start(name, server, ground).await,
        acp::McpServer::Http(server) => http::start(name, server, ground).await,
        other => {
            let reason = unsupported(other).unwrap_or_default();
            Err(failed(name, StartError::Unsupported(reason)))
        }
    }
}

/// Why a server cannot be reached at all: its transport is none that was advertised.
#[must_use]
pub fn unsupported(server: &acp::McpServer) -> Option<String> {
    let transport = match server {
        acp::McpServer::Stdio(_) | acp::McpServer::Http(_) => return None,
        acp::McpServer::Sse(_) => "sse",
        _ => "given",
    };
    let name = name(server);
    Some(format!(
        "the tool server {name} cannot be reached: this agent does not support the {transport} transport, only stdio and http"
    ))
}

fn name(server: &acp::McpServer) -> &str {
    match server {
        acp::McpServer::Stdio(server) => &server.name,
        acp::McpServer::Http(server) => &server.name,
        acp::McpServer::Sse(server) => &server.name,
        _ => "without a known name",
    }
}
