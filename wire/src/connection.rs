//! What the two directions of a connection share, and how a connection is made.
//!
//! Apart from the peer because the reader and the writer hold this without keeping
//! the connection alive: only handles do that.

use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};
use std::thread;

use serde::Serialize;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::blocking::Blocking;
use crate::error::{End, Error};
use crate::id::RequestId;
use crate::incoming::Incoming;
use crate::inflight::Inflight;
use crate::limits::Limits;
use crate::outbox::Outbox;
use crate::outgoing::Failure;
use crate::peer::Peer;
use crate::pending::Pending;
use crate::progress::Progress;
use crate::reader::{self, Dispatch};
use crate::writer;

/// The state of one connection.
pub(crate) struct Connection {
    pub(crate) outbox: Outbox,
    pub(crate) pending: Pending,
    pub(crate) inflight: Arc<Inflight>,
    pub(crate) progress: Progress,
    /// Input is not wanted any more: the output has ended, or nobody is left to hear it.
    pub(crate) unwanted: CancellationToken,
    input_end: OnceLock<End>,
}

impl Connection {
    fn new(limits: &Limits) -> Self {
        let outbox = Outbox::new(limits);
        let unwanted = outbox.closed().child_token();
        Self {
            outbox,
            pending: Pending::default(),
            inflight: Arc::default(),
            progress: Progress::default(),
            unwanted,
            input_end: OnceLock::new(),
        }
    }

    /// Sends a message whose parts always become JSON: an error, a cancel.
    pub(crate) fn push(&self, message: &impl Serialize) {
        if let Err(error) = self.outbox.push(message) {
            tracing::error!(%error, "a message cannot be written as JSON");
        }
    }

    /// Answers with an error.
    pub(crate) fn refuse(&self, id: &RequestId, error: &Error) {
        self.push(&Failure::new(id, error));
    }

    pub(crate) fn input_ended(&self, end: End) {
        let _ = self.input_end.set(end);
        self.pending.end();
    }

    /// The last handle is gone.
    pub(crate) fn abandon(&self) {
        self.unwanted.cancel();
        self.outbox.finish();
    }

    pub(crate) fn end(&self) -> Option<End> {
        self.outbox.end().or(self.input_end.get()).cloned()
    }
}

/// Connects over async streams, with a task for each direction. Needs a tokio runtime.
pub fn connect_streams<R, W>(reader: R, writer: W, limits: Limits) -> (Peer, Incoming)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (connection, dispatch, peer, incoming) = open(limits);
    tokio::spawn(reader::read(reader, dispatch));
    tokio::spawn(writer::write(connection, writer));
    (peer, incoming)
}

/// Connects over blocking streams, with a thread for each direction: for stdin and stdout.
/// Must be called inside a tokio runtime.
///
/// The threads are detached: one that is blocked in a read cannot be called back. It ends
/// at the end of the input, or with the process.
///
/// # Errors
/// There is no runtime, or no thread could be started.
pub fn connect_threads<R, W>(reader: R, writer: W, limits: Limits) -> io::Result<(Peer, Incoming)>
where
    R: Read + Send + 'static,
    W: Write + Send + 'static,
{
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let (connection, dispatch, peer, incoming) = open(limits);
    let read = reader::read(Blocking(reader), dispatch);
    let write = writer::write(connection, Blocking(writer));
    spawn("wire-read", runtime.clone(), read)?;
    spawn("wire-write", runtime, write)?;
    Ok((peer, incoming))
}

fn open(limits: Limits) -> (Arc<Connection>, Dispatch, Peer, Incoming) {
    let connection = Arc::new(Connection::new(&limits));
    let peer = Peer::new(Arc::clone(&connection));
    let (sender, calls) = mpsc::channel(limits.incoming.max(1));
    let dispatch = Dispatch::new(&peer, Arc::clone(&connection), sender, limits);
    let incoming = Incoming::new(calls, peer.clone());
    (connection, dispatch, peer, incoming)
}

/// A thread that does nothing but this one future. It may block in it.
fn spawn(
    name: &str,
    runtime: Handle,
    direction: impl Future<Output = ()> + Send + 'static,
) -> io::Result<()> {
    let thread = thread::Builder::new().name(name.to_owned());
    thread.spawn(move || runtime.block_on(direction)).map(drop)
}
