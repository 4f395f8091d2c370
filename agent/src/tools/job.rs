//! The work of a call, and what it is given to do it with.
//!
//! It stands apart from the tools so that the two ways to use a blocking thread, and what a cancel
//! means for each, are written once.
//!
//! Must stay true: a job that may have changed something is waited for; only one that looks may
//! be left behind.

use std::{ffi::OsString, fmt, sync::Arc};

use futures::{FutureExt, future::BoxFuture};
use tokio_util::sync::CancellationToken;

use super::{ToolError, ToolOutcome};
use crate::{client::Client, proc, trace::Trace};

/// The work of a call. It runs at most once, and only when it is allowed.
pub type Job = Box<dyn FnOnce(RunContext) -> BoxFuture<'static, ToolOutcome> + Send>;

/// What a job may use.
#[derive(Clone)]
pub struct RunContext {
    /// Flipped when the turn is cancelled.
    pub cancel: CancellationToken,
    /// What a command may do to the file system.
    pub access: proc::Access,
    /// What starts processes, and ends them.
    pub supervisor: proc::Supervisor,
    /// Where a running call shows how far it is.
    pub progress: Progress,
    /// The client, for tools that can use its files, terminals and questions.
    pub client: Option<Client>,
    /// The trace that the call is a part of, for tool servers.
    pub trace: Trace,
    /// The environment of commands.
    pub environment: Arc<Vec<(OsString, OsString)>>,
}

/// Shows how far a running call is. Cheap to clone.
#[derive(Clone)]
pub struct Progress(Arc<dyn Fn(String) + Send + Sync>);

impl Progress {
    /// Hands each new text to `sink`, which must not block for long.
    pub fn new(sink: impl Fn(String) + Send + Sync + 'static) -> Self {
        Self(Arc::new(sink))
    }

    /// Replaces what the client sees of the running call.
    pub fn show(&self, text: String) {
        (self.0)(text);
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Progress")
    }
}

/// A job that only looks at files. A cancel ends it at once: a thread that hangs in the kernel,
/// for example on a dead network file system, is left to itself.
pub(crate) fn looking(
    work: impl FnOnce(&CancellationToken) -> Result<ToolOutcome, ToolError> + Send + 'static,
) -> Job {
    Box::new(|context| {
        async move {
            let cancel = context.cancel;
            let token = cancel.clone();
            let thread = tokio::task::spawn_blocking(move || work(&token));
            tokio::select! {
                biased;
                () = cancel.cancelled() => ToolOutcome::cancelled("cancelled"),
                ended = thread => outcome(ended),
            }
        }
        .boxed()
    })
}

/// A job that changes files. It is short, and is always waited for: after a cancel nobody may find
/// a file that changes.
pub(crate) fn changing(
    work: impl FnOnce() -> Result<ToolOutcome, ToolError> + Send + 'static,
) -> Job {
    Box::new(|context| {
        async move {
            if context.cancel.is_cancelled() {
                return ToolOutcome::cancelled("cancelled; nothing was changed");
            }
            outcome(tokio::task::spawn_blocking(work).await)
        }
        .boxed()
    })
}

/// A job that has nothing to do, because the session itself does what was asked.
pub(crate) fn nothing(text: String) -> Job {
    Box::new(|_| std::future::ready(ToolOutcome::completed(text)).boxed())
}

fn outcome(ended: Result<Result<ToolOutcome, ToolError>, tokio::task::JoinError>) -> ToolOutcome {
    match ended {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => ToolOutcome::failed(error.to_string()),
        Err(error) => ToolOutcome::failed(format!("the tool itself failed: {error}")),
    }
}
