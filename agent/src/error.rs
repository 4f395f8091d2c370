//! The one place where the agent's failures become JSON-RPC errors.
//!
//! | failure | code |
//! |---|---|
//! | not JSON | -32700, by [`wire`] |
//! | not a request, a batch, a second prompt while a turn runs | -32600 |
//! | unknown method | -32601 |
//! | bad params, an id of a mode or option that does not exist | -32602 |
//! | nobody is logged in, with `--require-auth` | -32000 |
//! | unknown session | -32002, with the id in `data` |
//! | `$/cancel_request` of anything but a prompt | -32800 |
//! | the rest: the store, the model, too much at once | -32603, with the cause in `message` |
//!
//! Must stay true: `data` never repeats what the client sent, save for a session's id. Params may
//! hold secrets, such as the environment of a tool server.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/schema#errorcode>

use serde_json::json;
use thiserror::Error;

use crate::{acp, store::StoreError};

/// Why a request gets an error instead of a result.
#[derive(Debug, Error)]
pub enum RequestError {
    /// The session is neither open nor in the store.
    #[error("there is no session with this id; session/new makes one")]
    UnknownSession(String),
    /// Nobody is logged in.
    #[error("a login is needed: see authMethods in the answer to initialize")]
    AuthRequired,
    /// The session has a turn, or a load, that has not ended.
    #[error("the session is busy: wait for the answer to its prompt, or send session/cancel")]
    Busy,
    /// The session was closed while the request was on its way.
    #[error("the session was closed")]
    Closed,
    /// As many sessions are open as may be.
    #[error("{0} sessions are open, and that is the most: close one with session/close")]
    TooManySessions(usize),
    /// The client asks faster than its requests can be worked on.
    #[error("too many requests at once: wait for some answers, then send it again")]
    TooManyRequests,
    /// The agent is on its way out.
    #[error("the agent is shutting down")]
    ShuttingDown,
    /// The params have the right shape and a value that cannot be.
    #[error("{0}")]
    InvalidParams(String),
    /// The session's file could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The model gave no usable answer.
    #[error("the model failed: {0}")]
    Model(String),
    /// The client took the request back.
    #[error("the request was cancelled")]
    Cancelled,
    /// A part of the agent broke; the text says which.
    #[error("{0}")]
    Internal(String),
}

impl From<RequestError> for wire::Error {
    fn from(error: RequestError) -> Self {
        let message = error.to_string();
        let code = match &error {
            RequestError::UnknownSession(_) => acp::ErrorCode::ResourceNotFound,
            RequestError::AuthRequired => acp::ErrorCode::AuthRequired,
            RequestError::Busy | RequestError::Closed | RequestError::ShuttingDown => {
                acp::ErrorCode::InvalidRequest
            }
            RequestError::InvalidParams(_) => acp::ErrorCode::InvalidParams,
            RequestError::Store(error) => return from_store(error, message),
            RequestError::Cancelled => acp::ErrorCode::RequestCancelled,
            RequestError::TooManySessions(_)
            | RequestError::TooManyRequests
            | RequestError::Model(_)
            | RequestError::Internal(_) => acp::ErrorCode::InternalError,
        };
        let data = match error {
            RequestError::UnknownSession(id) => Some(json!({ "sessionId": shorten(id) })),
            _ => None,
        };
        Self {
            code: code.into(),
            message,
            data,
        }
    }
}

/// A session that the store does not know is an unknown session, whatever the store calls it.
fn from_store(error: &StoreError, message: String) -> wire::Error {
    match error {
        StoreError::NotFound { session_id } | StoreError::InvalidId { session_id } => {
            RequestError::UnknownSession(session_id.clone()).into()
        }
        StoreError::InvalidCursor => RequestError::InvalidParams(message).into(),
        _ => wire::Error {
            code: acp::ErrorCode::InternalError.into(),
            message,
            data: None,
        },
    }
}

/// The longest id that is echoed. Our own are shorter; a longer one is somebody's test.
const ECHOED_ID: usize = 128;

fn shorten(mut id: String) -> String {
    if let Some((end, _)) = id.char_indices().nth(ECHOED_ID) {
        id.truncate(end);
        id.push('…');
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        for (error, code) in [
            (RequestError::UnknownSession("x".into()), -32002),
            (RequestError::AuthRequired, -32000),
            (RequestError::Busy, -32600),
            (RequestError::InvalidParams("x".into()), -32602),
            (RequestError::Cancelled, -32800),
            (RequestError::Model("x".into()), -32603),
        ] {
            let text = error.to_string();
            assert_eq!(wire::Error::from(error).code, code, "{text}");
        }
    }

    #[test]
    fn an_unknown_id_is_echoed_up_to_a_bound() {
        let error = wire::Error::from(RequestError::UnknownSession("é".repeat(10_000)));
        let id = error.data.unwrap()["sessionId"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_eq!(id.chars().count(), ECHOED_ID + 1);
    }
}
