//! Why git could not do what a session needs, in words that say what to do.

use std::path::PathBuf;

use thiserror::Error;

use crate::target::TargetError;

/// A git operation that failed. The work in the clone is as it was.
#[derive(Debug, Error)]
pub enum GitError {
    /// The target did not run git.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A git command, or a small script around some, failed.
    #[error("{what:?} failed in {directory:?}: {said}")]
    Command {
        /// The git subcommand, or the program.
        what: String,
        /// Where.
        directory: PathBuf,
        /// What it said.
        said: String,
    },
    /// The request asks for what no repository can give.
    #[error("{name} {value:?} {what}")]
    Selection {
        /// The member: `at`, `branch` or `base`.
        name: &'static str,
        /// What it says.
        value: String,
        /// What is wrong with it.
        what: String,
    },
    /// The exact checkout was refused; see the reason. Nothing was moved.
    #[error("the checkout in {directory:?} was refused: {what}")]
    Refused {
        /// The clone.
        directory: PathBuf,
        /// The reason.
        what: String,
    },
    /// A clone is not what it was made as.
    #[error("{directory:?} cannot be used: {what}")]
    Clone {
        /// Which one.
        directory: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// An archive that is damaged, or that another version has made.
    #[error("the checkpoint {path:?} cannot be used: {what}")]
    Archive {
        /// Which one.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}
