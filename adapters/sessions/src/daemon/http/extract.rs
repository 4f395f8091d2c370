//! The parts of a request as types, with refusals in this contract's own form.

use std::sync::Arc;

use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::request::Parts,
};
use serde::de::DeserializeOwned;

use super::Shared;
use crate::{
    api::SessionId,
    daemon::{refusal::Refusal, session::Session},
};

/// The largest body. A prompt has at most 65,536 characters, each of which JSON may write as twelve
/// bytes.
const LARGEST: usize = 1024 * 1024;

/// The body as JSON. No body is an empty object.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<Shared> for Body<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _: &Shared) -> Result<Self, Refusal> {
        let bytes = axum::body::to_bytes(request.into_body(), LARGEST).await;
        let bytes = bytes.map_err(|error| {
            Refusal::malformed(format!(
                "the body cannot be read, it may have {LARGEST} bytes: {error}"
            ))
        })?;
        let text = match bytes.trim_ascii() {
            b"" => b"{}",
            // A list would be taken for the members in their order.
            text if text.starts_with(b"[") => {
                return Err(Refusal::malformed(
                    "the body is wrong: a list is no object".to_owned(),
                ));
            }
            text => text,
        };
        let value = serde_json::from_slice(text);
        value
            .map(Self)
            .map_err(|error| Refusal::malformed(format!("the body is wrong: {error}")))
    }
}

/// The query.
pub(super) struct Asked<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<Shared> for Asked<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Refusal> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        let wrong = |error| Refusal::malformed(format!("the query is wrong: {error}"));
        query.map(|Query(value)| Self(value)).map_err(wrong)
    }
}

/// The session that the path names.
pub(super) struct Named(pub(super) Arc<Session>);

impl FromRequestParts<Shared> for Named {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &Shared) -> Result<Self, Refusal> {
        let path = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = path.map_err(|error| Refusal::malformed(error.to_string()))?;
        let id: SessionId = text
            .parse()
            .map_err(|error| Refusal::malformed(format!("{error}")))?;
        let session = state
            .session(&id)
            .ok_or_else(|| Refusal::unknown_session(&id))?;
        Ok(Self(session))
    }
}
