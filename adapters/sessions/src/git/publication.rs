//! Whether everything that a session has done is on the remote, so that its clones may go.
//!
//! The question is whether work would be lost, so it is answered by commits, not by names: a branch
//! is published when all its commits are in branches or tags that the remote has now. Only the
//! address of the bundle counts as the remote: one that the agent added may lie in the clone itself.
//!
//! What must stay true: what cannot be looked at is not verified, and what is not verified is not
//! published.

use super::{
    Checkout, GitError, checkout::Cloned, exact, refs, repository::Git, scratch::Scratch, tree,
};
use crate::target::Place;

/// What the look at the clones has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Publication {
    /// Nothing would be lost.
    Published,
    /// Something would, or this cannot be known.
    Unpublished {
        /// What, each as a sentence that names the repository.
        reasons: Vec<String>,
    },
}

/// Looks at the clones of a session. A directory of the user's own is not judged.
///
/// # Errors
/// The target cannot be reached. A remote that cannot be reached is a reason, not an error.
pub async fn published(place: &Place, checkout: &Checkout) -> Result<Publication, GitError> {
    let mut reasons = Vec::new();
    for cloned in &checkout.clones {
        for reason in look(place, cloned).await? {
            reasons.push(format!("{}: {reason}", cloned.id));
        }
    }
    if reasons.is_empty() {
        return Ok(Publication::Published);
    }
    Ok(Publication::Unpublished { reasons })
}

async fn look(place: &Place, cloned: &Cloned) -> Result<Vec<String>, GitError> {
    let git = match Git::open(place, &cloned.path).await {
        Err(GitError::Clone { what, .. }) => return Ok(vec![what]),
        opened => opened?,
    };
    let mut reasons = Vec::new();
    if let Some(dirt) = exact::dirt(&git).await? {
        reasons.push(format!("there are changes that are not committed: {dirt}"));
    }
    let index = tree::index(&git).await?;
    if let Some(obstacle) = tree::obstacle(&git, &index).await? {
        reasons.push(obstacle);
    }
    if !index.hidden.is_empty() {
        let count = index.hidden.len();
        reasons.push(format!(
            "git was told not to look at {count} files for changes"
        ));
    }
    let stash = refs::stash(&git).await?;
    if !stash.is_empty() {
        reasons.push(format!("there are {} entries in the stash", stash.len()));
    }
    let folder = super::scratch_folder(place, &cloned.id)?;
    let scratch = Scratch::make(place, cloned, &folder).await?;
    let found = commits(&git, &scratch).await;
    scratch.discard().await?;
    reasons.extend(found?);
    Ok(reasons)
}

/// What the remote has not.
async fn commits(git: &Git<'_>, scratch: &Scratch<'_>) -> Result<Vec<String>, GitError> {
    if let Some(why) = scratch.unreachable() {
        return Ok(vec![format!(
            "it cannot be verified what the remote has: {why}"
        )]);
    }
    let known = scratch.refs().await?;
    let mut claims: Vec<(String, String)> = Vec::new();
    for saved in refs::saved(git).await? {
        if known.get(&saved.name) != Some(&saved.object) {
            claims.push((saved.name, saved.object));
        }
    }
    let head = exact::head(git).await?;
    if let (Some(commit), None) = (head.commit, head.branch) {
        claims.push((format!("the detached HEAD {commit}"), commit));
    }
    let objects: Vec<String> = claims.iter().map(|(_, object)| object.clone()).collect();
    let kinds = scratch.kinds(&objects).await?;
    if kinds.iter().all(|kind| kind == "commit") && scratch.are_on_remote(&objects).await? {
        return Ok(Vec::new());
    }
    let mut reasons = Vec::new();
    for ((name, object), kind) in claims.into_iter().zip(kinds) {
        // A tag is more than its commit: it has words of its own.
        if kind != "commit" || !scratch.are_on_remote(&[object]).await? {
            reasons.push(format!("{name} is not on the remote"));
        }
    }
    Ok(reasons)
}
