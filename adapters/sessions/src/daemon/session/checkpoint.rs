//! Saving the work of a session.
//!
//! Must stay true: an archive is recorded only when it lies on this machine, is complete and its
//! digest is right; until then the one before stays the recorded one, and it is deleted only behind
//! that.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Session,
    operation::Conclusion,
    place::{PlaceError, Settings},
};
use crate::{
    api::{LifecycleError, State},
    daemon::{Daemon, work},
    git::Checkout,
    store::{Checkpoint, now},
    target::Place,
};

impl Session {
    /// Saves the work, and goes on; a failure is recorded with the session.
    pub(super) async fn checkpoint(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        before: State,
    ) -> Conclusion {
        let saved = async {
            self.go(&daemon.store, State::Checkpointing).await?;
            let checkpoint = self.save_work(daemon).await?;
            self.record(daemon, checkpoint).await
        };
        let result = saved.await;
        Box::new(move |known| {
            // The harness may have ended meanwhile.
            known.row.state = match known.harness {
                Some(_) => before,
                None => State::Disconnected,
            };
            match result {
                Ok(()) => known.row.error = None,
                Err(error) => known.fail(LifecycleError::Checkpoint, &error.to_string()),
            }
        })
    }

    /// The environment with what is checked out in it.
    pub(super) async fn environment(
        &self,
        daemon: &Daemon,
    ) -> Result<(Settings, Place, Checkout), PlaceError> {
        let asked = self.lock().row.asked.clone();
        let settings = Settings::load(daemon, &asked)?;
        let place = self.find_place(daemon, &settings.target).await?;
        let checkout = self
            .find_checkout(daemon, &place, settings.bundle.as_ref())
            .await?;
        Ok((settings, place, checkout))
    }

    /// Makes a checkpoint without recording it.
    pub(super) async fn save_work(&self, daemon: &Daemon) -> Result<Checkpoint, PlaceError> {
        let (_, place, checkout) = self.environment(daemon).await?;
        if !place.is_managed() {
            return Ok(Checkpoint::Directory);
        }
        let folder = self.archives(daemon);
        let archive =
            work::checkpoint(&place, &checkout, &folder.join(format!("{}.tar", now()))).await?;
        Ok(Checkpoint::Archive { archive })
    }

    /// Records a checkpoint in the place of the one before, which is deleted.
    pub(super) async fn record(
        &self,
        daemon: &Daemon,
        checkpoint: Checkpoint,
    ) -> Result<(), PlaceError> {
        let before = self
            .save(&daemon.store, |known| {
                known.row.checkpoint.replace(checkpoint.clone())
            })
            .await?;
        if let Some(before) = before.filter(|before| *before != checkpoint) {
            discard(&before).await;
        }
        Ok(())
    }

    /// Where the archives of the session lie.
    pub(super) fn archives(&self, daemon: &Daemon) -> PathBuf {
        daemon.instance.archives_dir().join(self.id.as_str())
    }
}

/// Deletes an archive that is not recorded.
pub(super) async fn discard(checkpoint: &Checkpoint) {
    let Checkpoint::Archive { archive } = checkpoint else {
        return;
    };
    let Some(path) = archive["path"].as_str() else {
        return;
    };
    if let Err(error) = tokio::fs::remove_file(Path::new(path)).await {
        tracing::warn!(path, %error, "an old checkpoint cannot be deleted");
    }
}
