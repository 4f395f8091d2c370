//! One run of the server on stdio: from the first line to a clean end.
//!
//! What must stay true: end of input, SIGTERM, SIGINT and SIGHUP all end the process with status 0,
//! also before `initialize`; calls that were read before the end of input are answered.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown>

use std::io;

use rmcp::{
    ServiceExt as _,
    service::{QuitReason, ServerInitializeError},
    transport::stdio,
};
use tokio::signal::unix::{SignalKind, signal};

use crate::{
    cli::Options,
    record::{Event, Record, RecordError},
    server::Rondar,
};

/// Why the server could not run to a clean end.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The runtime or the signal handlers could not be set up.
    #[error("cannot start: {0}")]
    Start(#[from] io::Error),
    /// The record cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The peer did not open an MCP session.
    #[error("no MCP session: {0}")]
    Initialize(#[from] Box<ServerInitializeError>),
    /// The task that serves the connection failed.
    #[error("the connection failed: {0}")]
    Connection(#[from] tokio::task::JoinError),
}

/// Serves MCP on stdin and stdout until the input ends or a signal asks for the end.
///
/// # Errors
/// See [`ServeError`]. End of input and the signals are no errors.
pub fn run(options: &Options) -> Result<(), ServeError> {
    let record = Record::open(options.record.as_deref())?;
    record.append(&Event::started())?;

    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(until_the_end(record.clone()));
    // A read of stdin may be under way on a thread that nothing can wake: do not wait for it.
    runtime.shutdown_background();

    record.append(&Event::ended())?;
    served
}

async fn until_the_end(record: Record) -> Result<(), ServeError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::select! {
        served = session(record) => served,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
        _ = hang_up.recv() => Ok(()),
    }
}

/// One MCP session; it ends with its input.
async fn session(record: Record) -> Result<(), ServeError> {
    let service = match Rondar::new(record).serve(stdio()).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error).into()),
    };
    match service.waiting().await? {
        QuitReason::JoinError(error) => Err(error.into()),
        _ => Ok(()),
    }
}
