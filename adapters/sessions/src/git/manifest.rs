//! What a checkpoint archive says about itself: its first entry.
//!
//! It names every payload with its size and digest, so a damaged archive is found out before
//! anything of it is used. It holds no address, because addresses may hold passwords: a restored
//! session clones from what its bundle says then.

use serde::{Deserialize, Serialize};

use super::refs::{SavedRef, SavedStash};

/// The version of the format; an archive of another one is refused.
pub(super) const VERSION: u32 = 1;

/// The name of the manifest in the archive.
pub(super) const NAME: &str = "manifest.json";

/// The work of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the format.
    pub version: u32,
    /// The commit against which the work is compared.
    pub base: Option<String>,
    /// The clones, the primary one first.
    pub repositories: Vec<Saved>,
    /// What the harness remembers, as tar files.
    pub state: Vec<Payload>,
}

/// The work in one clone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    /// The repository's id in the bundle.
    pub id: String,
    /// The commit of HEAD; none before the first one.
    pub head: Option<String>,
    /// The branch of HEAD; none if it is detached.
    pub branch: Option<String>,
    /// Branches, tags and notes.
    pub refs: Vec<SavedRef>,
    /// The stash, its newest entry first.
    pub stash: Vec<SavedStash>,
    /// A commit whose tree is what is staged.
    pub staged: String,
    /// A git bundle of the commits that the remote has not; none if it has all.
    pub commits: Option<Payload>,
    /// Files that differ from what is staged, as tar files.
    pub unstaged: Vec<Payload>,
    /// The paths of files that were removed but are still staged, each ended by a NUL.
    pub removed: Option<Payload>,
    /// Files that git does not follow, as tar files.
    pub untracked: Vec<Payload>,
}

/// A file in the archive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// Its name in the archive.
    pub name: String,
    /// Its length in bytes.
    pub size: u64,
    /// The SHA-256 of its content, in lower-case hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    /// Every payload, in the order in which they stand in the archive.
    pub fn payloads(&self) -> impl Iterator<Item = &Payload> {
        self.repositories
            .iter()
            .flat_map(Saved::payloads)
            .chain(&self.state)
    }

    /// Those payloads that are tar files.
    pub(super) fn tars(&self) -> impl Iterator<Item = &Payload> {
        self.repositories
            .iter()
            .flat_map(Saved::tars)
            .chain(&self.state)
    }
}

impl Saved {
    fn payloads(&self) -> impl Iterator<Item = &Payload> {
        self.commits.iter().chain(&self.removed).chain(self.tars())
    }

    /// Files that differ from what is staged, then those that git does not follow.
    pub(super) fn tars(&self) -> impl Iterator<Item = &Payload> {
        self.unstaged.iter().chain(&self.untracked)
    }
}
