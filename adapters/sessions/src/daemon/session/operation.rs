//! Lifecycle operations: one at a time, each a task of its own.
//!
//! Must stay true:
//!
//! - Whatever ends an operation, the session is told, so nobody waits for what does not go on.
//! - An operation that is preempted is dropped where it waits; processes that it has started end
//!   with it. The one that preempts it begins when it has stopped.
//! - None begins when the daemon ends.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{sync::OwnedSemaphorePermit, time::timeout};
use tokio_util::sync::CancellationToken;

use super::{
    Known, Operation, Session,
    rules::{Admission, Why},
};
use crate::{
    api::{ErrorCode, Lifecycle, LifecycleError, State},
    daemon::{Daemon, refusal::Refusal},
    limits,
    store::now,
};

/// What somebody wants to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Launch,
    Resume,
    Checkpoint,
    Suspend { acknowledge_unpublished_work: bool },
    Destroy,
}

impl Request {
    pub(crate) const fn operation(self) -> Operation {
        match self {
            Self::Launch => Operation::Launch,
            Self::Resume => Operation::Resume,
            Self::Checkpoint => Operation::Checkpoint,
            Self::Suspend { .. } => Operation::Suspend,
            Self::Destroy => Operation::Destroy,
        }
    }

    const fn failure(self) -> LifecycleError {
        match self {
            Self::Launch => LifecycleError::Launch,
            Self::Resume => LifecycleError::Resume,
            Self::Checkpoint => LifecycleError::Checkpoint,
            Self::Suspend { .. } => LifecycleError::Suspend,
            Self::Destroy => LifecycleError::Destroy,
        }
    }
}

/// What an operation comes to: the last change, which is made in the moment in which it ends, so that
/// whoever sees the one sees the other.
pub(super) type Conclusion = Box<dyn FnOnce(&mut Known) + Send>;

/// An operation that goes on.
#[derive(Clone, Debug)]
pub(crate) struct Running {
    /// No two have the same.
    id: u64,
    pub(crate) operation: Operation,
    /// Ends it where it waits.
    pub(super) cancel: CancellationToken,
    /// It has ended.
    finished: CancellationToken,
}

/// An operation that begins.
struct Begun {
    running: Running,
    /// What must stop before.
    preempted: Option<Running>,
    /// In which state the session was.
    state: State,
}

/// The number of the next operation.
static NEXT: AtomicU64 = AtomicU64::new(0);

impl Session {
    /// Begins an operation, or joins the same one, and says how the session stands right behind
    /// that. `slot` is asked for only if something begins.
    pub(crate) async fn request(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        request: Request,
        slot: impl FnOnce() -> Result<Option<OwnedSemaphorePermit>, Refusal>,
    ) -> Result<Lifecycle, Refusal> {
        let _admission = self.admission.lock().await;
        let mut known = self.lock();
        if daemon.ending.is_cancelled() {
            return Err(Refusal::shutting_down());
        }
        if known.is_gone {
            return Err(Refusal::unknown_session(&self.id));
        }
        match known.facts().admit(request.operation()) {
            Admission::Start | Admission::Preempt => {}
            Admission::Join | Admission::Done => return Ok(known.row.state.lifecycle()),
            Admission::Refuse(why) => return Err(self.refused(request, why)),
        }
        let slot = slot()?;
        let running = Running {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            operation: request.operation(),
            cancel: daemon.ending.child_token(),
            finished: CancellationToken::new(),
        };
        let begun = Begun {
            preempted: known.operation.replace(running.clone()),
            state: known.row.state,
            running,
        };
        // Seen at once; stored by the operation itself.
        known.row.state = known.facts().state_during(request.operation());
        let lifecycle = known.row.state.lifecycle();
        drop(known);
        self.changed.send_replace(());
        let (session, daemon) = (Arc::clone(self), Arc::clone(daemon));
        let tasks = daemon.tasks.clone();
        tasks.spawn(async move {
            let _slot = slot;
            session.operate(&daemon, request, begun).await;
        });
        Ok(lifecycle)
    }

    fn refused(&self, request: Request, why: Why) -> Refusal {
        let id = &self.id;
        match why {
            Why::Busy(running) => Refusal::conflict(format!(
                "session {id} cannot be {}: it is being {}",
                request.operation().doing(),
                running.doing()
            )),
            Why::Turn => Refusal::conflict(format!(
                "session {id} cannot be checkpointed while a turn runs; wait for it or interrupt it"
            )),
            Why::NoCheckpoint => Refusal::conflict_because(
                ErrorCode::NoCheckpoint,
                format!(
                    "session {id} has no checkpoint to resume from; destroy it with \
                     acp-sessions destroy --session {id} and make another one"
                ),
            ),
            Why::Live => {
                Refusal::conflict(format!("session {id} is live, there is nothing to resume"))
            }
            Why::NotLive => Refusal::conflict(format!("session {id} is not live")),
        }
    }

    async fn operate(self: Arc<Self>, daemon: &Arc<Daemon>, request: Request, begun: Begun) {
        let Begun {
            running,
            preempted,
            state,
        } = begun;
        let conclusion = tokio::select! {
            biased;
            () = running.cancel.cancelled() => None,
            conclusion = self.work(daemon, request, preempted, state) => Some(conclusion),
        };
        self.conclude(daemon, running.id, conclusion).await;
        running.finished.cancel();
        self.settle(daemon).await;
    }

    async fn work(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        request: Request,
        preempted: Option<Running>,
        before: State,
    ) -> Conclusion {
        if let Some(preempted) = preempted {
            preempted.cancel.cancel();
            let limit = limits::preemption();
            if timeout(limit, preempted.finished.cancelled())
                .await
                .is_err()
            {
                let cause = format!(
                    "the session was being {}, which did not stop within {} seconds",
                    preempted.operation.doing(),
                    limit.as_secs_f32()
                );
                // It did not begin, so the session is as it was.
                return Box::new(move |known| {
                    known.row.state = before;
                    known.fail(request.failure(), &cause);
                });
            }
        }
        match request {
            Request::Launch => self.launch(daemon).await,
            Request::Resume => self.resume(daemon, before).await,
            Request::Checkpoint => self.checkpoint(daemon, before).await,
            Request::Suspend {
                acknowledge_unpublished_work: acknowledged,
            } => self.suspend(daemon, before, acknowledged).await,
            Request::Destroy => self.destroy(daemon).await,
        }
    }

    /// Ends an operation, unless another one has taken its place.
    async fn conclude(&self, daemon: &Daemon, id: u64, conclusion: Option<Conclusion>) {
        let row = {
            let mut known = self.lock();
            if known.operation.as_ref().is_none_or(|now| now.id != id) {
                return;
            }
            known.operation = None;
            conclusion.map(|conclusion| {
                conclusion(&mut known);
                known.row.revision += 1;
                known.row.updated_at = now();
                known.row.clone()
            })
        };
        if let Some(row) = row {
            // Of a session that is gone there is no row, so nothing is written.
            self.log(daemon.store.save_session(row).await);
        }
        self.changed.send_replace(());
    }

    /// A failure of the store in the middle of an operation: there is nobody to tell but the log.
    pub(super) fn log<T>(&self, saved: Result<T, crate::store::StoreError>) {
        if let Err(error) = saved {
            tracing::error!(session = %self.id, %error, "the state of a session is not stored");
        }
    }

    /// Starts the harness again if it ended by itself and nothing else goes on.
    ///
    /// Boxed, because a launch that ends settles in turn.
    pub(crate) fn settle<'a>(
        self: &'a Arc<Self>,
        daemon: &'a Arc<Daemon>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {
            let is_lost = {
                let known = self.lock();
                known.row.state == State::Disconnected && known.operation.is_none()
            };
            if !is_lost {
                return;
            }
            if let Err(refusal) = self.request(daemon, Request::Launch, || Ok(None)).await {
                tracing::debug!(session = %self.id, ?refusal, "the harness is not started again");
            }
        })
    }
}
