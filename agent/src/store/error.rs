//! Why a session could not be stored or loaded.
//!
//! One enum for the whole store: its messages reach the user as they are, as the message of a
//! JSON-RPC error, so each one names the file, the cause and what to do about it.
//!
//! Must stay true: a message holds nothing of the conversation but a short part of a bad line.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

/// An error of the session store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The id could not be an id of ours, so no path was made from it.
    #[error("not a session id: 1 to 64 letters, digits, `_` and `-` make one")]
    InvalidId {
        /// What was asked for; of any length and any content, so the message leaves it out.
        session_id: String,
    },

    /// There is no such session.
    #[error("no session `{session_id}` is stored here; session/list shows those that are")]
    NotFound {
        /// The id that was asked for.
        session_id: String,
    },

    /// Somebody else has the session open.
    #[error("session `{session_id}` is in use by {}; close it there first", holder(*.pid))]
    InUse {
        /// The id that was asked for.
        session_id: String,
        /// The process that holds it, where the kernel lets us see it.
        pid: Option<u32>,
    },

    /// The file is not what was written.
    #[error(
        "{}, line {line}: {reason}; mend or remove that line, or delete the session",
        path.display()
    )]
    Damaged {
        /// The session's file.
        path: PathBuf,
        /// The first line that is wrong, counted from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },

    /// The file was written by a later version of this program.
    #[error(
        "{} has format {found}, and this program knows formats up to {known}; use a newer acp-agent",
        path.display()
    )]
    NewerFormat {
        /// The session's file.
        path: PathBuf,
        /// The version in the header.
        found: u32,
        /// The version that this program knows.
        known: u32,
    },

    /// The item cannot be written in a form that could be read again. Nothing was written.
    #[error("this cannot be stored in {}: {reason}", path.display())]
    Unstorable {
        /// The session's file.
        path: PathBuf,
        /// Which bound it breaks.
        reason: String,
    },

    /// The open file is no longer a safe place; what was not synced may be gone.
    #[error(
        "{} {reason}; what was said since may be lost: start a new session, or load this one again",
        path.display()
    )]
    Lost {
        /// The session's file.
        path: PathBuf,
        /// What happened to it.
        reason: String,
    },

    /// The cursor did not come from a page of ours.
    #[error("not a cursor of session/list; leave it out to start at the first page")]
    InvalidCursor,

    /// The operating system refused.
    #[error("cannot {what} {}: {source}{}", path.display(), advice(source.kind()))]
    Io {
        /// What was tried, a verb.
        what: &'static str,
        /// What it was tried on.
        path: PathBuf,
        /// The refusal.
        source: io::Error,
    },
}

/// A `map_err` argument that says what was tried on which path.
pub(super) fn io_error(
    what: &'static str,
    path: impl Into<PathBuf>,
) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.into();
    move |source| StoreError::Io { what, path, source }
}

/// The holder of a lock, as a noun.
fn holder(pid: Option<u32>) -> String {
    match pid {
        Some(pid) if pid == std::process::id() => format!("this process (pid {pid})"),
        Some(pid) => format!("process {pid}"),
        None => "another process".to_owned(),
    }
}

/// What a person can do about the errors that people meet.
fn advice(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "; free some space and try again",
        ErrorKind::FileTooLarge => "; raise the limit on file sizes, or start a new session",
        ErrorKind::ReadOnlyFilesystem => {
            "; the file system is read-only: choose another folder with --state-dir"
        }
        ErrorKind::PermissionDenied => {
            "; give this user access to it, or choose another folder with --state-dir"
        }
        ErrorKind::NotADirectory => {
            "; a file stands where a folder should be: move it away, or choose another folder \
             with --state-dir"
        }
        ErrorKind::AlreadyExists => "; a session has this id already: choose another id",
        _ => "",
    }
}
