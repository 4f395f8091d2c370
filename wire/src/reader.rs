//! From the stream to the calls, to our own requests, and to the tokens of cancellation.
//!
//! Apart from the lines and the messages because this is where something happens. What
//! must stay true: lines are acted on in the order in which they came; the reader
//! answers what is malformed itself; it waits for room in the queue of calls and for
//! nothing else, never for output.

use std::pin::pin;
use std::sync::{Arc, Weak};

use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::AsyncRead;
use tokio::sync::{Semaphore, mpsc};

use crate::connection::Connection;
use crate::error::{End, Error};
use crate::id::RequestId;
use crate::incoming::{Call, Notification, Queued, Request};
use crate::limits::Limits;
use crate::line::{Line, Lines};
use crate::message::{self, Answer, Message, Refusal};
use crate::outgoing::CANCEL_REQUEST;
use crate::params::Params;
use crate::peer::{Handle, Peer};
use crate::pending::Reply;
use crate::responder::Responder;

/// Where messages go.
pub(crate) struct Dispatch {
    connection: Arc<Connection>,
    /// Weak: the reader alone does not keep a connection alive.
    handle: Weak<Handle>,
    calls: mpsc::Sender<Queued>,
    /// One permit for each byte that may wait in the queue of calls.
    room: Arc<Semaphore>,
    limits: Limits,
}

/// Reads until the input ends or nobody wants it any more.
pub(crate) async fn read<R: AsyncRead + Unpin>(reader: R, dispatch: Dispatch) {
    let connection = Arc::clone(&dispatch.connection);
    let mut lines = Lines::new(reader, dispatch.limits.max_line);
    let mut unwanted = pin!(connection.unwanted.cancelled());
    let end = loop {
        let line = tokio::select! {
            biased;
            () = &mut unwanted => return,
            line = lines.next() => line,
        };
        match line {
            Ok(Some(Line::Text(text))) => dispatch.line(text).await,
            Ok(Some(Line::TooLong)) => dispatch.too_long(),
            Ok(None) => break End::Eof,
            Err(error) => break End::ReadFailed(Arc::new(error)),
        }
    };
    // Before the queue of calls ends: whoever sees its end can ask why.
    connection.input_ended(end);
}

impl Dispatch {
    pub(crate) fn new(
        peer: &Peer,
        connection: Arc<Connection>,
        calls: mpsc::Sender<Queued>,
        mut limits: Limits,
    ) -> Self {
        // A message takes its permits in one go, which are counted in u32.
        limits.incoming_bytes = limits.incoming_bytes.clamp(1, u32::MAX as usize);
        Self {
            connection,
            handle: Arc::downgrade(peer.handle()),
            calls,
            room: Arc::new(Semaphore::new(limits.incoming_bytes)),
            limits,
        }
    }

    async fn line(&self, text: &[u8]) {
        match message::parse(text) {
            Ok(Message::Request { id, method, params }) => {
                let Some(handle) = self.handle.upgrade() else {
                    return;
                };
                let responder = Responder::new(Peer::from_handle(handle), id);
                let (method, params) = (method.into_owned(), Params::new(params));
                let request = Request {
                    method,
                    params,
                    responder,
                };
                self.queue(Call::Request(request), text.len()).await;
            }
            Ok(Message::Notification { method, params }) if method == CANCEL_REQUEST => {
                self.cancel(&Params::new(params));
            }
            Ok(Message::Notification { method, params }) => {
                let (method, params) = (method.into_owned(), Params::new(params));
                let notification = Notification { method, params };
                self.queue(Call::Notification(notification), text.len())
                    .await;
            }
            Ok(Message::Response { id, answer }) => self.settle(id, answer),
            Ok(Message::Bare(refusal)) => {
                let reply = Reply::Malformed("it has neither a result nor an error".to_owned());
                if !self.answer(refusal.id.as_json(), reply) {
                    self.refuse(&refusal, text.len());
                }
            }
            Ok(Message::Nothing) => {}
            Err(refusal) => self.refuse(&refusal, text.len()),
        }
    }

    fn too_long(&self) {
        let why = format_args!("a line is longer than {} bytes", self.limits.max_line);
        self.connection
            .refuse(&RequestId::null(), &Error::invalid_request(why));
    }

    /// Waits until the call has its place in the queue. A request that finds nobody to
    /// handle it is answered by the drop of its responder.
    async fn queue(&self, call: Call, size: usize) {
        let bytes = size.clamp(1, self.limits.incoming_bytes) as u32;
        let queued = async {
            let _room = Arc::clone(&self.room)
                .acquire_many_owned(bytes)
                .await
                .ok()?;
            self.calls.send(Queued { call, _room }).await.ok()
        };
        let queued = tokio::select! {
            biased;
            queued = queued => queued,
            () = self.connection.unwanted.cancelled() => None,
        };
        if queued.is_some() {
            self.connection.progress.one_read();
        } else {
            tracing::debug!("a call came when nobody handled calls any more");
        }
    }

    fn cancel(&self, params: &Params) {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Cancel {
            request_id: Box<RawValue>,
        }
        let id = params.parse::<Cancel>().ok();
        let id = id.and_then(|cancel| RequestId::from_raw(&cancel.request_id));
        if !id.is_some_and(|id| self.connection.inflight.cancel(&id)) {
            tracing::debug!("a {CANCEL_REQUEST} names no request in flight");
        }
    }

    fn settle(&self, id: Option<&RawValue>, answer: Answer<'_>) {
        let reply = match answer {
            Answer::Result(raw) => Reply::Result(raw.to_owned()),
            Answer::Error(raw) => match serde_json::from_str(raw.get()) {
                Ok(error) => Reply::Error(error),
                Err(_) => Reply::Malformed("its error is not an error object".to_owned()),
            },
            Answer::Malformed(why) => Reply::Malformed(why.to_owned()),
        };
        if !id.is_some_and(|id| self.answer(id.get(), reply)) {
            tracing::debug!("a response came that nobody waits for");
        }
    }

    /// Hands an answer to the request of ours with this id; `false` when none waits for it.
    fn answer(&self, id: &str, reply: Reply) -> bool {
        // Our own ids are integers.
        let id = id.parse().ok();
        id.is_some_and(|id| self.connection.pending.settle(id, reply))
    }

    fn refuse(&self, Refusal { id, error }: &Refusal, bytes: usize) {
        tracing::debug!(%error, "refused a line of {bytes} bytes");
        self.connection.refuse(id, error);
    }
}
