//! Suspending: the work is saved and verified, then the environment is given back.
//!
//! Must stay true: whatever fails before the environment is given back leaves the session live, with
//! the reason recorded and the checkpoint before still the recorded one. Work that is not verified
//! as published is released only if somebody has said that this is known.

use std::sync::Arc;

use tokio::time::timeout;

use super::{Session, checkpoint::discard, operation::Conclusion, place::PlaceError};
use crate::{
    api::{Lifecycle, LifecycleError, Outcome, State},
    daemon::{Daemon, harness::Stop},
    git::{self, Publication},
    limits,
    store::{Checkpoint, StoreError},
};

/// Why a session is not suspended.
#[derive(Debug, thiserror::Error)]
enum SuspendError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a turn did not stop within {0} seconds")]
    Turn(f32),
    #[error(
        "the work is not verified as published: {reasons}; push it, or release it with \
         acp-sessions suspend --session {id} --acknowledge-unpublished-work"
    )]
    Unpublished { reasons: String, id: String },
}

impl Session {
    /// Suspends the session; a failure is recorded with it.
    pub(super) async fn suspend(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        before: State,
        acknowledged: bool,
    ) -> Conclusion {
        let is_ready = self.lock().facts().has_environment;
        self.log(self.go(&daemon.store, State::Closing).await);
        let saved = match is_ready {
            true => self.freeze_and_save(daemon, acknowledged).await,
            // There is nothing yet that could be saved.
            false => Ok(()),
        };
        if let Err(error) = saved {
            return self.stay_live(before, &error);
        }
        self.end_queue(daemon, Outcome::Stopped, Stop::Suspended.sentence())
            .await;
        let harness = self.lock().harness.clone();
        if let Some(harness) = harness {
            harness.stop(Stop::Suspended).await;
        }
        let released = self.release(daemon).await;
        Box::new(move |known| {
            known.row.state = State::Stopped;
            match released {
                Ok(()) => known.row.error = None,
                Err(error) => known.fail(LifecycleError::Suspend, &error.to_string()),
            }
        })
    }

    async fn freeze_and_save(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        acknowledged: bool,
    ) -> Result<(), SuspendError> {
        // No turn begins while an operation goes on, so the one that runs is the last one.
        self.interrupt_running();
        let limit = limits::turn_settle();
        let settled = self.until(|known| known.turns.running.is_none().then_some(()));
        if timeout(limit, settled).await.is_err() {
            return Err(SuspendError::Turn(limit.as_secs_f32()));
        }
        let checkpoint = self.save_work(daemon).await?;
        if let Err(error) = self
            .check_published(daemon, &checkpoint, acknowledged)
            .await
        {
            discard(&checkpoint).await;
            return Err(error);
        }
        self.record(daemon, checkpoint).await?;
        Ok(())
    }

    async fn check_published(
        &self,
        daemon: &Daemon,
        checkpoint: &Checkpoint,
        acknowledged: bool,
    ) -> Result<(), SuspendError> {
        if acknowledged || *checkpoint == Checkpoint::Directory {
            return Ok(());
        }
        let (_, place, checkout) = self.environment(daemon).await?;
        let published = timeout(
            limits::publication_check(),
            git::published(&place, &checkout),
        );
        let reasons = match published.await {
            Ok(Ok(Publication::Published)) => return Ok(()),
            Ok(Ok(Publication::Unpublished { reasons })) => reasons.join("; "),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the remote did not answer in time".to_owned(),
        };
        let id = self.id.to_string();
        Err(SuspendError::Unpublished { reasons, id })
    }

    fn stay_live(&self, before: State, error: &SuspendError) -> Conclusion {
        tracing::warn!(session = %self.id, %error, "a session is not suspended");
        let cause = error.to_string();
        Box::new(move |known| {
            known.row.state = match known.harness {
                Some(_) => State::Running,
                None if before.lifecycle() == Lifecycle::Failed => before,
                None => State::Disconnected,
            };
            known.fail(LifecycleError::Suspend, &cause);
        })
    }
}
