//! The commands, one a file, and how each of them ends.

pub mod doctor;
pub mod explain;
pub mod list;
pub mod matrix;
pub mod merge;
pub mod run;
pub mod verify;

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{
    matrix::MatrixError,
    result::{RunResult, file::ResultFileError},
    tool_server::{self, NotFound},
    trouble::Trouble,
};

/// The exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// All journeys pass.
    Passed = 0,
    /// A journey failed, or a stored verdict does not follow from its recordings.
    Failed = 1,
    /// The run could not be made, or the file not be read. Also clap's status for bad usage.
    CouldNotRun = 2,
}

/// Why a command could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// A result file.
    #[error(transparent)]
    ResultFile(#[from] ResultFileError),
    /// A matrix.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// No tool server.
    #[error(transparent)]
    ToolServer(#[from] NotFound),
    /// Not that tool server.
    #[error("the tool server {path} cannot be used: {source}")]
    ToolServerPath {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An empty command.
    #[error("no agent was named: give its command after --")]
    NoAgent,
    /// No such check.
    #[error("no check is named {name:?}; acp-journeys list has them all")]
    NoSuchCheck {
        /// What was asked for.
        name: String,
    },
    /// The journeys could not be driven.
    #[error("{0}")]
    Trouble(Trouble),
    /// A login that was named is not there.
    #[error("the secrets of {} cannot be read: {source}", path.display())]
    Secrets {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No signal handling.
    #[error("cannot take signals: {0}")]
    Signals(io::Error),
    /// A report.
    #[error("cannot write {}: {source}", path.display())]
    Report {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output.
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

/// What a result means for the exit status.
#[must_use]
pub fn status(result: &RunResult) -> Status {
    if result
        .journeys
        .iter()
        .any(|journey| journey.could_not_run())
    {
        Status::CouldNotRun
    } else if result.all_pass() || is_stand_ins_only(result) {
        Status::Passed
    } else {
        Status::Failed
    }
}

/// With stand-ins alone there is no verdict of the seven: their own is all there is.
fn is_stand_ins_only(result: &RunResult) -> bool {
    result.journeys.is_empty()
        && !result.stand_ins.is_empty()
        && result.stand_ins.iter().all(|journey| journey.passes())
}

/// The tool server that was named, or the one that is found.
fn tool_server(named: Option<&Path>) -> Result<PathBuf, CommandError> {
    match named {
        Some(path) => path
            .canonicalize()
            .map_err(|source| CommandError::ToolServerPath {
                path: path.to_owned(),
                source,
            }),
        None => Ok(tool_server::find()?),
    }
}
