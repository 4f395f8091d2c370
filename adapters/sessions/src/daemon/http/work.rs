//! `/sessions/{id}/diff` and `/export`: what a session has done to its primary repository.

use axum::{
    Json,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};

use super::{
    Shared,
    extract::{Asked, Body, Named},
};
use crate::{
    api::{DiffQuery, Export, ExportKind, Exported},
    daemon::refusal::Refusal,
};

pub(super) async fn diff(
    State(daemon): State<Shared>,
    Named(session): Named,
    Asked(query): Asked<DiffQuery>,
) -> Result<Response, Refusal> {
    let diff = session.diff(&daemon, query.base.as_deref()).await?;
    if query.json {
        return Ok(Json(diff).into_response());
    }
    let kind = HeaderValue::from_static("text/x-diff; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], diff.diff).into_response())
}

pub(super) async fn export(
    State(daemon): State<Shared>,
    Named(session): Named,
    Body(Export {
        kind: ExportKind::Bundle,
    }): Body<Export>,
) -> Result<Json<Exported>, Refusal> {
    session.export(&daemon).await.map(Json)
}
