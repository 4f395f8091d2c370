//! One terminal, from its start until nothing of it is left.
//!
//! Must stay true: the exit status is known when the command itself has ended, whatever it left in
//! the background holds the pipe; a command that cannot be started is a terminal that has ended.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use process_tree::{CommandSpec, Ended, Merged, Supervisor, start_merged};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::{
    io::AsyncReadExt as _,
    net::unix::pipe,
    sync::watch,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::output::Output;
use crate::agent::signal_name;

/// How long what is left in the pipe may take when the command has ended. It is there already; only
/// a process in the background holds the pipe longer.
const DRAIN: Duration = Duration::from_millis(100);

/// As much as a pipe holds by default.
const READ: usize = 64 * 1024;

/// A terminal.
#[derive(Debug)]
pub(super) struct Terminal {
    output: Mutex<Output>,
    /// `{exitCode, signal}` when the command has ended.
    exit: watch::Sender<Option<Value>>,
    kill: CancellationToken,
}

impl Terminal {
    /// One that begins now; `kill` ends it.
    pub(super) fn new(limit: usize, kill: CancellationToken) -> Self {
        Self {
            output: Mutex::new(Output::new(limit)),
            exit: watch::Sender::new(None),
            kill,
        }
    }

    /// Asks for its end.
    pub(super) fn kill(&self) {
        self.kill.cancel();
    }

    /// The answer to `terminal/output`.
    pub(super) fn output(&self) -> Value {
        // The status first: an output that is read after it is the whole one.
        let exit = self.exit.borrow().clone();
        let output = self.lock();
        let mut answer = json!({"output": output.text(), "truncated": output.is_truncated()});
        if let Some(exit) = exit {
            answer["exitStatus"] = exit;
        }
        answer
    }

    /// Waits for its end: the answer to `terminal/wait_for_exit`.
    pub(super) async fn exit(&self) -> Value {
        let mut exit = self.exit.subscribe();
        // The sender is here, so the wait cannot fail.
        let ended = exit.wait_for(Option::is_some).await;
        ended.ok().and_then(|exit| exit.clone()).unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the command of a terminal.
pub(super) async fn run(terminal: Arc<Terminal>, supervisor: Supervisor, spec: CommandSpec) {
    let Merged { output, mut tree } = match start_merged(&supervisor, &spec).await {
        Ok(merged) => merged,
        Err(error) => {
            let program = spec.program.to_string_lossy();
            let text = format!("could not run \"{program}\": {error}");
            terminal.lock().push(text.as_bytes());
            terminal.exit.send_replace(Some(status(None)));
            return;
        }
    };
    let mut pipe = Pipe::new(output, &terminal);
    let mut is_asked = false;
    let ended = loop {
        tokio::select! {
            ended = tree.leader() => break ended,
            () = pipe.read() => {}
            () = terminal.kill.cancelled(), if !is_asked => {
                is_asked = true;
                tree.ask_to_end();
            }
        }
    };
    let until = Instant::now() + DRAIN;
    while !pipe.is_complete && timeout_at(until, pipe.read()).await.is_ok() {}
    terminal.exit.send_replace(Some(status(Some(&ended))));
    loop {
        tokio::select! {
            _ = tree.wait() => break,
            () = pipe.read() => {}
        }
    }
}

/// The status as ACP writes it.
fn status(ended: Option<&Ended>) -> Value {
    match ended {
        Some(Ended::Exited(code)) => json!({"exitCode": code, "signal": null}),
        Some(Ended::Signaled(signal)) => json!({"exitCode": null, "signal": signal_name(*signal)}),
        _ => json!({"exitCode": null, "signal": null}),
    }
}

/// The pipe of a command, read into its output.
struct Pipe<'a> {
    pipe: pipe::Receiver,
    buffer: Vec<u8>,
    is_complete: bool,
    terminal: &'a Terminal,
}

impl<'a> Pipe<'a> {
    fn new(pipe: pipe::Receiver, terminal: &'a Terminal) -> Self {
        Self {
            pipe,
            buffer: vec![0; READ],
            is_complete: false,
            terminal,
        }
    }

    /// Reads some more; waits for ever when all is read. May be dropped at any time without a loss.
    async fn read(&mut self) {
        if self.is_complete {
            std::future::pending::<()>().await;
        }
        match self.pipe.read(&mut self.buffer).await {
            // A pipe that cannot be read says no more than one that has ended.
            Ok(0) | Err(_) => self.is_complete = true,
            Ok(length) => self.terminal.lock().push(&self.buffer[..length]),
        }
    }
}
