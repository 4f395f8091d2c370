//! Why a command could not be started, in words that a user or a model can act on.

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use super::CommandSpec;
use crate::supervise::{Failure, Stage};

/// A command that was not started. Nothing of it runs.
#[derive(Debug, Error)]
pub enum SpawnError {
    /// The working directory cannot be entered.
    #[error("cannot start {program:?}: its working directory {cwd:?} cannot be entered: {source}")]
    Directory {
        /// What was to be started.
        program: OsString,
        /// The working directory.
        cwd: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The program cannot be started.
    #[error("cannot start {program:?} in {cwd:?}: {hint}{source}")]
    Program {
        /// What was to be started.
        program: OsString,
        /// The working directory.
        cwd: PathBuf,
        /// What the bare cause does not say, ending in `: `, or nothing.
        hint: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A read-only command cannot be confined although this kernel can do it.
    #[error("cannot start {program:?} read-only: {what}: {source}")]
    Confinement {
        /// What was to be started.
        program: OsString,
        /// Which part failed.
        what: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// The program, an argument or the working directory holds a NUL character.
    #[error("cannot start {program:?}: no name and no argument may hold a NUL character")]
    Nul {
        /// What was to be started.
        program: OsString,
    },
    /// The supervisor itself cannot be started.
    #[error("cannot start {program:?}: its supervisor {supervisor:?} cannot be started: {source}")]
    Supervisor {
        /// What was to be started.
        program: OsString,
        /// The program of the supervisor.
        supervisor: PathBuf,
        /// The cause; `E2BIG` says that the environment is too large.
        source: io::Error,
    },
    /// The supervisor ended, or did not answer in time.
    #[error("cannot start {program:?}: its supervisor {supervisor:?} {what}")]
    NoAnswer {
        /// What was to be started.
        program: OsString,
        /// The program of the supervisor.
        supervisor: PathBuf,
        /// What it did instead.
        what: &'static str,
    },
}

impl SpawnError {
    /// What a supervisor's report of a failure means for this command.
    pub(super) fn from_report(spec: &CommandSpec, failure: Failure) -> Self {
        let source = io::Error::from_raw_os_error(failure.errno);
        let program = spec.program.clone();
        let cwd = spec.cwd.clone();
        let confinement = |what| Self::Confinement {
            program: spec.program.clone(),
            what,
            source: io::Error::from_raw_os_error(failure.errno),
        };
        match failure.stage {
            Stage::Directory => Self::Directory {
                program,
                cwd,
                source,
            },
            Stage::Program => {
                let hint = hint(&cwd.join(&program), source.kind());
                Self::Program {
                    program,
                    cwd,
                    hint,
                    source,
                }
            }
            Stage::TemporaryFolder => confinement("no private temporary folder can be made"),
            Stage::Confinement => confinement("the kernel refused"),
        }
    }
}

/// Says what "no such file" means for a file that is there.
fn hint(path: &Path, kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::NotFound if path.is_file() => {
            "the file is there, but its interpreter (the #! line) or its loader is not: "
        }
        io::ErrorKind::PermissionDenied if path.is_file() => "it is not executable: ",
        io::ErrorKind::PermissionDenied if path.is_dir() => "it is a folder: ",
        io::ErrorKind::ArgumentListTooLong => "its arguments and environment are too large: ",
        _ => "",
    }
}
