//! Running a command from its start until nothing of it is left.
//!
//! Must stay true:
//!
//! - One ending for all causes: the command's own end, its time, a cancel.
//! - What was read is kept, whatever the end.
//! - Standard output and standard error are one pipe, so their order is the true one.

use std::time::Duration;

use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    time::{Instant, sleep_until, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    Capture, CommandSpec, Confinement, Ended, SpawnError, Supervisor,
    launch::{Merged, start_merged},
};

/// How often at most the output so far is shown.
const PROGRESS: Duration = Duration::from_millis(100);

/// How long reading what is left in the pipe may take when all who could write are dead. It is
/// there already, and followed by the end; the deadline is for a process that could not be ended.
const DRAIN_DEADLINE: Duration = Duration::from_millis(250);

/// A longer time limit is none; it would overflow the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// As much as a pipe holds by default, so one read can empty it.
const READ: usize = 64 * 1024;

/// The bounds of a command.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// How long it may run.
    pub timeout: Duration,
    /// How many bytes of its output are kept from the beginning.
    pub head: usize,
    /// And how many from the end.
    pub tail: usize,
}

/// A command that has ended, with everything it started.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How.
    pub ended: Ended,
    /// Standard output and standard error, in the order in which they were written.
    pub output: Capture,
    /// How many processes it left running in the background, which were then ended.
    pub left_behind: usize,
    /// How far a read-only command was confined.
    pub confinement: Confinement,
}

impl Finished {
    /// A command that was cancelled before it was started.
    fn not_started(limits: &RunLimits) -> Self {
        Self {
            ended: Ended::Cancelled,
            output: Capture::new(limits.head, limits.tail),
            left_behind: 0,
            confinement: Confinement::None("it was not started".to_owned()),
        }
    }
}

/// Runs a command. Its standard input is empty. Returns when no process of it is left; `progress`
/// is called with the output so far, at most ten times a second and only when there is more.
pub async fn run(
    supervisor: &Supervisor,
    spec: CommandSpec,
    limits: &RunLimits,
    cancel: &CancellationToken,
    progress: &mut (dyn FnMut(&Capture) + Send),
) -> Result<Finished, SpawnError> {
    if cancel.is_cancelled() {
        return Ok(Finished::not_started(limits));
    }
    let mut output = Output::new(limits);
    let Merged {
        output: mut pipe,
        mut tree,
    } = start_merged(supervisor, &spec).await?;

    let time_over = Instant::now() + limits.timeout.min(LONGEST);
    // Why the command had to end; it may also end by itself.
    let mut cause = None;
    let ended = loop {
        let (is_new, show_at) = (output.is_new, output.show_at);
        tokio::select! {
            ended = tree.wait() => break ended,
            () = output.read(&mut pipe) => {}
            () = sleep_until(show_at), if is_new => output.show(progress),
            () = cancel.cancelled(), if cause.is_none() && tree.is_running() => {
                cause = Some(Ended::Cancelled);
                tree.ask_to_end();
            }
            () = sleep_until(time_over), if cause.is_none() && tree.is_running() => {
                cause = Some(Ended::TimedOut);
                tree.ask_to_end();
            }
        }
    };
    let drained = Instant::now() + DRAIN_DEADLINE;
    while !output.is_complete && timeout_at(drained, output.read(&mut pipe)).await.is_ok() {}

    Ok(Finished {
        ended: match (cause, ended) {
            (_, lost @ Ended::Lost(_)) => lost,
            (Some(cause), _) => cause,
            (None, ended) => ended,
        },
        output: output.capture,
        left_behind: tree.left_behind(),
        confinement: tree.confinement().clone(),
    })
}

/// The output as it comes in.
struct Output {
    capture: Capture,
    buffer: Vec<u8>,
    /// All that could write have closed it.
    is_complete: bool,
    /// There is more than was shown.
    is_new: bool,
    show_at: Instant,
}

impl Output {
    fn new(limits: &RunLimits) -> Self {
        Self {
            capture: Capture::new(limits.head, limits.tail),
            buffer: vec![0; READ],
            is_complete: false,
            is_new: false,
            show_at: Instant::now(),
        }
    }

    /// Reads some more. When the output is complete it waits for ever, so that it can stand beside
    /// other waits. It may be dropped at any time without a loss.
    async fn read(&mut self, pipe: &mut (impl AsyncRead + Unpin)) {
        if self.is_complete {
            std::future::pending::<()>().await;
        }
        match pipe.read(&mut self.buffer).await {
            // A pipe that cannot be read says no more than one that has ended.
            Ok(0) | Err(_) => self.is_complete = true,
            Ok(length) => {
                self.capture.push(&self.buffer[..length]);
                self.is_new = true;
            }
        }
    }

    fn show(&mut self, progress: &mut (dyn FnMut(&Capture) + Send)) {
        progress(&self.capture);
        self.is_new = false;
        self.show_at = Instant::now() + PROGRESS;
    }
}
