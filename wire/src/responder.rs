//! The right, and the duty, to answer one request.
//!
//! Apart from the calls because it may travel far from them, into the task that does
//! the work. What must stay true: exactly one answer for each request, whatever
//! happens to its handler.
//!
//! JSON-RPC: <https://www.jsonrpc.org/specification#response_object>
//! ACP: <https://agentclientprotocol.com/protocol/v1/cancellation>

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::id::RequestId;
use crate::inflight::Ticket;
use crate::outgoing::Success;
use crate::peer::Peer;

/// Answers one request, once. None of the ways to answer ever waits, and an answer
/// stands behind every notification that was sent before it. Dropped without an answer
/// it answers with an error: -32800 if the request was cancelled, else -32603.
#[must_use = "dropping a responder answers its request with an error"]
pub struct Responder {
    id: RequestId,
    peer: Peer,
    /// Here until the request is being answered.
    ticket: Option<Ticket>,
    cancelled: CancellationToken,
    answered: bool,
}

impl Responder {
    pub(crate) fn new(peer: Peer, id: RequestId) -> Self {
        let ticket = peer.connection().inflight.begin(&id);
        let cancelled = ticket.cancelled().clone();
        let ticket = Some(ticket);
        Self {
            id,
            peer,
            ticket,
            cancelled,
            answered: false,
        }
    }

    /// The id of the request.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// Flipped when the other side cancels this request with `$/cancel_request`.
    /// The request still needs its answer: a result, or [`Error::request_cancelled`].
    pub fn cancelled(&self) -> CancellationToken {
        self.cancelled.clone()
    }

    /// Answers with a result. One that cannot be written as JSON becomes -32603.
    pub fn respond(mut self, result: &(impl Serialize + ?Sized)) {
        self.send_result(result);
    }

    /// Answers with an error.
    pub fn error(mut self, error: Error) {
        self.send_error(&error);
    }

    /// Answers with either.
    pub fn finish(self, outcome: Result<impl Serialize, Error>) {
        match outcome {
            Ok(result) => self.respond(&result),
            Err(error) => self.error(error),
        }
    }

    fn send_result(&mut self, result: &(impl Serialize + ?Sized)) {
        self.release();
        match self
            .peer
            .connection()
            .outbox
            .push(&Success::new(&self.id, result))
        {
            Ok(()) => self.answered = true,
            Err(error) => {
                let cause = format_args!("the result cannot be written as JSON: {error}");
                self.send_error(&Error::internal(cause));
            }
        }
    }

    fn send_error(&mut self, error: &Error) {
        self.release();
        self.peer.connection().refuse(&self.id, error);
        self.answered = true;
    }

    /// Before the answer is out: its reader may use the id again at once.
    fn release(&mut self) {
        self.ticket = None;
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        // Not answered also when the `Serialize` of a result has panicked.
        if self.answered {
            return;
        }
        let error = if self.cancelled.is_cancelled() {
            Error::request_cancelled()
        } else {
            tracing::error!(id = %self.id, "a request was dropped without an answer");
            Error::internal("the request was dropped without an answer")
        };
        self.send_error(&error);
    }
}
