//! What can go wrong, as values: the error of an answer, and the errors of our own calls.
//!
//! An [`Error`] travels to the other side, so its constructors take care that it never
//! repeats what that side sent: params hold secrets (the environment of MCP servers),
//! and a line can be hundreds of MiB long.
//!
//! JSON-RPC: <https://www.jsonrpc.org/specification#error_object>
//! ACP: <https://agentclientprotocol.com/protocol/v1/schema#errorcode>

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The line is not JSON.
pub const PARSE_ERROR: i32 = -32700;
/// The JSON is not a request.
pub const INVALID_REQUEST: i32 = -32600;
/// The method does not exist.
pub const METHOD_NOT_FOUND: i32 = -32601;
/// The params do not fit the method.
pub const INVALID_PARAMS: i32 = -32602;
/// The receiver failed.
pub const INTERNAL_ERROR: i32 = -32603;
/// The request was cancelled, by `$/cancel_request` or by its receiver.
///
/// ACP: <https://agentclientprotocol.com/protocol/v1/cancellation>
pub const REQUEST_CANCELLED: i32 = -32800;

/// A method's name is repeated in a message up to this many characters.
const METHOD_SHOWN: usize = 100;

/// The error member of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct Error {
    /// One of the codes of this module, or one of the application's own.
    pub code: i32,
    /// One sentence for a human.
    #[serde(default)]
    pub message: String,
    /// More for a program, if there is more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Error {
    /// An error without data.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            data: None,
        }
    }

    /// The same error with `data` for a program to read.
    #[must_use]
    pub fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// -32700. `reason` must not repeat the input.
    pub fn parse_error(reason: impl fmt::Display) -> Self {
        Self::new(PARSE_ERROR, format!("Parse error: {reason}"))
    }

    /// -32600. `reason` must not repeat the input.
    pub fn invalid_request(reason: impl fmt::Display) -> Self {
        Self::new(INVALID_REQUEST, format!("Invalid request: {reason}"))
    }

    /// -32601, naming the method (the beginning of it, if it is absurdly long).
    pub fn method_not_found(method: &str) -> Self {
        let shown = match method.char_indices().nth(METHOD_SHOWN) {
            Some((cut, _)) => Cow::Owned(format!("{}…", &method[..cut])),
            None => Cow::Borrowed(method),
        };
        Self::new(METHOD_NOT_FOUND, format!("Method not found: {shown}"))
    }

    /// -32602. `reason` must not repeat the input.
    pub fn invalid_params(reason: impl fmt::Display) -> Self {
        Self::new(INVALID_PARAMS, format!("Invalid params: {reason}"))
    }

    /// -32603, with the real cause.
    pub fn internal(cause: impl fmt::Display) -> Self {
        Self::new(INTERNAL_ERROR, format!("Internal error: {cause}"))
    }

    /// -32800.
    pub fn request_cancelled() -> Self {
        Self::new(REQUEST_CANCELLED, "Request cancelled")
    }
}

/// The message was not sent because the connection is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the connection is closed")]
pub struct Closed;

/// Why a request of ours has no result.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The connection ended, or can no longer bring an answer.
    #[error("the connection closed before the answer came")]
    Closed,
    /// The other side answered with an error.
    #[error("the other side answered with an error: {0}")]
    Answer(Error),
    /// The other side answered with something that is no answer, or not the expected
    /// result. Says what is wrong and holds no value of the answer.
    #[error("the answer is malformed: {0}")]
    Malformed(String),
    /// Our own params cannot be written as JSON. Nothing was sent.
    #[error("the params cannot be written as JSON: {0}")]
    Params(serde_json::Error),
}

impl From<Closed> for RequestError {
    fn from(_: Closed) -> Self {
        Self::Closed
    }
}

/// Why a connection ended.
#[derive(Debug, Clone, thiserror::Error)]
pub enum End {
    /// The other side closed its output. Ours still works.
    #[error("the input ended")]
    Eof,
    /// Reading failed. The output may still work.
    #[error("reading failed: {0}")]
    ReadFailed(Arc<io::Error>),
    /// Writing failed, mostly because the other side is gone. Answers were lost.
    #[error("writing failed: {0}")]
    WriteFailed(Arc<io::Error>),
    /// The other side asks but does not read its answers.
    #[error("the other side does not read: {backlog} bytes are waiting for it")]
    GivenUp {
        /// What was waiting to be written, in bytes.
        backlog: usize,
    },
    /// [`Peer::close`](crate::Peer::close) was called.
    #[error("the connection was closed by this side")]
    ClosedHere,
}
