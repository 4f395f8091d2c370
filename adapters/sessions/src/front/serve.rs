//! The life of a front: messages until the input ends or a signal comes, then the one way out.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{future::Future, sync::Arc, time::Duration};

use tokio_util::{sync::CancellationToken, task::TaskTracker};
use wire::{Call, End, Incoming, Peer};

use super::{Front, Settings, handlers, owned::Owned, policy};
use crate::client::{Connector, Daemon};

/// How long the last answers may take to be written. A client that is gone does not read them.
const LAST_WRITE: Duration = Duration::from_secs(2);

/// Serves one client until its input ends or `signal` is ready, then retires the sessions.
///
/// # Errors
/// What went wrong, each a text for a person: the connection broke, sessions were not retired as
/// asked, or nothing came of the front but refusals.
pub async fn serve(
    settings: Settings,
    connector: Connector,
    (peer, mut incoming): (Peer, Incoming),
    signal: impl Future<Output = ()>,
) -> Result<(), Vec<String>> {
    let front = Arc::new(Front {
        settings,
        daemon: Daemon::new(connector),
        peer: peer.clone(),
        owned: Owned::default(),
        closing: CancellationToken::new(),
        creations: TaskTracker::new(),
        turns: TaskTracker::new(),
    });
    let closed = peer.closed();
    tokio::pin!(signal);
    let left = loop {
        let call = tokio::select! {
            biased;
            () = &mut signal => break false,
            () = closed.cancelled() => break false,
            call = incoming.next() => call,
        };
        match call {
            Some(call) => handlers::handle(&front, call),
            None => break matches!(peer.end(), Some(End::Eof)),
        }
    };
    front.closing.cancel();
    let retired = tokio::select! {
        biased;
        retired = policy::retire(&front) => retired,
        // After a signal the client still speaks: its requests are refused.
        () = refuse(&front, incoming) => Ok(()),
    };
    peer.drain(LAST_WRITE).await;
    let failures: Vec<_> = [
        broken(peer.end(), left),
        retired.err(),
        front.owned.only_refusal(),
    ]
    .into_iter()
    .flatten()
    .collect();
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures),
    }
}

/// Handles what comes after the end was asked for. Never ready.
async fn refuse(front: &Arc<Front>, mut incoming: Incoming) {
    while let Some(call) = incoming.next().await {
        if let Call::Request(request) = call {
            request.responder.error(handlers::closing());
        } else {
            handlers::handle(front, call);
        }
    }
    std::future::pending().await
}

/// What is wrong with the end of the connection, if anything is. A client that has `left`, by ending its
/// input, may be gone altogether: what cannot be written to it any more is no failure.
fn broken(end: Option<End>, left: bool) -> Option<String> {
    match end {
        None | Some(End::Eof) => None,
        Some(End::WriteFailed(_)) if left => None,
        Some(end) => Some(format!("serving the client failed: {end}")),
    }
}
