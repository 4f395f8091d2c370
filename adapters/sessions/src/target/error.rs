//! Why something could not be done on a target.

use std::{ffi::OsString, io, path::PathBuf, time::Duration};

use process_tree::SpawnError;
use thiserror::Error;

/// A target that could not do what it was asked.
#[derive(Debug, Error)]
pub enum TargetError {
    /// The command itself can be started nowhere.
    #[error("cannot run {program:?}: {what}")]
    Command {
        /// Its program.
        program: OsString,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A process of this machine, the command itself or the client of the target, did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The command did not begin on the target.
    #[error("cannot run {program:?} on {target}: {said}")]
    NotStarted {
        /// Its program.
        program: OsString,
        /// The target, by its kind and name.
        target: String,
        /// What the target said, or what is known.
        said: String,
    },
    /// It took too long and was ended.
    #[error("{program:?} did not end within {} seconds and was ended", deadline.as_secs_f32())]
    TooLong {
        /// Its program.
        program: OsString,
        /// How long it had.
        deadline: Duration,
    },
    /// It said more than is kept and was ended.
    #[error("{program:?} wrote more than {limit} bytes and was ended")]
    TooMuch {
        /// Its program.
        program: OsString,
        /// How much it might write.
        limit: usize,
    },
    /// The place was not made, is gone, or cannot be removed.
    #[error("{target}: {what}: {said}")]
    Place {
        /// The target, by its kind and name.
        target: String,
        /// What was tried.
        what: &'static str,
        /// What the target said, or what is known.
        said: String,
    },
    /// A file or folder of this machine.
    #[error("{path:?} cannot be {what}: {source}")]
    File {
        /// Which one.
        path: PathBuf,
        /// What was tried, such as `written`.
        what: &'static str,
        /// The cause.
        source: io::Error,
    },
}
