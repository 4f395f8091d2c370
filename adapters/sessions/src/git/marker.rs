//! The marker of an exact checkout: what was asked, and where the clone stood before.
//!
//! It is written before anything moves, and lies in `.git`, so that a retry after a crash knows
//! whether it continues the same work on an untouched clone. Without it nobody could tell a half
//! finished checkout from an agent's commit.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{GitError, Selection};
use crate::{
    api::SessionId,
    target::{Place, TargetCommand},
};

/// Where it lies in `.git`.
const FILE: &str = "acp-sessions-checkout.json";

/// Reads it, or says nothing if it is not there.
const READ: &str = r#"test ! -e "$1" || cat -- "$1""#;

/// Writes it whole or not at all.
const WRITE: &str = r#"cat > "$1.part" && mv -f -- "$1.part" "$1""#;

/// What the marker says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Marker {
    /// Whose clone it is.
    pub(super) session: SessionId,
    /// What was asked.
    pub(super) selection: Selection,
    /// The commit before, if there was one.
    pub(super) original_head: Option<String>,
    /// The branch before; none if it was detached.
    pub(super) original_branch: Option<String>,
    /// The commit that was chosen; none if there is no commit to choose.
    pub(super) commit: Option<String>,
    /// Against what work is compared.
    pub(super) base: Option<String>,
    /// The checkout was verified.
    pub(super) done: bool,
}

impl Marker {
    /// The marker of a clone, if it has one.
    pub(super) async fn read(place: &Place, clone: &Path) -> Result<Option<Self>, GitError> {
        let command = shell(READ, clone).at_most(64 * 1024);
        let output = place.run(&command, b"").await?;
        if output.is_success() && output.stdout.is_empty() {
            return Ok(None);
        }
        serde_json::from_slice(&output.stdout)
            .map(Some)
            .map_err(|error| GitError::Clone {
                directory: clone.to_path_buf(),
                what: format!(
                    "its checkout marker cannot be read: {error} {}",
                    output.stderr
                ),
            })
    }

    /// Writes it.
    pub(super) async fn write(&self, place: &Place, clone: &Path) -> Result<(), GitError> {
        let failed = |said| GitError::Clone {
            directory: clone.to_path_buf(),
            what: format!("its checkout marker cannot be written: {said}"),
        };
        let text = serde_json::to_vec(self).map_err(|error| failed(error.to_string()))?;
        let output = place.run(&shell(WRITE, clone), &text).await?;
        if output.is_success() {
            return Ok(());
        }
        Err(failed(output.stderr))
    }
}

fn shell(script: &str, clone: &Path) -> TargetCommand {
    let path: PathBuf = clone.join(".git").join(FILE);
    let mut command = TargetCommand::new(["sh", "-c", script, "sh"]);
    command.argv.push(path.into());
    command
}
