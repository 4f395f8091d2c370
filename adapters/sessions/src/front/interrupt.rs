//! Interrupting a turn, from the moment it is cancelled until the daemon has taken it.
//!
//! Right after a prompt the daemon may not have a turn to interrupt yet, so what is refused is sent
//! again. What must stay true: no interrupt is under way when the prompt is answered, or it could
//! hit the next turn.

use std::sync::OnceLock;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    api::{Interrupt, SessionId},
    client::Daemon,
    limits,
};

/// Waits for `cancelled`, then interrupts until it is taken or the turn is `over`. As soon as the
/// turn has a number, nothing but this turn is interrupted.
pub(super) async fn when_cancelled(
    daemon: &Daemon,
    id: &SessionId,
    turn_id: &OnceLock<u64>,
    cancelled: &CancellationToken,
    over: &CancellationToken,
) {
    tokio::select! {
        biased;
        () = over.cancelled() => return,
        () = cancelled.cancelled() => {}
    }
    while !once(daemon, id, turn_id.get().copied()).await {
        tokio::select! {
            biased;
            () = over.cancelled() => return,
            () = sleep(limits::interrupt_retry()) => {}
        }
    }
}

/// Sends one interrupt, of one turn or of whatever runs or is held. `true` when it was taken. A failure is only logged: how the turn ends
/// decides what the client hears.
pub(super) async fn once(daemon: &Daemon, id: &SessionId, turn_id: Option<u64>) -> bool {
    let interrupt = Interrupt { turn_id };
    let sent = async { daemon.client().await?.interrupt(id, interrupt).await };
    match sent.await {
        Ok(taken) => taken,
        Err(error) => {
            tracing::warn!(%id, %error, "an interrupt failed");
            false
        }
    }
}
