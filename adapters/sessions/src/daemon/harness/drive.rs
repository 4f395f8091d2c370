//! The task that owns a harness: it waits for turns, and for the harness's end.
//!
//! Must stay true: no turn begins while an operation goes on, and none is lost when one begins.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    Attached, Connected,
    connect::{how, refuse},
    identity,
    turn::After,
};
use crate::{
    api::{LifecycleError, Outcome, State},
    config::Permissions,
    daemon::{
        Daemon,
        session::{Queued, Session},
    },
    limits,
    store::TurnEnd,
};

/// What the task holds.
pub(super) struct Driver {
    pub(super) session: Arc<Session>,
    pub(super) daemon: Arc<Daemon>,
    pub(super) harness: Connected,
    pub(super) attached: Attached,
    pub(super) native_id: String,
    pub(super) permissions: Permissions,
}

/// What there is to do.
enum Next {
    Turn(Queued),
    /// The same, but it must not run.
    Refused {
        ordinal: u64,
        why: String,
    },
    Nothing,
}

/// Drives a harness until it ends or is let go of. Its processes are gone when `attached` says so.
pub(crate) async fn drive(
    session: Arc<Session>,
    daemon: Arc<Daemon>,
    harness: Connected,
    attached: Attached,
    permissions: Permissions,
) {
    let gone = attached.gone.clone().drop_guard();
    let native_id = harness.native_id.clone();
    let mut driver = Driver {
        session,
        daemon,
        harness,
        attached,
        native_id,
        permissions,
    };
    let began = Instant::now();
    let (after, turns) = driver.turns().await;
    driver.harness.handle.end().await;
    let Driver {
        session, daemon, ..
    } = driver;
    session.update(|known| known.harness = None);
    drop(gone);
    if let After::Ended(why) = after {
        let is_worth_it = turns > 0 || began.elapsed() >= limits::harness_min_life();
        lost(&session, &daemon, &why, is_worth_it).await;
    }
}

/// The harness has ended by itself: it is started again, unless that would go on for ever.
async fn lost(session: &Arc<Session>, daemon: &Arc<Daemon>, why: &str, is_worth_it: bool) {
    let saved = session.save(&daemon.store, |known| {
        if known.row.state != State::Running && known.row.state != State::Checkpointing {
            return;
        }
        if is_worth_it {
            known.row.state = State::Disconnected;
        } else {
            known.row.state = State::Error;
            known.fail(LifecycleError::Launch, why);
        }
    });
    if let Err(error) = saved.await {
        tracing::error!(session = %session.id, %error, "a lost harness is not recorded");
    }
    session.settle(daemon).await;
}

impl Driver {
    /// Runs turns until the end, and says how many.
    async fn turns(&mut self) -> (After, u64) {
        let mut turns = 0;
        let mut watch = self.session.watch();
        loop {
            watch.mark_unchanged();
            match self.next() {
                Next::Turn(queued) => {
                    turns += 1;
                    match self.turn(&queued).await {
                        After::Ready => continue,
                        after => return (after, turns),
                    }
                }
                Next::Refused { ordinal, why } => {
                    self.refuse_turn(ordinal, why).await;
                    continue;
                }
                Next::Nothing => {}
            }
            tokio::select! {
                biased;
                () = self.attached.stop.cancelled() => return (After::Stop, turns),
                _ = watch.changed() => {}
                call = self.harness.incoming.next() => match call {
                    // Outside of turns a harness has nothing to say that is kept.
                    Some(call) => refuse(call),
                    None => return (self.ended().await, turns),
                },
                _ = self.harness.handle.wait() => return (self.ended().await, turns),
            }
        }
    }

    /// Says how the harness ended; one that only closed its connection is made to.
    async fn ended(&mut self) -> After {
        let ended = self.harness.handle.end().await;
        let tail = self.harness.complaints.clause().await;
        After::Ended(format!("the harness ended ({}){tail}", how(&ended)))
    }

    /// Takes the next turn, if one may begin now.
    fn next(&self) -> Next {
        let mut known = self.session.lock();
        let is_closed = known.operation.is_some()
            || known.row.state != State::Running
            || self.attached.stop.is_cancelled()
            || self.daemon.ending.is_cancelled();
        if is_closed {
            return Next::Nothing;
        }
        let expected = known.row.asked.expected_runtime.clone();
        let Some(queued) = known.turns.begin() else {
            return Next::Nothing;
        };
        let ordinal = queued.ordinal;
        // It was checked when the prompt was accepted; the harness may have been started anew since.
        match identity::check(expected.as_deref(), known.runtime.as_ref()) {
            Ok(()) => Next::Turn(queued),
            Err(why) => Next::Refused { ordinal, why },
        }
    }

    async fn refuse_turn(&self, ordinal: u64, why: String) {
        let end = TurnEnd {
            outcome: Outcome::Error,
            stop_reason: None,
            message: Some(why),
            final_message: None,
        };
        self.session.end_unstarted(&self.daemon, ordinal, end).await;
    }
}
