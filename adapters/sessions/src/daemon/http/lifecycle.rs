//! `/sessions/{id}/suspend`, `/resume`, `/destroy` and `/checkpoint`: 202, and then it goes on by
//! itself.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use super::{
    Shared,
    extract::{Body, Named},
};
use crate::{
    api::{Acknowledged, Destroy, Suspend},
    daemon::{
        Daemon,
        refusal::Refusal,
        session::{Request, Session},
    },
};

type Answer = Result<(StatusCode, Json<Acknowledged>), Refusal>;

/// A body that says nothing.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

pub(super) async fn suspend(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(suspend): Body<Suspend>,
) -> Answer {
    let acknowledge_unpublished_work = suspend.acknowledge_unpublished_work;
    begin(
        daemon,
        session,
        Request::Suspend {
            acknowledge_unpublished_work,
        },
    )
    .await
}

pub(super) async fn resume(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(Nothing {}): Body<Nothing>,
) -> Answer {
    begin(daemon, session, Request::Resume).await
}

pub(super) async fn destroy(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(Destroy { .. }): Body<Destroy>,
) -> Answer {
    begin(daemon, session, Request::Destroy).await
}

pub(super) async fn checkpoint(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(Nothing {}): Body<Nothing>,
) -> Answer {
    begin(daemon, session, Request::Checkpoint).await
}

async fn begin(daemon: Shared, session: Arc<Session>, request: Request) -> Answer {
    let beginning = async move {
        let slot = || daemon.slot().map(Some);
        session.request(&daemon, request, slot).await
    };
    let begun = tokio::spawn(beginning).await;
    let lifecycle = begun.map_err(|error| Refusal::fault(error.to_string()))??;
    Ok((StatusCode::ACCEPTED, Json(Acknowledged { lifecycle })))
}

impl Daemon {
    /// Room for an operation, or the refusal that says to come again.
    pub(crate) fn slot(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        let free = Arc::clone(&self.actions).try_acquire_owned();
        free.map_err(|_| {
            let running =
                self.action_limit - self.actions.available_permits().min(self.action_limit);
            Refusal::full(running, self.action_limit)
        })
    }
}
