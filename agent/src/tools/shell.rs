//! `shell`: a command, run by `/bin/sh -c` in the working directory of the session.
//!
//! All that is hard about it (the tree of processes, the ends, the capture) is in [`crate::proc`];
//! what is here is how a command is shown and how its end is told.
//!
//! Must stay true: the client is shown the command exactly as it will run, and the text for the
//! model says how it ended unless that is an exit with 0.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#creating>

use std::{path::PathBuf, time::Duration};

use futures::FutureExt;
use serde_json::{Value, json};
use stub_model::{Outcome, ToolSpec};

use super::{
    Effect, Prepared, RunContext, Scope, Tool, ToolError, ToolOutcome,
    arguments::{Arguments, argument},
    headline, terminal,
};
use crate::{
    acp,
    proc::{self, Access, Capture, CommandSpec, Ended, Finished, RunLimits},
};

const NAME: &str = "shell";

/// How long a command may run when the model does not say: builds and test suites take minutes.
const TIMEOUT: Duration = Duration::from_secs(10 * 60);

/// The longest time that a model may ask for, in seconds.
const MAX_TIMEOUT: u64 = 60 * 60;

/// How much is kept of the beginning of the output, and of its end, in bytes: what was done and how
/// it ended. Together they are about an eighth of what a large context holds.
const HEAD: usize = 64 * 1024;
const TAIL: usize = 64 * 1024;

/// The tool.
pub struct Shell {
    spec: ToolSpec,
}

impl Shell {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Runs a shell command in the working directory and waits for it. Everything that it \
             started is ended with it; its input is empty.",
            json!({
                "command": {
                    "type": "string",
                    "description": "The command, for /bin/sh"
                },
                "timeout_seconds": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_TIMEOUT,
                    "description": "When to stop it, by default after 10 minutes"
                },
            }),
            &["command"],
        );
        Self { spec }
    }
}

impl Default for Shell {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for Shell {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let command = arguments.text("command")?.to_owned();
        let timeout = arguments.number("timeout_seconds", 1..=MAX_TIMEOUT)?;
        arguments.finish()?;
        if command.trim().is_empty() {
            return Err(argument(NAME, "command", "must not be empty"));
        }
        if command.contains('\0') {
            return Err(argument(
                NAME,
                "command",
                "must not contain a NUL character",
            ));
        }
        let timeout = timeout.map_or(TIMEOUT, Duration::from_secs);
        let cwd = scope.cwd.clone();
        Ok(Prepared {
            title: format!("`{}`", headline(&command, 200)),
            kind: acp::ToolKind::Execute,
            effect: Effect::Execute,
            locations: Vec::new(),
            content: Vec::new(),
            grant: format!("{NAME}: {command}"),
            session: None,
            job: Box::new(move |context| run(command, cwd, timeout, context).boxed()),
        })
    }
}

/// In plan mode the kernel has to keep the command from changing anything, which only a command
/// that we start ourselves can be sure of.
async fn run(command: String, cwd: PathBuf, timeout: Duration, context: RunContext) -> ToolOutcome {
    if context.access == Access::Full
        && let Some(client) = context
            .client
            .as_ref()
            .filter(|client| client.has_terminals())
    {
        return terminal::run(client, command, cwd, timeout, &context.cancel).await;
    }
    let spec = CommandSpec {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), command.into()],
        cwd,
        env: context.environment.to_vec(),
        access: context.access,
    };
    let limits = RunLimits {
        timeout,
        head: HEAD,
        tail: TAIL,
    };
    let progress = context.progress;
    let mut show = |output: &Capture| progress.show(output.text_so_far());
    match proc::run(
        &context.supervisor,
        spec,
        &limits,
        &context.cancel,
        &mut show,
    )
    .await
    {
        Ok(finished) => outcome(&finished, timeout),
        Err(error) => ToolOutcome::failed(format!("the command could not be started: {error}")),
    }
}

fn outcome(finished: &Finished, timeout: Duration) -> ToolOutcome {
    let (outcome, end) = match &finished.ended {
        Ended::Exited(0) => (Outcome::Completed, None),
        Ended::Exited(code) => (Outcome::Failed, Some(format!("[exit code {code}]"))),
        Ended::Signaled(signal) => (Outcome::Failed, Some(format!("[ended by signal {signal}]"))),
        Ended::TimedOut => {
            let note = format!("[stopped: it ran longer than {} s]", timeout.as_secs());
            (Outcome::Failed, Some(note))
        }
        Ended::Cancelled => (Outcome::Cancelled, Some("[cancelled]".to_owned())),
        Ended::Lost(cause) => (Outcome::Failed, Some(format!("[lost: {cause}]"))),
    };
    let background = (finished.left_behind > 0 && outcome == Outcome::Completed).then(|| {
        format!(
            "[processes left in the background, now ended: {}]",
            finished.left_behind
        )
    });
    let output = finished.output.text();
    let mut text = output.clone();
    for note in [background, end].into_iter().flatten() {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&note);
    }
    let mut ended = ToolOutcome::new(outcome, text);
    // The model gets the same data: what the command said, without what is said about it.
    let data = raw(finished, output);
    ended.structured = Some(data.clone());
    ended.raw_output = Some(data);
    ended
}

/// The end as data, for clients and the model.
fn raw(finished: &Finished, output: String) -> Value {
    let (exit_code, signal) = match finished.ended {
        Ended::Exited(code) => (Some(code), None),
        Ended::Signaled(signal) => (None, Some(signal)),
        Ended::TimedOut | Ended::Cancelled | Ended::Lost(_) => (None, None),
    };
    json!({
        "exitCode": exit_code,
        "signal": signal,
        "timedOut": finished.ended == Ended::TimedOut,
        "output": output,
        "omittedBytes": finished.output.omitted(),
    })
}
