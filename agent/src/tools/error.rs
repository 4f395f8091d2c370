//! Why a call cannot be done as it was asked for.
//!
//! One enum for all built-in tools, because its reader is always the same: the text becomes the
//! result of a failed tool call, and a model (or its user) has to know what to do differently.

use std::{io, path::PathBuf};

use crate::{client::ClientError, roots::RootsError};

/// A call that cannot be prepared, or a job that failed before it had an outcome.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The arguments do not fit the tool's schema.
    #[error("{tool}: `{member}` {problem}")]
    Argument {
        /// The tool.
        tool: &'static str,
        /// The member of the arguments, or `arguments` for the whole.
        member: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The arguments of a tool of an MCP server are nothing that can be sent to it.
    #[error("{tool}: the arguments {problem}")]
    Arguments {
        /// The tool, by the name that the model knows.
        tool: String,
        /// What is wrong.
        problem: &'static str,
    },
    /// The path leads nowhere.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// There is no such file or folder.
    #[error("{}: does not exist", .0.display())]
    Missing(PathBuf),
    /// Something else than the tool is for.
    #[error("{}: is {found}, not {wanted}", path.display())]
    Kind {
        /// Where.
        path: PathBuf,
        /// What is there.
        found: &'static str,
        /// What the tool needs, and what to do instead.
        wanted: &'static str,
    },
    /// The file is not what it was when the call was prepared.
    #[error("{}: was changed by someone else meanwhile; read it again and repeat the call", .0.display())]
    Changed(PathBuf),
    /// The file is too large for the tool.
    #[error("{}: has {size} bytes, more than the {limit} that this tool works on", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// The most that is accepted, in bytes.
        limit: u64,
    },
    /// The file is not text.
    #[error("{}: is not UTF-8 text, so it cannot be edited as text", .0.display())]
    NotText(PathBuf),
    /// The text to replace is not there exactly once.
    #[error("{}: {problem}", path.display())]
    Match {
        /// The file.
        path: PathBuf,
        /// How often it is there, and what to do.
        problem: String,
    },
    /// The client could not do it.
    #[error("{}: {error}", path.display())]
    Client {
        /// The file.
        path: PathBuf,
        /// What came back.
        error: ClientError,
    },
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}
