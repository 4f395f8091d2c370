//! The way to one running server: its tools, and calls to them.
//!
//! It is shared by the tools that a turn holds, and knows nothing of processes: the task that owns
//! the server ([`super::server`]) tells it when the server has ended.
//!
//! Must stay true: a call ends. At the answer, at the cancel, at the deadline, or with the server.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use rmcp::{
    model::{CallToolRequest, CallToolRequestParams, ClientRequest, JsonObject},
    service::{Peer, RoleClient},
};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    catalog::Catalog,
    failure,
    limits::{Deadlines, LIST_PAUSE},
    request::{NoResult, request},
    result,
    signals::Signals,
    stderr::Stderr,
};
use crate::{
    tools::{RunContext, ToolOutcome, headline},
    trace::Trace,
};

/// One server, as the turns see it.
pub(super) struct Connection {
    /// The server's name, unique in the session.
    pub(super) name: String,
    pub(super) peer: Peer<RoleClient>,
    pub(super) deadlines: Deadlines,
    pub(super) stderr: Stderr,
    /// How the server ended, once it has.
    pub(super) ended: watch::Sender<Option<String>>,
    pub(super) catalog: Mutex<Arc<Catalog>>,
    /// What the server does unasked.
    pub(super) signals: Arc<Signals>,
    /// Which change of its tools is in the catalog.
    pub(super) listed: watch::Sender<u64>,
    /// Counts the changes of all catalogs of the session.
    pub(super) revision: Arc<AtomicU64>,
}

/// Why there is no answer to a call.
enum NoAnswer {
    Cancelled,
    TimedOut,
    Ended(String),
    NoResult(NoResult),
}

impl Connection {
    /// The tools that the server has now.
    pub(super) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Keeps the catalog up to date for as long as it is polled.
    pub(super) async fn follow_changes(&self) {
        let mut changes = self.signals.changes();
        // What came before this was polled for the first time.
        changes.mark_changed();
        while changes.changed().await.is_ok() {
            let change = *changes.borrow_and_update();
            if change == *self.listed.borrow() {
                continue;
            }
            let load = Catalog::load(&self.peer, &self.signals);
            match timeout(self.deadlines.refresh, load).await {
                Ok(Ok(catalog)) => {
                    *self.catalog.lock().unwrap_or_else(PoisonError::into_inner) =
                        Arc::new(catalog);
                    self.revision.fetch_add(1, Ordering::Release);
                }
                Ok(Err(error)) => {
                    tracing::warn!(server = %self.name, %error, "the changed tools are not known");
                }
                Err(_) => {
                    tracing::warn!(server = %self.name, "no answer to tools/list in time");
                }
            }
            self.listed.send_replace(change);
            sleep(LIST_PAUSE).await;
        }
        std::future::pending().await
    }

    /// Calls a tool of the server by its own name.
    pub(super) async fn call(
        &self,
        tool: String,
        arguments: JsonObject,
        context: &RunContext,
    ) -> ToolOutcome {
        let cancel = &context.cancel;
        let params = params(&tool, arguments, &context.trace);
        let ended = match self.answer(params, cancel).await {
            Ok(result) => result::outcome(result).unwrap_or_else(|| {
                let what = "the server answered with something that is no tool result";
                ToolOutcome::failed(format!("{}/{tool}: {what}", self.name))
            }),
            Err(no_answer) => self.unanswered(&tool, no_answer),
        };
        self.settle(cancel).await;
        ended
    }

    async fn answer(
        &self,
        params: CallToolRequestParams,
        cancel: &CancellationToken,
    ) -> Result<Value, NoAnswer> {
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        // Dropped before its answer, the call tells the server that it is cancelled.
        let call = request(&self.peer, &self.signals, call);
        tokio::pin!(call);
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(NoAnswer::Cancelled),
            answer = timeout(self.deadlines.call, &mut call) => answer,
            cause = self.end() => {
                // It may have answered before it ended.
                match timeout(self.deadlines.last_words, &mut call).await {
                    Ok(Ok(result)) => return Ok(result),
                    Ok(Err(_)) | Err(_) => return Err(NoAnswer::Ended(cause)),
                }
            }
        };
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(closed @ NoResult::Closed)) => {
                // The pipes close a moment before the end of the process is known.
                let cause = timeout(self.deadlines.last_words, self.end()).await;
                Err(NoAnswer::Ended(
                    cause.unwrap_or_else(|_| closed.to_string()),
                ))
            }
            Ok(Err(error)) => Err(NoAnswer::NoResult(error)),
            Err(_) => Err(NoAnswer::TimedOut),
        }
    }

    /// Waits for the end of the server and says how it ended.
    async fn end(&self) -> String {
        let mut ended = self.ended.subscribe();
        match ended.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(cause)) => cause.clone(),
            // Its sender is a part of `self`, so it is never gone.
            Ok(None) | Err(_) => String::new(),
        }
    }

    fn unanswered(&self, tool: &str, why: NoAnswer) -> ToolOutcome {
        let server = &self.name;
        let mut text = match why {
            NoAnswer::Cancelled => return ToolOutcome::cancelled("cancelled"),
            // The server runs; what it says is the answer.
            NoAnswer::NoResult(error) => {
                let text = format!("{server}/{tool}: {error}");
                return ToolOutcome::failed(headline(&text, 4_000));
            }
            NoAnswer::TimedOut => {
                let seconds = self.deadlines.call.as_secs_f32();
                format!("{server}/{tool}: no answer within {seconds} s; the call was cancelled")
            }
            NoAnswer::Ended(cause) => {
                format!("{server}/{tool}: the tool server is gone: {cause}")
            }
        };
        // Writing to a String cannot fail.
        let _ = failure::stderr(&mut text, &self.stderr.tail());
        ToolOutcome::failed(text)
    }

    /// Waits until the catalog knows of every change that was told during a call, so that the next
    /// step of the model sees it.
    async fn settle(&self, cancel: &CancellationToken) {
        let told = *self.signals.changes().borrow();
        let mut listed = self.listed.subscribe();
        tokio::select! {
            biased;
            () = cancel.cancelled() => {}
            _ = self.end() => {}
            _ = timeout(self.deadlines.refresh, listed.wait_for(|listed| *listed >= told)) => {}
        }
    }
}

/// A call, with the trace that it is a part of.
fn params(tool: &str, arguments: JsonObject, trace: &Trace) -> CallToolRequestParams {
    let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
    let members = trace.members().map(Value::Object);
    params.meta = members.and_then(|members| serde_json::from_value(members).ok());
    params
}
