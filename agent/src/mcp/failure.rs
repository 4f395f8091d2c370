//! Why a tool server is of no use, in words for its user.
//!
//! The user sees a name that they configured, the cause, and the end of what the server itself
//! said on stderr, which is mostly where the answer is.

use std::{fmt, sync::Arc, time::Duration};

use crate::proc::SpawnError;

/// A server that could not be started.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The server's name, as the client gave it.
    pub server: String,
    /// Why.
    pub cause: Arc<StartError>,
    /// The end of its stderr, or nothing.
    pub stderr_tail: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the tool server {} could not be started: {}",
            self.server, self.cause
        )?;
        stderr(f, &self.stderr_tail)
    }
}

/// Adds the end of stderr to a message.
pub(super) fn stderr(f: &mut dyn fmt::Write, tail: &str) -> fmt::Result {
    match tail.trim() {
        "" => Ok(()),
        tail => write!(f, "\nIt said on stderr:\n{tail}"),
    }
}

/// What can go wrong before a server's tools are known.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Its transport is none that this agent has.
    #[error("{0}")]
    Unsupported(String),
    /// The session has more servers than are started.
    #[error("a session can have {0} tool servers")]
    TooMany(usize),
    /// A variable that no environment can hold.
    #[error("the environment variable {name:?} cannot be set: {problem}")]
    Environment {
        /// Its name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It is reached over HTTP and could not be; the text says why.
    #[error("{0}")]
    Http(String),
    /// The program could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The program ended by itself; the text says how.
    #[error("{0} before it had answered")]
    Ended(String),
    /// The program runs, but has closed its standard output.
    #[error("it closed its standard output before it had answered")]
    Closed,
    /// No answer in time.
    #[error("it did not answer {request} within {} s", deadline.as_secs_f32())]
    Silent {
        /// Which request.
        request: &'static str,
        /// The deadline for the whole start.
        deadline: Duration,
    },
    /// It was asked, and said no.
    #[error("it refused {request}: {reason}")]
    Refused {
        /// Which request.
        request: &'static str,
        /// What it says.
        reason: String,
    },
    /// An answer that is no MCP.
    #[error("it did not answer {request} as MCP has it: {problem}")]
    Answer {
        /// Which request.
        request: &'static str,
        /// What is wrong.
        problem: String,
    },
}
