//! A bidirectional JSON-RPC 2.0 peer over byte streams, bounded in both directions.
//!
//! Both sides of an ACP connection are clients and servers of each other, so there is
//! one kind of peer. This crate knows lines, ids, order, bounds and ends. It knows no
//! ACP type and no method but `$/cancel_request`: params and results stay raw JSON
//! until a handler gives them a type.
//!
//! ```no_run
//! use wire::{Call, Error, Limits, connect_threads};
//!
//! # async fn agent() -> std::io::Result<()> {
//! let (peer, mut incoming) = connect_threads(std::io::stdin(), std::io::stdout(), Limits::default())?;
//! while let Some(call) = incoming.next().await {
//!     match call {
//!         Call::Request(request) if request.method == "_greet" => {
//!             let peer = peer.clone();
//!             // What may wait is a task of its own; the loop goes on to the next call.
//!             tokio::spawn(async move {
//!                 let _ = peer.notify("_greeting", &["hello"]).await;
//!                 request.responder.respond(&"done"); // stands behind the greeting
//!             });
//!         }
//!         Call::Request(request) => request.responder.error(Error::method_not_found(&request.method)),
//!         Call::Notification(_) => {}
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Theory of operation
//!
//! ```text
//! bytes -> Lines -> message::parse -> Dispatch -+- Request, Notification -> Incoming -> handler
//!                                      |        +- response     -> Pending  -> Peer::request
//!                                      |        +- cancel       -> Inflight -> Responder::cancelled
//!                                      v
//! bytes <- writer <------------------ Outbox <- Peer::notify, Peer::request, Responder
//! ```
//!
//! A connection has two loops, each a task ([`connect_streams`]) or a thread
//! ([`connect_threads`]); the code is the same. The reader acts on lines in the order in
//! which they came. The writer swaps the outbox for an empty one and writes all of it.
//!
//! **Bounds.** Everything one side can make the other hold is in [`Limits`]. Notifications
//! and requests wait for room in the outbox, so a slow reader slows down whoever talks
//! to it. Answers never wait, since the one who would wait is the one who reads; a side
//! that asks without reading its answers is given up. In the other direction, the reader
//! stops reading when the handler is too far behind.
//!
//! **Cancellation** goes both ways. Dropping the future of a request of ours sends
//! `$/cancel_request`; one that comes in flips the token of its responder. Either way
//! there is one answer, and one that comes too late is harmless.
//!
//! **Ends.** The end of the input ends [`Incoming`] and all waits for answers; what is
//! being worked on can still be answered, and [`Peer::drain`] waits until that is out.
//! The end of the output flips [`Peer::closed`] and ends everything. [`Peer::end`] says
//! which it was.
//!
//! # Invariants
//!
//! - Each request gets exactly one answer: a dropped [`Responder`] answers with an error.
//! - Messages are on the wire in the order in which they were sent, each on one line.
//! - No line ends the connection, whatever is in it; a line that is not a message is
//!   answered, and a response is never answered.
//! - An id goes back byte for byte. No other input is repeated in an error, but the
//!   name of an unknown method.
//! - An answer to us may be seen before a call that was written before it and still waits in the
//!   queue; whoever must not overtake waits for [`Peer::caught_up`].
//! - The reader never waits for output. It does wait for the handler, and an answer may
//!   stand behind that: **a handler must not wait for an answer in the loop over
//!   [`Incoming`]**.
//! - A lock is held for a few lines and never over an await.
//!
//! Deliberately absent: batches (ACP has none), timeouts (only the caller knows how long
//! an answer may take), and any retry.
//!
//! # Reading order
//!
//! [`Limits`], then `line` and `message` (bytes into messages, pure), `params`, `id`,
//! `error`, `outgoing` (messages into bytes), `outbox` and `writer` (what is said), `reader`
//! and `incoming` (what is heard), `responder` and `inflight` (their requests), `peer` and
//! `pending` (ours), and `connection` and `blocking`, which put it all on streams.
//!
//! JSON-RPC: <https://www.jsonrpc.org/specification>
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

mod blocking;
mod connection;
mod error;
mod id;
mod incoming;
mod inflight;
mod limits;
mod line;
mod message;
mod outbox;
mod outgoing;
mod params;
mod peer;
mod pending;
mod progress;
mod reader;
mod responder;
mod writer;

pub use connection::{connect_streams, connect_threads};
pub use error::{
    Closed, End, Error, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
    PARSE_ERROR, REQUEST_CANCELLED, RequestError,
};
pub use id::RequestId;
pub use incoming::{Call, Incoming, Notification, Request};
pub use limits::Limits;
pub use params::Params;
pub use peer::Peer;
pub use responder::Responder;
