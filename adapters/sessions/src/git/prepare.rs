//! Making the clones of a session.
//!
//! Each session has clones of its own: nothing is shared with the user's checkout, nothing is
//! pushed. A clone is made beside its place and then moved there, so one that is there is whole,
//! and a second preparation takes it as it is.

use std::path::{Path, PathBuf};

use super::{
    Checkout, GitError, Selection,
    checkout::Cloned,
    exact,
    repository::{Git, TRANSFER},
};
use crate::{
    api::SessionId,
    config::{BundleConfig, RepositoryConfig},
    target::{Place, TargetCommand},
};

/// Clones into `$2` with the rest of the words, and then puts the clone at `$1`, if nothing is there.
const CLONE: &str = r#"
if test -e "$1" || test -L "$1"; then exit 0; fi
place=$1 part=$2
shift 2
rm -rf -- "$part"
git clone "$@" "$part" && mkdir -p -- "$(dirname -- "$place")" && mv -- "$part" "$place""#;

/// Makes the clones of the bundle, and checks out what was selected in the primary one. Other
/// repositories start at their default.
///
/// It may be repeated after an interruption: it then finishes the same selection on untouched
/// clones, and refuses anything else.
///
/// # Errors
/// A source that cannot be cloned, a commit that is not there, a clone that somebody has touched.
/// What lies in the clones is kept.
pub async fn prepare(
    place: &Place,
    bundle: &BundleConfig,
    selection: &Selection,
    session: &SessionId,
) -> Result<Checkout, GitError> {
    let selection = selection.checked()?;
    let mut clones = Vec::new();
    let mut base = None;
    for repository in in_order(bundle) {
        let cloned = clone(place, repository, Tree::Default).await?;
        if repository.id == bundle.primary_repo {
            base = exact::check_out(place, &cloned, &selection, session).await?;
        }
        clones.push(cloned);
    }
    checkout(place, clones, base)
}

/// The repositories of a bundle, the primary one first.
pub(super) fn in_order(bundle: &BundleConfig) -> impl Iterator<Item = &RepositoryConfig> {
    let others = bundle.repositories.iter();
    let others = others.filter(|repository| repository.id != bundle.primary_repo);
    bundle.primary().into_iter().chain(others)
}

/// The checkout with these clones, of which the first is the primary one.
pub(super) fn checkout(
    place: &Place,
    clones: Vec<Cloned>,
    base: Option<String>,
) -> Result<Checkout, GitError> {
    let mut paths = clones.iter().map(|cloned| cloned.path.clone());
    let primary = paths.next().ok_or_else(|| GitError::Clone {
        directory: place.root().to_path_buf(),
        what: "its bundle has no primary repository".to_owned(),
    })?;
    let roots = paths.collect();
    Ok(Checkout {
        primary,
        roots,
        base,
        clones,
    })
}

/// What is checked out in a new clone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tree {
    /// The remote's default branch.
    Default,
    /// Nothing yet.
    Empty,
}

/// Makes the clone of a repository, if it is not there.
pub(super) async fn clone(
    place: &Place,
    repository: &RepositoryConfig,
    tree: Tree,
) -> Result<Cloned, GitError> {
    let path = place.root().join(&repository.destination);
    let cloned = Cloned {
        id: repository.id.clone(),
        path: path.clone(),
        source: repository.source.clone(),
    };
    let git = Git::outside(place);
    // Not by links into the source, which an agent could write through; and no template, which
    // would bring hooks.
    let mut words = vec!["--no-local", "--template=", "--no-recurse-submodules"];
    if tree == Tree::Empty {
        words.push("--no-checkout");
    }
    words.extend(["--", &repository.source]);
    let part = part(&path);
    let mut command = git.script(CLONE, &[path, part]);
    command.argv.extend(words.into_iter().map(Into::into));
    git.feed(command.within(TRANSFER), b"").await?;
    Ok(cloned)
}

/// Where a clone is made. A root-level name, so that a destination can never lie in it.
fn part(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".acp-sessions-part");
    name.into()
}

/// Removes a folder of ours, if it is there.
pub(super) async fn remove(place: &Place, path: &Path) -> Result<(), GitError> {
    let mut command = TargetCommand::new(["rm", "-rf", "--"]);
    command.argv.push(path.into());
    Git::outside(place).feed(command, b"").await.map(drop)
}
