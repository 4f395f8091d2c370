//! The messages this side writes, as they stand on the wire.
//!
//! Apart from the outbox so that it holds bytes and bounds only, and from
//! [`message`](crate::message) because reading is tolerant and writing is not:
//! every line written is exactly one of these four shapes.
//!
//! JSON-RPC: <https://www.jsonrpc.org/specification>

use serde::Serialize;

use crate::error::Error;
use crate::id::RequestId;

const VERSION: &str = "2.0";

/// The notification that cancels a request.
///
/// ACP: <https://agentclientprotocol.com/protocol/v1/cancellation>
pub(crate) const CANCEL_REQUEST: &str = "$/cancel_request";

/// A request (with an id) or a notification (without).
#[derive(Serialize)]
pub(crate) struct Outgoing<'a, P: ?Sized> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: &'a P,
}

impl<'a, P: ?Sized> Outgoing<'a, P> {
    pub(crate) fn notification(method: &'a str, params: &'a P) -> Self {
        let (jsonrpc, id) = (VERSION, None);
        Self {
            jsonrpc,
            id,
            method,
            params,
        }
    }

    pub(crate) fn request(id: u64, method: &'a str, params: &'a P) -> Self {
        let (jsonrpc, id) = (VERSION, Some(id));
        Self {
            jsonrpc,
            id,
            method,
            params,
        }
    }
}

/// The params of `$/cancel_request`, for a request of ours.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelRequest {
    pub(crate) request_id: u64,
}

/// The answer to a request that worked.
#[derive(Serialize)]
pub(crate) struct Success<'a, R: ?Sized> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a R,
}

impl<'a, R: ?Sized> Success<'a, R> {
    pub(crate) fn new(id: &'a RequestId, result: &'a R) -> Self {
        let jsonrpc = VERSION;
        Self {
            jsonrpc,
            id,
            result,
        }
    }
}

/// The answer to a request that failed, or to what is no request.
#[derive(Serialize)]
pub(crate) struct Failure<'a> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    error: &'a Error,
}

impl<'a> Failure<'a> {
    pub(crate) fn new(id: &'a RequestId, error: &'a Error) -> Self {
        let jsonrpc = VERSION;
        Self { jsonrpc, id, error }
    }
}
