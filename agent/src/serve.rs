//! The life of a connection: messages until the input ends or a signal comes, then the one way out.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::{future::Future, sync::Arc};

use wire::{Call, End, Incoming, Peer};

use crate::{agent::Agent, cli::Config, handlers, limits, model::Model, proc::Supervisor};

/// How a connection came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The input ended, or a signal asked for the end, and everything was ended and saved.
    Clean,
    /// The client stopped reading, the output broke, or something could not be ended or saved.
    Failed,
}

/// Serves one client until its input ends or `signal` is ready.
///
/// All requests that were read are answered, all processes are gone and all sessions are saved
/// when it returns, within [`limits::SHUTDOWN_BUDGET`].
pub async fn serve(
    config: Config,
    (peer, mut incoming): (Peer, Incoming),
    model: Arc<dyn Model>,
    supervisor: Supervisor,
    signal: impl Future<Output = ()>,
) -> Outcome {
    let agent = Arc::new(Agent::new(config, peer.clone(), model, supervisor));
    let closed = peer.closed();
    tokio::pin!(signal);
    loop {
        let call = tokio::select! {
            biased;
            () = &mut signal => break,
            () = closed.cancelled() => break,
            call = incoming.next() => call,
        };
        match call {
            Some(call) => {
                if matches!(call, Call::Request(_)) {
                    agent.pace().await;
                }
                handlers::handle(&agent, call);
            }
            None => break,
        }
    }
    let ended = tokio::select! {
        biased;
        ended = agent.shut_down() => ended,
        // After a signal the client still speaks: its requests are refused, its cancels heard.
        () = refuse(&agent, incoming) => false,
    };
    let written = peer.drain(limits::LAST_WRITE).await;
    outcome(ended && written, peer.end())
}

/// Handles what comes after the end was asked for. Never ready.
async fn refuse(agent: &Arc<Agent>, mut incoming: Incoming) {
    while let Some(call) = incoming.next().await {
        handlers::handle(agent, call);
    }
    std::future::pending::<()>().await;
}

fn outcome(ended: bool, end: Option<End>) -> Outcome {
    match end {
        Some(End::Eof) | None if ended => Outcome::Clean,
        Some(End::Eof) | None => Outcome::Failed,
        Some(end) => {
            tracing::error!(?end, "the connection broke");
            Outcome::Failed
        }
    }
}
