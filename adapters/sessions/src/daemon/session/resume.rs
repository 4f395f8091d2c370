//! Bringing a session back: in its environment if that is still there, else in a new one, from the
//! checkpoint.

use std::sync::Arc;

use super::{
    Facts, Session,
    launch::LaunchError,
    operation::Conclusion,
    place::{PlaceError, Settings},
};
use crate::{
    api::{LifecycleError, State},
    daemon::{Daemon, work},
    git::Checkout,
    store::Checkpoint,
};

impl Session {
    /// Resumes the session; a failure is recorded with it.
    pub(super) async fn resume(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        before: State,
    ) -> Conclusion {
        let facts = Facts {
            state: before,
            ..self.lock().facts()
        };
        if facts.resumes_in_place() {
            match self.try_launch(daemon).await {
                Ok(()) => return Box::new(|_| ()),
                // If it is gone for good, giving it back succeeds below, and the checkpoint is left.
                Err(LaunchError::Place(PlaceError::Lost(_))) if facts.has_checkpoint => {}
                Err(error) => return self.not_launched(error),
            }
        }
        let Err(error) = self.restore(daemon).await else {
            return Box::new(|_| ());
        };
        tracing::warn!(session = %self.id, %error, "a session is not resumed");
        let released = self.release(daemon).await;
        Box::new(move |known| {
            let cause = match released {
                Ok(()) => error.to_string(),
                Err(release) => format!("{error}; and {release}"),
            };
            // An environment that could not be given back may still hold work.
            known.row.state = match known.row.checkout {
                Some(_) => before,
                None => State::Stopped,
            };
            known.fail(LifecycleError::Resume, &cause);
        })
    }

    async fn restore(self: &Arc<Self>, daemon: &Arc<Daemon>) -> Result<(), LaunchError> {
        self.go(&daemon.store, State::Provisioning).await?;
        // What an earlier attempt or a failed suspension has left would be in the way.
        self.release(daemon).await?;
        let (asked, checkpoint) = {
            let known = self.lock();
            (known.row.asked.clone(), known.row.checkpoint.clone())
        };
        let settings = Settings::load(daemon, &asked)?;
        let place = self.find_place(daemon, &settings.target).await?;
        let bundle = settings.bundle.as_ref();
        let checkout = match checkpoint {
            Some(Checkpoint::Archive { archive }) => work::restore(&place, bundle, &archive)
                .await
                .map_err(PlaceError::Git)?,
            Some(Checkpoint::Directory) | None => Checkout::project(place.root()),
        };
        self.set_checkout(daemon, &checkout).await?;
        self.attach(daemon, settings, &place, &checkout).await
    }
}
