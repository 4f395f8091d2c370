//! A command in a terminal of the client.
//!
//! ```text
//! create -> embedded in the tool call -> wait_for_exit ─┬─> output -> release
//!                             stopped, or out of time ──┴─> kill ─┘
//! ```
//!
//! Must stay true: a terminal that was created is released, once, on every path, and the client
//! has been told where it belongs before that. A stop does not leave a `terminal/create` behind
//! whose answer nobody reads.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/terminals>

use std::{future::Future, path::PathBuf, time::Duration};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Client, ClientError};
use crate::acp;

/// How long each step of the end may take once the turn is stopped. The four together fit into what
/// a cancelled turn has.
const LAST_STEP: Duration = Duration::from_millis(400);

/// How long a client that is not in a hurry may take for the output of a command that has ended,
/// and to let go of it.
const STEP: Duration = Duration::from_secs(30);

/// What to run.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// The program. Clients do not split it.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Added to the client's own environment.
    pub env: Vec<(String, String)>,
    /// Absolute.
    pub cwd: PathBuf,
    /// How much of the end of the output is kept, in bytes.
    pub most: u64,
}

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Itself,
    /// It was stopped: its time was over.
    TimedOut,
    /// It was stopped: the turn was.
    Cancelled,
}

/// What is left of a command.
#[derive(Debug, Clone)]
pub struct TerminalOutput {
    /// The terminal; a client shows it also after its release.
    pub terminal_id: acp::TerminalId,
    /// How it ended.
    pub ended: Ended,
    /// The exit code or the signal, where the client knows.
    pub status: Option<acp::TerminalExitStatus>,
    /// The output, at least its end.
    pub output: String,
    /// Whether the beginning of the output is missing.
    pub truncated: bool,
}

impl Client {
    /// Runs a command to its end.
    ///
    /// # Errors
    /// See [`ClientError`]; the terminal, if there was one, is released.
    pub async fn run(
        &self,
        command: CommandLine,
        timeout: Duration,
        stop: &CancellationToken,
    ) -> Result<TerminalOutput, ClientError> {
        let id = self.create(command, stop).await?;
        self.embed(&id, stop).await;
        let waiting = self.terminal::<acp::WaitForTerminalExitResponse>(Step::Wait, &id);
        let (ended, status) = tokio::select! {
            biased;
            () = stop.cancelled() => (Ended::Cancelled, None),
            exit = waiting => (Ended::Itself, exit.ok().map(|exit| exit.exit_status)),
            () = tokio::time::sleep(timeout) => (Ended::TimedOut, None),
        };
        let status = match ended {
            Ended::Itself => status,
            Ended::TimedOut | Ended::Cancelled => self.kill(&id, stop).await,
        };
        let output = self.terminal::<acp::TerminalOutputResponse>(Step::Output, &id);
        let output = soon(stop, output).await;
        // Whatever the client answers, it was told.
        let _ = soon(stop, self.terminal::<Value>(Step::Release, &id)).await;
        let output = output?;
        Ok(TerminalOutput {
            terminal_id: id,
            ended,
            status: status.or(output.exit_status),
            output: output.output,
            truncated: output.truncated,
        })
    }

    /// Makes the terminal. After a stop its answer is still waited for, so that it can be
    /// released.
    async fn create(
        &self,
        command: CommandLine,
        stop: &CancellationToken,
    ) -> Result<acp::TerminalId, ClientError> {
        if stop.is_cancelled() {
            return Err(ClientError::Cancelled);
        }
        let env = command.env.into_iter();
        let env = env.map(|(name, value)| acp::EnvVariable::new(name, value));
        let request = acp::CreateTerminalRequest::new(self.session_id(), command.program)
            .args(command.args)
            .env(env.collect())
            .cwd(command.cwd)
            .output_byte_limit(command.most);
        let method = acp::CLIENT_METHOD_NAMES.terminal_create;
        let creating = self
            .updates
            .peer()
            .request::<acp::CreateTerminalResponse>(method, &request);
        tokio::pin!(creating);
        tokio::select! {
            biased;
            created = &mut creating => return Ok(created?.terminal_id),
            () = stop.cancelled() => {}
        }
        if let Ok(created) = soon(stop, async { Ok(creating.await?) }).await {
            // A release ends the command as well.
            let release = self.terminal::<Value>(Step::Release, &created.terminal_id);
            let _ = soon(stop, release).await;
        }
        Err(ClientError::Cancelled)
    }

    /// Shows the terminal in the tool call. Sent before anything else is asked of it, so that it
    /// stands before its release.
    async fn embed(&self, id: &acp::TerminalId, stop: &CancellationToken) {
        let Some(call) = &self.call else { return };
        let content = vec![acp::ToolCallContent::Terminal(acp::Terminal::new(
            id.clone(),
        ))];
        let fields = acp::ToolCallUpdateFields::new().content(content);
        let update = acp::ToolCallUpdate::new(call.clone(), fields);
        tokio::select! {
            biased;
            // A client that is gone will not miss it.
            _ = self.updates.send(acp::SessionUpdate::ToolCallUpdate(update)) => {}
            () = stop.cancelled() => {}
        }
    }

    /// Ends the command and waits until it has.
    async fn kill(
        &self,
        id: &acp::TerminalId,
        stop: &CancellationToken,
    ) -> Option<acp::TerminalExitStatus> {
        let _ = soon(stop, self.terminal::<Value>(Step::Kill, id)).await;
        let waiting = self.terminal::<acp::WaitForTerminalExitResponse>(Step::Wait, id);
        let exit = soon(stop, waiting).await;
        exit.ok().map(|exit| exit.exit_status)
    }

    async fn terminal<R: serde::de::DeserializeOwned>(
        &self,
        step: Step,
        id: &acp::TerminalId,
    ) -> Result<R, ClientError> {
        let names = acp::CLIENT_METHOD_NAMES;
        let method = match step {
            Step::Wait => names.terminal_wait_for_exit,
            Step::Output => names.terminal_output,
            Step::Kill => names.terminal_kill,
            Step::Release => names.terminal_release,
        };
        // The four requests name a terminal of a session, and nothing else.
        let request = acp::TerminalOutputRequest::new(self.session_id(), id.clone());
        Ok(self.updates.peer().request(method, &request).await?)
    }
}

/// What is asked of a terminal that is there.
enum Step {
    Wait,
    Output,
    Kill,
    Release,
}

/// Waits for an answer, and not for long once the turn is stopped.
async fn soon<T>(
    stop: &CancellationToken,
    answer: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, ClientError> {
    let stopped = async {
        stop.cancelled().await;
        tokio::time::sleep(LAST_STEP).await;
    };
    tokio::select! {
        biased;
        answer = answer => return answer,
        () = stopped => {}
        () = tokio::time::sleep(STEP) => {}
    }
    Err(ClientError::Answer("no answer in time".to_owned()))
}
