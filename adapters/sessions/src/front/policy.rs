//! The exit policy: what becomes of the sessions of a front whose client is gone.
//!
//! All sessions are retired at once and independently, each as if it were alone: one that cannot be
//! is named, and keeps no other from its end.
//!
//! Must stay true: nothing is said to be done that the daemon has not finished; a turn that still
//! runs is never destroyed under; unpublished work is never acknowledged for the user.

use std::{fmt, sync::Arc};

use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{Front, interrupt};
use crate::{
    api::{SessionId, Suspend},
    cli::arguments::OnExit,
    client::{Client, Daemon},
    limits,
    retire::{self, Unretired},
};

/// Stops what runs, then does what the policy says. Waits for sessions that are still being made,
/// unless they are kept.
///
/// # Errors
/// The text that names every session that was not retired, and why.
pub(super) async fn retire(front: &Arc<Front>) -> Result<(), String> {
    stop_turns(front).await;
    let policy = front.settings.on_exit;
    if policy == OnExit::Keep {
        return Ok(());
    }
    front.creations.close();
    front.creations.wait().await;
    let ids = front.owned.ids();
    if ids.is_empty() {
        return Ok(());
    }
    let failed =
        |clauses: String| format!("--on-exit {} did not complete: {clauses}", policy.as_str());
    let probe = |client: Client| async move { client.info(limits::probe_timeout()).await };
    if let Err(error) = front.daemon.follow(probe).await {
        return Err(failed(unreachable(&ids, &error)));
    }
    match retire_all(front, ids).await {
        unretired if unretired.is_empty() => Ok(()),
        unretired => {
            let clauses: Vec<_> = unretired.iter().map(ToString::to_string).collect();
            Err(failed(clauses.join("\n  ")))
        }
    }
}

fn unreachable(ids: &[SessionId], error: &dyn fmt::Display) -> String {
    let ids: Vec<_> = ids.iter().map(SessionId::as_str).collect();
    format!(
        "the daemon cannot be used ({error}); these sessions were left as they were: {}",
        ids.join(", ")
    )
}

async fn retire_all(front: &Arc<Front>, ids: Vec<SessionId>) -> Vec<Unretired> {
    let mut tasks = JoinSet::new();
    for id in ids {
        let front = Arc::clone(front);
        tasks.spawn(async move { retire_one(&front, &id).await });
    }
    let mut unretired: Vec<_> = tasks
        .join_all()
        .await
        .into_iter()
        .filter_map(Result::err)
        .collect();
    unretired.sort_by(|one, other| one.id.cmp(&other.id));
    unretired
}

async fn retire_one(front: &Front, id: &SessionId) -> Result<(), Unretired> {
    match front.settings.on_exit {
        OnExit::Keep => Ok(()),
        OnExit::Suspend => retire::suspend(&front.daemon, id, Suspend::default()).await,
        OnExit::Destroy => retire::destroy(&front.daemon, id).await,
    }
}

/// Stops the turns, as a cancel of the client would: the interrupt of each is repeated until it is
/// taken, so that a prompt that was accepted in this instant does not run on unwatched.
async fn stop_turns(front: &Front) {
    front.owned.cancel_all();
    front.turns.close();
    let unsettled = front.owned.unsettled();
    let stopped = async {
        tokio::join!(front.turns.wait(), interrupt_all(&front.daemon, unsettled));
    };
    if timeout(limits::last_turns(), stopped).await.is_err() {
        tracing::warn!("turns that were interrupted have not stopped yet");
    }
}

/// Interrupts turns that nobody waits for, until each is taken or there is none any more.
async fn interrupt_all(daemon: &Daemon, ids: Vec<SessionId>) {
    for id in ids {
        while !interrupt::once(daemon, &id, None).await {
            let look = daemon.look(&id).await;
            if look.is_ok_and(|look| look.is_none_or(|session| session.is_idle)) {
                break;
            }
            sleep(limits::interrupt_retry()).await;
        }
    }
}
