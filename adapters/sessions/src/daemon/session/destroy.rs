//! Removing a session with its environment and its checkpoint. What was said can still be found: it
//! was indexed when it was said.

use std::{io, sync::Arc};

use super::{Session, operation::Conclusion, place::PlaceError};
use crate::{
    api::{LifecycleError, Outcome, State},
    daemon::{Daemon, harness::Stop},
    store::StoreError,
};

/// Why a session is not destroyed.
#[derive(Debug, thiserror::Error)]
enum DestroyError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("its archives cannot be removed: {0}")]
    Archives(io::Error),
}

impl Session {
    /// Destroys the session; a failure is recorded with it.
    pub(super) async fn destroy(self: &Arc<Self>, daemon: &Arc<Daemon>) -> Conclusion {
        let Err(error) = self.try_destroy(daemon).await else {
            return Box::new(|known| known.is_gone = true);
        };
        tracing::warn!(session = %self.id, %error, "a session is not destroyed");
        Box::new(move |known| {
            known.row.state = State::Error;
            known.fail(LifecycleError::Destroy, &error.to_string());
        })
    }

    async fn try_destroy(self: &Arc<Self>, daemon: &Arc<Daemon>) -> Result<(), DestroyError> {
        // Stored first: after a crash in the middle the rest is done at the next start.
        self.go(&daemon.store, State::Destroying).await?;
        self.end_queue(daemon, Outcome::Stopped, Stop::Destroyed.sentence())
            .await;
        let harness = self.lock().harness.clone();
        if let Some(harness) = harness {
            harness.stop(Stop::Destroyed).await;
        }
        self.release(daemon).await?;
        match tokio::fs::remove_dir_all(self.archives(daemon)).await {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(DestroyError::Archives(error));
            }
            _ => {}
        }
        daemon.store.remove_session(self.id.clone()).await?;
        daemon.forget(&self.id);
        Ok(())
    }
}
