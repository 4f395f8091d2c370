//! One request to a tool server, until its answer, or until it is known that none will come.
//!
//! Must stay true: a request that nobody waits for any more is cancelled, so the future may be
//! dropped at any time.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation>

use futures::FutureExt;
use rmcp::{
    model::{ClientRequest, ErrorCode, ErrorData, ServerResult},
    service::{Peer, PeerRequestOptions, RequestHandle, RoleClient, ServiceError},
};
use serde_json::Value;

use super::{
    incoming::UNREADABLE,
    limits::MAX_LINE,
    signals::{Signals, Trouble},
};

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoResult {
    /// The server has closed its output, or its input.
    #[error("it closed its end of the connection")]
    Closed,
    /// The server says no.
    #[error("{} (error {})", .0.message, .0.code.0)]
    Refused(ErrorData),
    /// Its answer cannot be read.
    #[error("its answer cannot be read: {0}")]
    Unreadable(String),
    /// What it sent, which may have been the answer, was dropped.
    #[error("{}", dropped(*.0))]
    Dropped(Trouble),
}

impl NoResult {
    /// Whether the server does not know the method.
    pub(super) fn is_unknown_method(&self) -> bool {
        matches!(self, Self::Refused(error) if error.code == ErrorCode::METHOD_NOT_FOUND)
    }
}

fn dropped(trouble: Trouble) -> String {
    match trouble {
        Trouble::TooLong => {
            format!("it sent a line longer than {MAX_LINE} bytes, which was dropped")
        }
        Trouble::Batch => "it sent a batch, which MCP does not have".to_owned(),
    }
}

/// Sends a request and waits for its result. The caller sets the deadline.
pub(super) async fn request(
    peer: &Peer<RoleClient>,
    signals: &Signals,
    request: ClientRequest,
) -> Result<Value, NoResult> {
    let mut troubles = signals.troubles();
    let handle = peer
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await;
    let mut pending = Pending(Some(handle.map_err(no_result)?));
    let answered = tokio::select! {
        biased;
        answer = pending.answer() => answer,
        // The sender lives as long as `signals`.
        Ok(()) = troubles.changed() => {
            let trouble = *troubles.borrow_and_update();
            return Err(trouble.map_or(NoResult::Closed, NoResult::Dropped));
        }
    };
    pending.0 = None;
    match answered.map_err(no_result)? {
        ServerResult::CustomResult(result) => Ok(result.0),
        // The transport makes no others once the handshake is over.
        other => Err(NoResult::Unreadable(format!("it is none: {other:?}"))),
    }
}

/// A request without an answer so far.
struct Pending(Option<RequestHandle<RoleClient>>);

impl Pending {
    async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        match &mut self.0 {
            Some(handle) => match (&mut handle.rx).await {
                Ok(answer) => answer,
                Err(_) => Err(ServiceError::TransportClosed),
            },
            None => Err(ServiceError::TransportClosed),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            // The first poll queues the notification. Whether it is read is up to the server.
            let _ = handle
                .cancel(Some("not wanted any more".to_owned()))
                .now_or_never();
        }
    }
}

fn no_result(error: ServiceError) -> NoResult {
    match error {
        ServiceError::McpError(error) if error.code == UNREADABLE => {
            NoResult::Unreadable(error.message.into_owned())
        }
        ServiceError::McpError(error) => NoResult::Refused(error),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) => NoResult::Closed,
        error => NoResult::Unreadable(error.to_string()),
    }
}
