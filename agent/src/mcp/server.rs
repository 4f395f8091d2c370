//! One stdio server, from its start to the end of its last process.
//!
//! A task owns the process tree; nobody else can end it, and it cannot be forgotten: dropping the
//! task's handle drops the tree, and the supervisor ends what is left.
//!
//! ```text
//!   spawn ── initialize ── tools/list ──> running ──> closed by us: stdin closed ── grace ── signals
//!     └──────────┴──────────────┴─────────> failed     └──> ended by itself: the cause is kept
//! ```
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#stdio-transport>
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle>

use std::{
    ffi::OsString,
    path::Path,
    sync::{Arc, Mutex, atomic::AtomicU64},
};

use rmcp::{
    ServiceExt,
    model::ClientConfig,
    service::{ClientInitializeError, RoleClient, RunningService},
};
use tokio::{
    sync::watch,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    catalog::Catalog,
    client,
    connection::Connection,
    failure::{Failure, StartError},
    incoming::UNREADABLE,
    limits::Deadlines,
    program,
    request::NoResult,
    signals::Signals,
    stderr::Stderr,
    transport::Transport,
};
use crate::{
    acp,
    proc::{self, Ended, Piped, Supervisor, Tree},
    tools::headline,
};

/// What all servers of a session are started with.
#[derive(Clone)]
pub(super) struct Ground<'a> {
    pub(super) cwd: &'a Path,
    pub(super) supervisor: &'a Supervisor,
    pub(super) environment: &'a [(OsString, OsString)],
    pub(super) deadlines: Deadlines,
    pub(super) revision: Arc<AtomicU64>,
    /// Flipped to close all servers.
    pub(super) close: CancellationToken,
}

/// A server that runs, or has run.
pub(super) struct Server {
    pub(super) connection: Arc<Connection>,
    /// Ends when no process of the server is left.
    pub(super) owner: AbortOnDropHandle<()>,
}

pub(super) type Service = RunningService<RoleClient, ClientConfig>;

/// Starts a server and learns its tools.
pub(super) async fn start(
    name: String,
    server: &acp::McpServerStdio,
    ground: &Ground<'_>,
) -> Result<Server, Failure> {
    let deadlines = ground.deadlines;
    let failed = |cause: StartError, stderr_tail| Failure {
        server: name.clone(),
        cause: Arc::new(cause),
        stderr_tail,
    };
    let piped = match program::command(server, ground.cwd, ground.environment) {
        Ok(command) => proc::start_piped(ground.supervisor, command).await,
        Err(cause) => return Err(failed(cause, String::new())),
    };
    let Piped {
        stdin,
        stdout,
        stderr,
        mut tree,
    } = piped.map_err(|cause| failed(cause.into(), String::new()))?;
    let stderr = Stderr::read(stderr);
    let signals = Arc::new(Signals::new());
    let transport = Transport::new(stdin, stdout, Arc::clone(&signals));
    let met = tokio::select! {
        biased;
        met = meet(transport, &signals, deadlines) => met,
        ended = tree.wait() => Err(StartError::Ended(cause(&ended))),
    };
    let (service, catalog) = match met {
        Ok(met) => met,
        Err(error) => {
            let error = end_failed(&mut tree, error, deadlines).await;
            return Err(failed(error, stderr.last_words(deadlines.last_words).await));
        }
    };
    let connection = Arc::new(Connection {
        name,
        peer: service.peer().clone(),
        deadlines,
        stderr,
        ended: watch::Sender::new(None),
        catalog: Mutex::new(Arc::new(catalog)),
        signals,
        listed: watch::Sender::new(0),
        revision: Arc::clone(&ground.revision),
    });
    let owner = own(Arc::clone(&connection), service, tree, ground.close.clone());
    Ok(Server {
        connection,
        owner: AbortOnDropHandle::new(tokio::spawn(owner)),
    })
}

/// The handshake and the first list of tools, within one deadline.
pub(super) async fn meet(
    transport: Transport,
    signals: &Signals,
    deadlines: Deadlines,
) -> Result<(Service, Catalog), StartError> {
    let end = Instant::now() + deadlines.start;
    let silent = |request| {
        move |_| StartError::Silent {
            request,
            deadline: deadlines.start,
        }
    };
    let mut troubles = signals.troubles();
    let service = tokio::select! {
        biased;
        met = timeout_at(end, client::config().serve(transport)) => met
            .map_err(silent("initialize"))?
            .map_err(|error| initialize_problem(&error))?,
        Ok(Some(trouble)) = async { troubles.changed().await.map(|()| *troubles.borrow()) } => {
            return Err(no_result("initialize", NoResult::Dropped(trouble)));
        }
    };
    let catalog = timeout_at(end, Catalog::load(service.peer(), signals))
        .await
        .map_err(silent("tools/list"))?
        .map_err(|error| no_result("tools/list", error))?;
    Ok((service, catalog))
}

/// What the server did, without a dump of its messages.
fn initialize_problem(error: &ClientInitializeError) -> StartError {
    match error {
        ClientInitializeError::ConnectionClosed(_)
        | ClientInitializeError::TransportError { .. } => StartError::Closed,
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_) => {
            answer("initialize", "it sent something else")
        }
        ClientInitializeError::JsonRpcError(error) if error.code == UNREADABLE => {
            let error = NoResult::Unreadable(error.message.to_string());
            no_result("initialize", error)
        }
        ClientInitializeError::JsonRpcError(error) => {
            no_result("initialize", NoResult::Refused(error.clone()))
        }
        error => answer("initialize", &error.to_string()),
    }
}

fn no_result(request: &'static str, why: NoResult) -> StartError {
    match why {
        NoResult::Closed => StartError::Closed,
        why @ NoResult::Refused(_) => StartError::Refused {
            request,
            reason: headline(&why.to_string(), 500),
        },
        why => answer(request, &why.to_string()),
    }
}

fn answer(request: &'static str, problem: &str) -> StartError {
    StartError::Answer {
        request,
        // It may quote what the server sent, which may be anything.
        problem: headline(problem, 500),
    }
}

/// Ends what a failed start has left. A server that closed its output has mostly ended, and how it
/// did is the better cause.
async fn end_failed(tree: &mut Tree, error: StartError, deadlines: Deadlines) -> StartError {
    let error = match error {
        StartError::Closed => match timeout(deadlines.last_words, tree.wait()).await {
            Ok(ended) => StartError::Ended(cause(&ended)),
            Err(_) => StartError::Closed,
        },
        error => error,
    };
    if timeout(deadlines.end, tree.end()).await.is_err() {
        tracing::warn!("a tool server that failed to start could not be ended in time");
    }
    error
}

/// Owns a running server until no process of it is left.
async fn own(
    connection: Arc<Connection>,
    mut service: Service,
    mut tree: Tree,
    close: CancellationToken,
) {
    let deadlines = connection.deadlines;
    let ended = tokio::select! {
        biased;
        () = close.cancelled() => None,
        ended = tree.wait() => Some(ended),
        () = connection.follow_changes() => None,
    };
    if let Some(ended) = ended {
        let cause = cause(&ended);
        tracing::warn!(server = %connection.name, %cause, "the tool server has ended");
        connection.ended.send_replace(Some(cause));
        // Answers that are still in the pipe; its end ends the service.
        let _ = timeout(deadlines.last_words, service.waiting()).await;
        return;
    }
    // Closes its stdin: a well-behaved server ends now.
    let _ = service.close_with_timeout(deadlines.last_words).await;
    if timeout(deadlines.grace, tree.wait()).await.is_err() {
        tree.end().await;
    }
    connection
        .ended
        .send_replace(Some("it was closed".to_owned()));
}

/// How a process ended, in words.
fn cause(ended: &Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("it ended with exit code {code}"),
        Ended::Signaled(signal) => format!("it was ended by signal {signal}"),
        Ended::TimedOut | Ended::Cancelled => "it was ended".to_owned(),
        Ended::Lost(cause) => format!("it was lost: {cause}"),
    }
}
