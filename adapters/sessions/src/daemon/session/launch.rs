//! From a stored session to one that takes prompts: its environment, its checkout, its harness.
//!
//! Also the way back to life after the harness or the daemon has ended: what is there already is
//! found again and not made anew.

use std::sync::Arc;

use super::{
    Session,
    operation::Conclusion,
    place::{PlaceError, Settings, furnish},
};
use crate::{
    api::{LifecycleError, Role, State},
    daemon::{
        Daemon,
        harness::{Attached, ConnectError, Wanted, connect, drive},
    },
    git::Checkout,
    store::{ItemWrite, NewItem, StoreError},
    target::Place,
};

/// What the transcript says when a harness has forgotten.
const FORGOTTEN: &str = "the harness could not go on with its earlier session and begins anew; it \
                         does not remember what was said before";

/// Why a session does not start.
#[derive(Debug, thiserror::Error)]
pub(super) enum LaunchError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Session {
    /// Starts the session; a failure is recorded with it.
    pub(super) async fn launch(self: &Arc<Self>, daemon: &Arc<Daemon>) -> Conclusion {
        // A daemon that comes back must not start all harnesses at once.
        let _permit = daemon.launches.acquire().await;
        match self.try_launch(daemon).await {
            Ok(()) => Box::new(|_| ()),
            Err(error) => self.not_launched(error),
        }
    }

    /// What a launch that failed comes to.
    pub(super) fn not_launched(&self, error: LaunchError) -> Conclusion {
        tracing::warn!(session = %self.id, %error, "a session did not start");
        let state = match error {
            LaunchError::Place(PlaceError::Lost(_)) => State::Lost,
            _ => State::Error,
        };
        Box::new(move |known| {
            known.row.state = state;
            known.fail(LifecycleError::Launch, &error.to_string());
        })
    }

    pub(super) async fn try_launch(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
    ) -> Result<(), LaunchError> {
        let asked = self.lock().row.asked.clone();
        let settings = Settings::load(daemon, &asked)?;
        let place = self.find_place(daemon, &settings.target).await?;
        let checkout = self
            .find_checkout(daemon, &place, settings.bundle.as_ref())
            .await?;
        self.attach(daemon, settings, &place, &checkout).await
    }

    /// Starts the harness in its environment, and goes to `Running`.
    pub(super) async fn attach(
        self: &Arc<Self>,
        daemon: &Arc<Daemon>,
        settings: Settings,
        place: &Place,
        checkout: &Checkout,
    ) -> Result<(), LaunchError> {
        self.go(&daemon.store, State::Launching).await?;
        let mut profile = settings.profile;
        furnish(place, &mut profile).await?;
        let row = self.lock().row.clone();
        let wanted = Wanted {
            session: &self.id,
            profile: &profile,
            profile_id: &row.asked.profile_id,
            place,
            cwd: &checkout.primary,
            others: &checkout.roots,
            native_id: row.native_id.as_deref(),
            expected: row.asked.expected_runtime.as_deref(),
        };
        let connected = connect(&daemon.store, &wanted).await;
        // Also of one that was refused for it: that is where a client looks for the cause.
        let receipt = daemon.store.receipt(self.id.clone(), None).await?;
        self.update(|known| known.runtime = receipt);
        let connected = connected?;
        if connected.has_forgotten {
            let item = NewItem {
                turn: 0,
                role: Role::Notice,
                text: FORGOTTEN.to_owned(),
            };
            daemon
                .store
                .write_item(self.id.clone(), ItemWrite::Append(item))
                .await?;
        }
        let native_id = connected.native_id.clone();
        self.save(&daemon.store, |known| {
            known.row.native_id = Some(native_id);
            known.row.state = State::Running;
            // What failed to close is still worth telling; what failed to start did start.
            if matches!(
                known.row.error,
                Some((LifecycleError::Launch | LifecycleError::Resume, _))
            ) {
                known.row.error = None;
            }
        })
        .await?;
        let attached = Attached::default();
        self.update(|known| known.harness = Some(attached.clone()));
        let (session, owner) = (Arc::clone(self), Arc::clone(daemon));
        daemon.tasks.spawn(drive(
            session,
            owner,
            connected,
            attached,
            profile.permissions,
        ));
        Ok(())
    }
}
