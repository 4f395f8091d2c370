//! Giving the commits of a session away as a git bundle, for whoever wants to take them over.

use std::path::Path;

use super::{
    Archive, Checkout, GitError,
    archive::digest,
    exact,
    prepare::remove,
    repository::{Git, TRANSFER},
};
use crate::target::Place;

/// Writes a bundle of HEAD and every branch of the primary repository into the file `into`: what
/// does not belong to the base, which whoever takes it over has.
///
/// # Errors
/// There is no commit beyond the base; or git's reason.
pub async fn export(place: &Place, checkout: &Checkout, into: &Path) -> Result<Archive, GitError> {
    let git = Git::open(place, &checkout.primary).await?;
    if exact::head(&git).await?.commit.is_none() {
        return Err(nothing(checkout));
    }
    let file = checkout
        .primary
        .join(".git")
        .join("acp-sessions-export.bundle");
    let mut command = git.command(&["bundle", "create", "--quiet"]);
    command.argv.push(file.clone().into());
    command.argv.extend(["HEAD", "--branches"].map(Into::into));
    if let Some(base) = &checkout.base {
        command.argv.push(format!("^{base}").into());
    }
    let command = command.within(TRANSFER);
    let output = place.run(&command, b"").await?;
    if !output.is_success() {
        if output.stderr.contains("empty bundle") {
            return Err(nothing(checkout));
        }
        return Err(git.failed(&command, &output));
    }
    let fetched = place.fetch(&file, into).await;
    remove(place, &file).await?;
    fetched?;
    let path = into.to_path_buf();
    let (size, sha256) = tokio::task::spawn_blocking(move || digest(&path))
        .await
        .map_err(|error| GitError::Archive {
            path: into.to_path_buf(),
            what: error.to_string(),
        })??;
    Ok(Archive {
        path: into.to_path_buf(),
        size,
        sha256,
    })
}

fn nothing(checkout: &Checkout) -> GitError {
    GitError::Clone {
        directory: checkout.primary.clone(),
        what: "there is no commit beyond the base to export".to_owned(),
    }
}
