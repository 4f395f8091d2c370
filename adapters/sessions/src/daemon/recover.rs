//! What the start of a daemon makes of what the one before has left.
//!
//! Must stay true: behind it every session is either at rest or in an operation that will end; a
//! turn that was started and has no end was interrupted.

use std::sync::Arc;

use futures::future::try_join_all;

use super::{
    Daemon,
    harness::INTERRUPTED_BY_THE_END,
    session::{Request, Session, Turns},
};
use crate::{
    api::{LifecycleError, Outcome, Role, State},
    store::{ItemWrite, NewItem, SessionRow, StoreError, TurnEnd},
};

/// What is recorded about an operation that the end of the daemon cut off.
const CUT_OFF: &str = "the daemon ended in the middle of it";

/// What becomes of a session that was in some state when its daemon ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plan {
    /// Nothing.
    Rest,
    /// It is started; first this is recorded, if anything is.
    Launch(Option<LifecycleError>),
    /// It is suspended as before; its half-made environment is given back by the next resume.
    GiveUpResume,
    /// It is given back and suspended: its work had been saved already.
    Suspend,
    /// Its removal is finished.
    Destroy,
}

/// Decides by the state, by whether there is a checkpoint, and by whether something is checked out.
const fn plan(state: State, has_checkpoint: bool, has_checkout: bool) -> Plan {
    match state {
        State::Stopped | State::Error | State::Lost => Plan::Rest,
        State::Destroying => Plan::Destroy,
        // A session that was never suspended has no checkpoint before it was ready.
        State::Provisioning if has_checkpoint && !has_checkout => Plan::GiveUpResume,
        State::Closing if !has_checkout => Plan::Suspend,
        State::Closing => Plan::Launch(Some(LifecycleError::Suspend)),
        State::Checkpointing => Plan::Launch(Some(LifecycleError::Checkpoint)),
        State::Provisioning | State::Launching | State::Disconnected | State::Running => {
            Plan::Launch(None)
        }
    }
}

/// Brings all stored sessions into memory, and begins what settles them.
pub(super) async fn recover(daemon: &Arc<Daemon>) -> Result<(), StoreError> {
    let rows = daemon.store.sessions().await?;
    // All at once, so that what they write is committed together.
    let settling = rows.into_iter().map(async |row| {
        let session = Arc::new(restore(daemon, row).await?);
        daemon.remember(Arc::clone(&session));
        settle(daemon, &session).await
    });
    try_join_all(settling).await?;
    Ok(())
}

async fn restore(daemon: &Daemon, row: SessionRow) -> Result<Session, StoreError> {
    let id = row.id.clone();
    let turns = daemon.store.open_turns(id.clone()).await?;
    let (mut turns, interrupted) = Turns::restore(turns);
    for ordinal in interrupted {
        let end = TurnEnd {
            outcome: Outcome::Cancelled,
            stop_reason: None,
            message: Some(INTERRUPTED_BY_THE_END.to_owned()),
            final_message: None,
        };
        let notice = ItemWrite::Append(NewItem {
            turn: ordinal,
            role: Role::Notice,
            text: INTERRUPTED_BY_THE_END.to_owned(),
        });
        let stored = daemon
            .store
            .end_turn(id.clone(), ordinal, end.clone(), vec![notice]);
        stored.await?;
        turns.end(ordinal, end);
    }
    let receipt = daemon.store.receipt(id, None).await?;
    Ok(Session::new(row, turns, receipt))
}

async fn settle(daemon: &Arc<Daemon>, session: &Arc<Session>) -> Result<(), StoreError> {
    let plan = {
        let known = session.lock();
        let row = &known.row;
        plan(row.state, row.checkpoint.is_some(), row.checkout.is_some())
    };
    let request = match plan {
        Plan::Rest => return Ok(()),
        Plan::GiveUpResume => {
            let failed = session.save(&daemon.store, |known| {
                known.row.state = State::Stopped;
                known.fail(LifecycleError::Resume, CUT_OFF);
            });
            return failed.await;
        }
        Plan::Launch(failed) => {
            let saved = session.save(&daemon.store, |known| {
                known.row.state = match known.row.state {
                    State::Provisioning => State::Provisioning,
                    _ => State::Disconnected,
                };
                if let Some(kind) = failed {
                    known.fail(kind, CUT_OFF);
                }
            });
            saved.await?;
            Request::Launch
        }
        Plan::Suspend => Request::Suspend {
            acknowledge_unpublished_work: false,
        },
        Plan::Destroy => Request::Destroy,
    };
    if let Err(refusal) = session.request(daemon, request, || Ok(None)).await {
        tracing::error!(session = %session.id, ?refusal, "a session could not be settled");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Plan, plan};
    use crate::api::{LifecycleError, State};

    #[test]
    fn no_state_stays_transient() {
        //  state                 checkpoint checkout  plan
        let table = [
            (State::Provisioning, false, false, Plan::Launch(None)),
            (State::Provisioning, true, false, Plan::GiveUpResume),
            (State::Provisioning, true, true, Plan::Launch(None)),
            (State::Launching, false, true, Plan::Launch(None)),
            (State::Disconnected, false, true, Plan::Launch(None)),
            (State::Running, true, true, Plan::Launch(None)),
            (
                State::Checkpointing,
                false,
                true,
                Plan::Launch(Some(LifecycleError::Checkpoint)),
            ),
            (
                State::Closing,
                true,
                true,
                Plan::Launch(Some(LifecycleError::Suspend)),
            ),
            (State::Closing, true, false, Plan::Suspend),
            (State::Closing, false, false, Plan::Suspend),
            (State::Destroying, false, false, Plan::Destroy),
            (State::Stopped, true, false, Plan::Rest),
            (State::Error, false, false, Plan::Rest),
            (State::Lost, true, true, Plan::Rest),
        ];
        for (state, has_checkpoint, has_checkout, expected) in table {
            let plan = plan(state, has_checkpoint, has_checkout);
            assert_eq!(plan, expected, "{state:?} {has_checkpoint} {has_checkout}");
        }
    }
}
