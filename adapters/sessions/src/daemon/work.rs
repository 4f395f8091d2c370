//! The work of a session, as the git module saves it and brings it back.
//!
//! Apart from the operations so that only this file knows the form of an archive.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::{
    api::Exported,
    config::BundleConfig,
    git::{self, Archive, Checkout, GitError},
    target::Place,
};

/// Saves the work into a file of this machine; what comes back is stored, and given to [`restore`].
pub(super) async fn checkpoint(
    place: &Place,
    checkout: &Checkout,
    into: &Path,
) -> Result<Value, GitError> {
    make_folder(into).await?;
    let archive = git::checkpoint(place, checkout, into).await?;
    // Paths of the store are text; others are refused here, not lost.
    serde_json::to_value(archive).map_err(|error| wrong(into, error.to_string()))
}

/// Brings the work back in a new place, from an archive that is still what was recorded.
pub(super) async fn restore(
    place: &Place,
    bundle: Option<&BundleConfig>,
    archive: &Value,
) -> Result<Checkout, GitError> {
    let archive: Archive = serde_json::from_value(archive.clone())
        .map_err(|error| wrong(Path::new("recorded"), error.to_string()))?;
    let path = archive.path.clone();
    // It reads the whole file.
    let looked = spawn_blocking(move || git::open(&archive.path, Some(&archive.sha256))).await;
    looked.map_err(|error| wrong(&path, error.to_string()))??;
    git::restore(place, bundle, &path).await
}

/// Puts the commits that the base does not have into a file of this machine.
pub(super) async fn export(
    place: &Place,
    checkout: &Checkout,
    into: PathBuf,
) -> Result<Exported, GitError> {
    make_folder(&into).await?;
    let Archive { path, size, sha256 } = git::export(place, checkout, &into).await?;
    let bytes = size;
    Ok(Exported {
        path,
        bytes,
        sha256,
    })
}

async fn make_folder(file: &Path) -> Result<(), GitError> {
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    let made = tokio::fs::create_dir_all(folder).await;
    made.map_err(|error| wrong(folder, format!("the folder cannot be made: {error}")))
}

fn wrong(path: &Path, what: String) -> GitError {
    let path = path.to_owned();
    GitError::Archive { path, what }
}
