//! A refusal: the status and the body of an answer that is not a success.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};

use crate::{
    api::{ErrorBody, ErrorCode, SessionId},
    store::StoreError,
};

/// Why a request is not done.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    status: StatusCode,
    body: Box<ErrorBody>,
}

impl Refusal {
    fn new(status: StatusCode, error: impl Into<String>, code: Option<ErrorCode>) -> Self {
        let body = Box::new(ErrorBody {
            error: error.into(),
            code,
            running_actions: None,
            action_limit: None,
        });
        Self { status, body }
    }

    /// 400: the request is wrong in itself.
    pub(crate) fn malformed(error: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, None)
    }

    /// 401.
    pub(crate) fn unauthorised() -> Self {
        let error = "the bearer token is missing or wrong; it is in the token file of the instance";
        Self::new(StatusCode::UNAUTHORIZED, error, None)
    }

    /// 404: there is no such route.
    pub(crate) fn no_route(method: &str, path: &str) -> Self {
        let error = format!("there is no {method} {path}; see /api/v1/openapi.json");
        Self::new(StatusCode::NOT_FOUND, error, None)
    }

    /// 404: there is no such session, or not any more.
    pub(crate) fn unknown_session(id: &SessionId) -> Self {
        let error = format!("unknown session {id}");
        Self::new(
            StatusCode::NOT_FOUND,
            error,
            Some(ErrorCode::UnknownSession),
        )
    }

    /// 404: there is no such workspace.
    pub(crate) fn unknown_workspace(id: &str) -> Self {
        let error = format!("unknown workspace_id {id:?}");
        Self::new(
            StatusCode::NOT_FOUND,
            error,
            Some(ErrorCode::UnknownWorkspace),
        )
    }

    /// 409: not now.
    pub(crate) fn conflict(error: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, error, None)
    }

    /// 409: not now, and a program can tell why.
    pub(crate) fn conflict_because(code: ErrorCode, error: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, error, Some(code))
    }

    /// 429.
    pub(crate) fn full(running: usize, limit: usize) -> Self {
        let error = format!(
            "{running} sessions are being made, resumed, suspended or destroyed, and {limit} may be \
             at once; nothing was begun, try again"
        );
        let mut refusal = Self::new(StatusCode::TOO_MANY_REQUESTS, error, Some(ErrorCode::Full));
        refusal.body.running_actions = Some(running);
        refusal.body.action_limit = Some(limit);
        refusal
    }

    /// 503.
    pub(crate) fn shutting_down() -> Self {
        let code = Some(ErrorCode::ShuttingDown);
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the daemon is shutting down",
            code,
        )
    }

    /// 500: a fault of the daemon.
    pub(crate) fn fault(error: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error, None)
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Self::fault(error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status, Json(*self.body)).into_response()
    }
}
