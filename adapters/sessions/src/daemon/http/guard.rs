//! What stands in front of every request.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use sha2::{Digest as _, Sha256};

use super::Shared;
use crate::{
    api::{VERSION, VERSION_HEADER},
    daemon::refusal::Refusal,
};

/// The digest of the token. Digests are compared, so that the time of a comparison says nothing
/// about the token.
#[derive(Clone)]
pub(super) struct Token(Arc<[u8]>);

impl Token {
    pub(super) fn new(token: &str) -> Self {
        Self(Sha256::digest(token).as_slice().into())
    }
}

/// Lets only those in who know the token.
pub(super) async fn authorise(
    State(token): State<Token>,
    request: Request,
    next: Next,
) -> Response {
    let value = request.headers().get(header::AUTHORIZATION);
    let shown = value.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    let is_right = shown.is_some_and(|shown| Sha256::digest(shown.trim()).as_slice() == &*token.0);
    match is_right {
        true => next.run(request).await,
        false => Refusal::unauthorised().into_response(),
    }
}

/// Lets nobody in any more when the daemon ends.
pub(super) async fn while_serving(
    State(daemon): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    match daemon.ending.is_cancelled() {
        false => next.run(request).await,
        true => Refusal::shutting_down().into_response(),
    }
}

/// Says which contract this is.
pub(super) async fn version(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let name = HeaderName::from_static(VERSION_HEADER);
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static(VERSION));
    response
}
