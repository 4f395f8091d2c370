//! The other side, as seen by whoever wants to tell or ask it something.
//!
//! Apart from the connection because handles have a meaning of their own: the
//! connection lives as long as one of them does.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/cancellation>

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::error::{Closed, End, RequestError};
use crate::outbox::SendError;
use crate::outgoing::{CANCEL_REQUEST, CancelRequest, Outgoing};
use crate::params::reason;
use crate::pending::Reply;

/// Sends notifications and requests. Cheap to clone.
///
/// When the last of all peers, responders and the [`Incoming`](crate::Incoming) of a
/// connection is dropped, what was said is still written and the streams are dropped.
#[derive(Clone)]
pub struct Peer {
    handle: Arc<Handle>,
}

/// Its drop is the drop of the last peer.
pub(crate) struct Handle {
    connection: Arc<Connection>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.connection.abandon();
    }
}

impl Peer {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        let handle = Arc::new(Handle { connection });
        Self { handle }
    }

    pub(crate) fn from_handle(handle: Arc<Handle>) -> Self {
        Self { handle }
    }

    pub(crate) fn handle(&self) -> &Arc<Handle> {
        &self.handle
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.handle.connection
    }

    /// Sends a notification. Waits while the outbox is above its soft bound; those who
    /// wait take turns. `params` must become an object or an array. Dropped before it
    /// is ready, it sent nothing.
    ///
    /// Params that cannot be written as JSON are a fault of this side: they are logged,
    /// and nothing is sent.
    ///
    /// # Errors
    /// [`Closed`]: the output has ended.
    pub async fn notify(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> Result<(), Closed> {
        let message = Outgoing::notification(method, params);
        match self.connection().outbox.send(&message).await {
            Ok(()) => Ok(()),
            Err(SendError::Closed) => Err(Closed),
            Err(SendError::Unserialisable(error)) => {
                tracing::error!(method, %error, "a notification cannot be written as JSON");
                Ok(())
            }
        }
    }

    /// Waits until every call that was read before this moment has been handled, which is when
    /// [`Incoming::next`](crate::Incoming::next) is asked for the one behind it.
    ///
    /// Answers do not stand in the queue of calls. So behind an answer, and before acting on it,
    /// this is how to hear first what the other side wrote first, such as a cancel. Never wait for
    /// it in the loop that reads [`Incoming`](crate::Incoming).
    pub async fn caught_up(&self) {
        self.connection().progress.caught_up().await;
    }

    /// Sends a request and waits for its answer. `params` must become an object or an
    /// array. Use `Box<RawValue>` as `R` for a raw result.
    ///
    /// Dropping the future sends `$/cancel_request` for the request and forgets it.
    /// Never wait for an answer in the loop that reads [`Incoming`](crate::Incoming):
    /// the answer may stand behind a full queue that only this loop empties.
    ///
    /// # Errors
    /// See [`RequestError`].
    pub async fn request<R: DeserializeOwned>(
        &self,
        method: &str,
        params: &(impl Serialize + ?Sized),
    ) -> Result<R, RequestError> {
        let connection = self.connection();
        let (id, mut answer) = connection.pending.register().ok_or(Closed)?;
        let mut asked = Asked {
            connection,
            id,
            sent: false,
        };
        let message = Outgoing::request(id, method, params);
        tokio::select! {
            biased;
            sent = connection.outbox.send(&message) => sent?,
            // While it waited for room the input ended; or the id was guessed.
            early = &mut answer => return Err(match early {
                Err(_) => RequestError::Closed,
                Ok(_) => RequestError::Malformed("it came before the request".to_owned()),
            }),
        }
        asked.sent = true;
        let reply = tokio::select! {
            biased;
            reply = answer => reply.map_err(|_| Closed)?,
            () = connection.outbox.closed().cancelled() => return Err(RequestError::Closed),
        };
        match reply {
            Reply::Result(raw) => serde_json::from_str(raw.get())
                .map_err(|error| RequestError::Malformed(reason(&error))),
            Reply::Error(error) => Err(RequestError::Answer(error)),
            Reply::Malformed(why) => Err(RequestError::Malformed(why)),
        }
    }

    /// Flipped when the output has ended: it failed, the other side was given up, or
    /// [`Peer::close`] was called. The end of the input does not flip it.
    pub fn closed(&self) -> CancellationToken {
        // A child: whoever holds it cannot end the connection by cancelling it.
        self.connection().outbox.closed().child_token()
    }

    /// Waits until all that was sent and answered before is written and flushed.
    /// `false` when the deadline passed or the output has ended.
    pub async fn drain(&self, deadline: Duration) -> bool {
        self.connection().outbox.drain(deadline).await
    }

    /// Ends the connection from this side, at once. What is not written is dropped.
    pub fn close(&self) {
        self.connection().outbox.close(End::ClosedHere);
    }

    /// Why the connection ended, if it did. An end of the output outranks the end of the
    /// input, because then something that was said was not heard.
    pub fn end(&self) -> Option<End> {
        self.connection().end()
    }
}

impl From<SendError> for RequestError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Closed => Self::Closed,
            SendError::Unserialisable(error) => Self::Params(error),
        }
    }
}

/// A request of ours, until its future is done or dropped.
struct Asked<'a> {
    connection: &'a Connection,
    id: u64,
    sent: bool,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let request_id = self.id;
        if self.connection.pending.forget(request_id) && self.sent {
            let params = CancelRequest { request_id };
            self.connection
                .push(&Outgoing::notification(CANCEL_REQUEST, &params));
        }
    }
}
