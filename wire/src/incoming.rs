//! The calls of the other side, in the order in which they came.
//!
//! Apart from the reader because this is the end that a handler holds.

use std::fmt;

use tokio::sync::{OwnedSemaphorePermit, mpsc};

use crate::params::Params;
use crate::peer::Peer;
use crate::responder::Responder;

/// What the other side wants.
#[derive(Debug)]
pub enum Call {
    /// Something that must be answered.
    Request(Request),
    /// Something that is only told.
    Notification(Notification),
}

/// A request of the other side.
pub struct Request {
    /// What it asks for.
    pub method: String,
    /// With which params.
    pub params: Params,
    /// Where the answer goes.
    pub responder: Responder,
}

/// A notification of the other side.
#[derive(Debug)]
pub struct Notification {
    /// What it tells.
    pub method: String,
    /// With which params.
    pub params: Params,
}

/// The queue of calls. Only a bounded number wait in it; then the reader stops reading.
///
/// A loop over [`Incoming::next`] must not wait long, and never for an answer of the
/// other side: start a task for what takes time, and go on with the next call.
pub struct Incoming {
    calls: mpsc::Receiver<Queued>,
    peer: Peer,
    /// How many calls were handed out.
    taken: u64,
}

/// A call that waits, and the bytes it takes of the bound.
pub(crate) struct Queued {
    pub(crate) call: Call,
    pub(crate) _room: OwnedSemaphorePermit,
}

impl Incoming {
    pub(crate) fn new(calls: mpsc::Receiver<Queued>, peer: Peer) -> Self {
        Self {
            calls,
            peer,
            taken: 0,
        }
    }

    /// The next call. `None` when the connection has ended and all calls that were read
    /// have been handed out; [`Peer::end`] then says why. May be dropped at any time
    /// without losing a call. Asking for the next one says that all before it have been handled,
    /// see [`Peer::caught_up`].
    pub async fn next(&mut self) -> Option<Call> {
        self.peer.connection().progress.all_handled(self.taken);
        let closed = self.peer.connection().outbox.closed();
        let queued = tokio::select! {
            biased;
            queued = self.calls.recv() => queued?,
            // A reader on a thread of its own cannot be called back from a blocked read.
            () = closed.cancelled() => {
                self.calls.close();
                self.calls.recv().await?
            }
        };
        self.taken += 1;
        Some(queued.call)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // Nobody will handle what is left.
        self.peer.connection().progress.all_handled(u64::MAX);
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Request")
            .field("id", self.responder.id())
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}
