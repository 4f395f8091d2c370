//! What a session works in, once it is prepared.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The clones of a session, or the user's own directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkout {
    /// The agent's working directory.
    pub primary: PathBuf,
    /// Other directories that belong to the session.
    #[serde(default)]
    pub roots: Vec<PathBuf>,
    /// The commit against which work is compared; none in a repository without any commit, and in a
    /// directory of the user's own.
    #[serde(default)]
    pub base: Option<String>,
    /// The clones, the primary one first; none in a directory of the user's own.
    #[serde(default)]
    pub clones: Vec<Cloned>,
}

/// The clone of one repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cloned {
    /// The repository's id in its bundle.
    pub id: String,
    /// Where it lies on the target.
    pub path: PathBuf,
    /// From where it was cloned. The clone knows that too, but the agent may change what it knows.
    pub source: String,
}

impl Checkout {
    /// A directory of the user's own: nothing in it is the session's to save or to judge.
    pub fn project(directory: &Path) -> Self {
        Self {
            primary: directory.to_path_buf(),
            roots: Vec::new(),
            base: None,
            clones: Vec::new(),
        }
    }
}
