//! The graceful end: nothing is admitted, every turn is interrupted, every process is gone, and
//! everything is stored.

use std::{sync::Arc, time::Duration};

use futures::future::join_all;
use tokio::{task::JoinHandle, time::timeout};

use super::{Daemon, harness::Stop, session::Session};
use crate::limits;

/// How long the last answers may take. Everything that they wait for has ended.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// Ends everything that the daemon owns. `served` is the server, which ends by itself once its
/// requests are answered.
pub(super) async fn end(daemon: &Arc<Daemon>, mut served: JoinHandle<()>) {
    // Requests that come, held prompts, waits and operations see it at once.
    daemon.ending.cancel();
    let sessions = daemon.sessions();
    join_all(sessions.iter().map(stop)).await;
    daemon.tasks.close();
    daemon.tasks.wait().await;
    match timeout(LAST_ANSWERS, &mut served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "the server ended badly"),
        // A client that never finishes its request must not keep the daemon.
        Err(_) => served.abort(),
    }
    daemon.store.close().await;
}

async fn stop(session: &Arc<Session>) {
    // A harness that heeds the cancel says how far it came.
    session.interrupt_running();
    let settled = session.until(|known| known.turns.running.is_none().then_some(()));
    let _ = timeout(limits::shutdown_turns(), settled).await;
    let harness = session.lock().harness.clone();
    if let Some(harness) = harness {
        harness.stop(Stop::DaemonEnds).await;
    }
}
