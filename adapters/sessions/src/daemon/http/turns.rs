//! `/sessions/{id}/prompt`, `/wait` and `/interrupt-turn`.

use axum::{Json, extract::State, http::StatusCode};

use super::{
    Shared,
    extract::{Body, Named},
};
use crate::{
    api::{Acknowledged, Interrupt, Prompt, PromptAccepted, Wait, WaitAnswer},
    daemon::refusal::Refusal,
};

pub(super) async fn prompt(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(prompt): Body<Prompt>,
) -> Result<(StatusCode, Json<PromptAccepted>), Refusal> {
    let turn_id = session.prompt(&daemon, prompt).await?;
    Ok((StatusCode::ACCEPTED, Json(PromptAccepted { turn_id })))
}

pub(super) async fn wait(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(wait): Body<Wait>,
) -> Result<Json<WaitAnswer>, Refusal> {
    session.wait(&daemon, wait).await.map(Json)
}

pub(super) async fn interrupt(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(interrupt): Body<Interrupt>,
) -> Result<(StatusCode, Json<Acknowledged>), Refusal> {
    let lifecycle = session.lock().row.state.lifecycle();
    let interrupting = tokio::spawn(async move { session.interrupt(&daemon, interrupt).await });
    interrupting
        .await
        .map_err(|error| Refusal::fault(error.to_string()))??;
    Ok((StatusCode::ACCEPTED, Json(Acknowledged { lifecycle })))
}
