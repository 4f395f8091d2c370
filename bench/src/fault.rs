//! Why a measurement has no number.
//!
//! A fault ends one series of one contender; it is reported beside the numbers and everything else
//! goes on. Only what keeps the bench as a whole from running ends it.

use std::{io, path::PathBuf, time::Duration};

use thiserror::Error;

/// Why something could not be measured, or the bench not be run.
#[derive(Debug, Error)]
pub enum Fault {
    /// The program to be measured is not there.
    #[error("there is no agent at {0}: build it (make build), or say where it is with --agent")]
    NoAgent(PathBuf),
    /// The floor is a C program, and there is no compiler.
    #[error(
        "the floor could not be compiled: `{compiler}` did not start ({source}); install a C compiler, or name one in CC"
    )]
    NoCompiler {
        /// The command that was tried.
        compiler: String,
        /// Why it did not start.
        source: io::Error,
    },
    /// The compiler refused the floor.
    #[error("`{compiler}` could not compile the floor: {message}")]
    Compile {
        /// The command that was used.
        compiler: String,
        /// What it said.
        message: String,
    },
    /// A contender did not start.
    #[error("{program} could not be started: {source}")]
    Start {
        /// Its program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Nothing came for too long.
    #[error("no {what} within {} s", after.as_secs_f64())]
    TimedOut {
        /// What was waited for.
        what: &'static str,
        /// For how long.
        after: Duration,
    },
    /// The contender ended, or closed its output, while it owed an answer.
    #[error("it ended while {what} was waited for; the last it said on stderr: {last_words:?}")]
    Ended {
        /// What was waited for.
        what: &'static str,
        /// The end of its stderr.
        last_words: String,
    },
    /// A request was answered with an error.
    #[error("{method} was answered with the error {error}")]
    Refused {
        /// The request.
        method: &'static str,
        /// The error object.
        error: String,
    },
    /// An answer came, and it is not the one that the measurement needs.
    #[error("{what}: expected {expected}, got {got}")]
    Unexpected {
        /// What was looked at.
        what: &'static str,
        /// What it must be.
        expected: String,
        /// What it was.
        got: String,
    },
    /// Building up what is to be measured takes longer than it is worth.
    #[error("not measured: {what} takes more than {} s", budget.as_secs())]
    TooSlow {
        /// What takes so long.
        what: String,
        /// What it may take.
        budget: Duration,
    },
    /// The user stopped the bench.
    #[error("stopped by a signal")]
    Interrupted,
    /// The machine did not do what it must.
    #[error("{what} failed: {source}")]
    Machine {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

impl Fault {
    /// Names what failed; for `map_err`.
    pub fn machine<E: Into<io::Error>>(what: &'static str) -> impl FnOnce(E) -> Fault {
        move |error| Fault::Machine {
            what,
            source: error.into(),
        }
    }
}
