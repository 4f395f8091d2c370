//! One server over streamable HTTP, from its first message to the end of its session.
//!
//! There is no process here: the end of the server is known when a call finds it.
//!
//! A stream that breaks off is not resumed; the call that waits for it fails and says so.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#http-transport>
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod bridge;
mod endpoint;

use std::sync::{Arc, Mutex};

use tokio::{io::duplex, sync::watch};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use self::endpoint::Endpoint;
use super::{
    connection::Connection,
    failure::{Failure, StartError},
    server::{Ground, Server, Service, meet},
    signals::Signals,
    stderr::Stderr,
    transport::Transport,
};
use crate::acp;

/// Bytes between the bridge and its ends, each way: what a pipe holds.
const PIPE: usize = 64 * 1024;

/// Meets a server and learns its tools.
pub(super) async fn start(
    name: String,
    server: &acp::McpServerHttp,
    ground: &Ground<'_>,
) -> Result<Server, Failure> {
    let deadlines = ground.deadlines;
    let failed = |cause: StartError| Failure {
        server: name.clone(),
        cause: Arc::new(cause),
        stderr_tail: String::new(),
    };
    let endpoint = Endpoint::new(server).map_err(failed)?;
    let (near_input, far_input) = duplex(PIPE);
    let (far_output, near_output) = duplex(PIPE);
    let bridge = tokio::spawn(bridge::carry(endpoint, far_input, far_output));
    let bridge = AbortOnDropHandle::new(bridge);
    let signals = Arc::new(Signals::new());
    let transport = Transport::new(near_input, near_output, Arc::clone(&signals));
    let (service, catalog) = meet(transport, &signals, deadlines).await.map_err(failed)?;
    let connection = Arc::new(Connection {
        name,
        peer: service.peer().clone(),
        deadlines,
        // Nobody reads what a server on another machine logs.
        stderr: Stderr::read(tokio::io::empty()),
        ended: watch::Sender::new(None),
        catalog: Mutex::new(Arc::new(catalog)),
        signals,
        listed: watch::Sender::new(0),
        revision: Arc::clone(&ground.revision),
    });
    let owner = own(
        Arc::clone(&connection),
        service,
        bridge,
        ground.close.clone(),
    );
    Ok(Server {
        connection,
        owner: AbortOnDropHandle::new(tokio::spawn(owner)),
    })
}

/// Owns the connection until its session is ended.
async fn own(
    connection: Arc<Connection>,
    mut service: Service,
    bridge: AbortOnDropHandle<()>,
    close: CancellationToken,
) {
    tokio::select! {
        biased;
        () = close.cancelled() => {}
        () = connection.follow_changes() => {}
    }
    let deadlines = connection.deadlines;
    // Closes the bridge's input: it ends the session at the server and then itself.
    let _ = service.close_with_timeout(deadlines.last_words).await;
    let _ = tokio::time::timeout(deadlines.grace, bridge).await;
    connection
        .ended
        .send_replace(Some("it was closed".to_owned()));
}
