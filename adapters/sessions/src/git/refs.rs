//! What a clone holds that is the session's: branches, tags, notes and the stash.

use serde::{Deserialize, Serialize};

use super::{GitError, exact::resolve, repository::Git};

/// The refs that are saved, and that must be published.
const SAVED: [&str; 3] = ["refs/heads", "refs/tags", "refs/notes"];

/// A branch, a tag or notes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedRef {
    /// Its full name.
    pub name: String,
    /// The object it names; of an annotated tag the tag.
    pub object: String,
    /// The remote-tracking ref that a branch follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
}

/// An entry of the stash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedStash {
    /// Its commit.
    pub commit: String,
    /// What it is called.
    pub message: String,
}

/// The refs of a clone.
pub(super) async fn saved(git: &Git<'_>) -> Result<Vec<SavedRef>, GitError> {
    let format = "--format=%(objectname) %(refname) %(upstream)";
    let words = [&["for-each-ref", format][..], &SAVED].concat();
    let said = git.say(&words).await?;
    let said = String::from_utf8(said).map_err(|_| GitError::Clone {
        directory: git.directory().to_path_buf(),
        what: "the name of a branch or tag is not UTF-8; rename it".to_owned(),
    })?;
    let parse = |line: &str| {
        let mut words = line.split(' ');
        Some(SavedRef {
            object: words.next()?.to_owned(),
            name: words.next()?.to_owned(),
            upstream: words
                .next()
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
        })
    };
    Ok(said.lines().filter_map(parse).collect())
}

/// The stash, its newest entry first.
pub(super) async fn stash(git: &Git<'_>) -> Result<Vec<SavedStash>, GitError> {
    if resolve(git, "refs/stash").await?.is_none() {
        return Ok(Vec::new());
    }
    let words = [
        "log",
        "--walk-reflogs",
        "-z",
        "--format=%H %gs",
        "refs/stash",
        "--",
    ];
    let said = git.say(&words).await?;
    let said = String::from_utf8_lossy(&said);
    let parse = |entry: &str| {
        let (commit, message) = entry.split_once(' ')?;
        Some(SavedStash {
            commit: commit.to_owned(),
            message: message.to_owned(),
        })
    };
    Ok(said.split('\0').filter_map(parse).collect())
}
