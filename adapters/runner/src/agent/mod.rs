//! The ACP agent: its processes, its connection, and what it complained about.
//!
//! Must stay true: the agent never holds the runner's own standard streams, and everything below it
//! ends with it, with the runner, or when it must, whatever comes first (see `process_tree`).
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

mod screen;
mod stderr;

use std::{path::Path, time::Duration};

use process_tree::{Access, CommandSpec, Ended, Piped, Supervisor, Tree, start_piped};
use tokio::sync::mpsc;
use wire::{Incoming, Limits, Peer};

use crate::{
    environment::{self, Environment},
    named_error::{Code, NamedError},
    preset::Launch,
};
use stderr::Tail;

/// The longest line of the agent. A file of the largest size that may be read fits many times.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// How long the last lines of an agent that has ended may take to arrive. They are in the pipe
/// already; only a process that it left behind can keep the pipe open.
pub const LAST_WORDS: Duration = Duration::from_millis(500);

/// An agent that was started.
#[derive(Debug)]
pub struct Agent {
    tree: Tree,
    stderr: Tail,
}

/// An agent, and the ends of its connection.
pub struct Started {
    /// The agent.
    pub agent: Agent,
    /// To tell and ask it.
    pub peer: Peer,
    /// What it tells and asks.
    pub incoming: Incoming,
    /// The beginnings of lines that are no message.
    pub strays: mpsc::Receiver<String>,
}

/// Starts the agent in the workspace.
///
/// # Errors
/// [`Code::AgentFailed`], with the program and the cause.
pub async fn start(
    launch: &Launch,
    environment: &Environment,
    workspace: &Path,
    supervisor: &Supervisor,
) -> Result<Started, NamedError> {
    let command = CommandSpec {
        program: launch.program.clone(),
        args: launch.args.clone(),
        cwd: workspace.to_owned(),
        env: environment::with(environment, &launch.env),
        access: Access::Full,
    };
    let piped = start_piped(supervisor, command).await.map_err(|error| {
        let program = launch.program.to_string_lossy();
        let message = format!("could not start \"{program}\": {error}");
        NamedError::new(Code::AgentFailed, message)
    })?;
    let Piped {
        stdin,
        stdout,
        stderr,
        tree,
    } = piped;
    let (stdout, strays) = screen::screen(stdout, MAX_LINE);
    let limits = Limits {
        max_line: MAX_LINE,
        ..Limits::default()
    };
    let (peer, incoming) = wire::connect_streams(stdout, stdin, limits);
    Ok(Started {
        agent: Agent {
            tree,
            stderr: Tail::read(stderr),
        },
        peer,
        incoming,
        strays,
    })
}

impl Agent {
    /// Waits until the agent's own process has ended. May be dropped and begun again.
    pub async fn ended(&mut self) -> Ended {
        self.tree.leader().await
    }

    /// Ends the agent with everything below it, and returns when nothing is left.
    pub async fn end(&mut self) {
        if let Ended::Lost(cause) = self.tree.end().await {
            tracing::error!(cause, "the agent may not have ended");
        }
    }

    /// The error for an agent that ended by itself.
    pub async fn death(&self, ended: &Ended) -> NamedError {
        let how = match ended {
            Ended::Exited(code) => format!("exit code {code}"),
            Ended::Signaled(signal) => format!("exit code null, signal {}", signal_name(*signal)),
            Ended::Lost(cause) => cause.clone(),
            Ended::TimedOut | Ended::Cancelled => "ended by the runner".to_owned(),
        };
        let mut message = format!("the ACP agent exited unexpectedly ({how})");
        let tail = self.stderr.last_words().await;
        if !tail.is_empty() {
            message.push_str("; stderr tail: ");
            message.push_str(&tail);
        }
        NamedError::new(Code::AgentFailed, message)
    }
}

/// The name of a signal, or its number if it has none.
pub fn signal_name(number: i32) -> String {
    nix::sys::signal::Signal::try_from(number)
        .map_or_else(|_| number.to_string(), |signal| signal.as_str().to_owned())
}
