//! Putting the saved work of a session back, into fresh clones in a new place.
//!
//! The order matters: commits, refs, HEAD, what is staged, then the tree over it. The selection
//! with which the session began is not applied again.

use std::path::Path;

use tempfile::TempDir;

use super::{
    Checkout, GitError, archive,
    checkout::Cloned,
    exact,
    manifest::{Payload, Saved},
    prepare::{self, Tree, remove},
    repository::{Git, TRANSFER},
    scratch::kinds,
};
use crate::{
    config::BundleConfig,
    target::{Place, TargetCommand},
};

/// Where the saved refs stand while they are put back.
const RESTORED: &str = "refs/acp-sessions";

/// Removes the paths on standard input, and folders that are empty then.
const REMOVE: &str = r#"
xargs -0 sh -c '
for name; do
    rm -rf -- "./$name"
    case $name in */*) rmdir -p -- "./${name%/*}" 2>/dev/null ;; esac
done
exit 0' sh"#;

/// Unpacks the tar file `$1` and removes it.
const UNPACK: &str = r#"tar -xof "$1" && rm -f -- "$1""#;

/// Makes the clones of a saved session again, with all the work that was in them.
///
/// # Errors
/// The archive is damaged, the bundle has other repositories, or the remote has no longer what the
/// archive builds upon. The place is to be released then; the archive is as it was.
pub async fn restore(
    place: &Place,
    bundle: Option<&BundleConfig>,
    archive: &Path,
) -> Result<Checkout, GitError> {
    let wrong = |what: String| GitError::Archive {
        path: archive.to_path_buf(),
        what,
    };
    let local = TempDir::new().map_err(|error| wrong(error.to_string()))?;
    let (path, folder) = (archive.to_path_buf(), local.path().to_path_buf());
    let unpack = move || {
        let manifest = archive::open(&path, None)?;
        archive::unpack(&path, &folder)?;
        Ok::<_, GitError>(manifest)
    };
    let manifest = tokio::task::spawn_blocking(unpack).await;
    let manifest = manifest.map_err(|error| wrong(error.to_string()))??;

    let mut clones = Vec::new();
    for saved in &manifest.repositories {
        let repositories = bundle.iter().flat_map(|bundle| &bundle.repositories);
        let repository = repositories
            .clone()
            .find(|repository| repository.id == saved.id);
        let repository = repository.ok_or_else(|| {
            wrong(format!(
                "it holds the repository {:?}, which the bundle has not",
                saved.id
            ))
        })?;
        let path = place.root().join(&repository.destination);
        remove(place, &path).await?;
        let cloned = prepare::clone(place, repository, Tree::Empty).await?;
        put_back(place, &cloned, saved, local.path()).await?;
        clones.push(cloned);
    }
    if let Some(state) = place.state_dir() {
        put_state_back(place, &state, &manifest.state, local.path()).await?;
    }
    if clones.is_empty() {
        return Ok(Checkout::project(place.root()));
    }
    prepare::checkout(place, clones, manifest.base)
}

/// Puts the work back into a fresh clone.
async fn put_back(
    place: &Place,
    cloned: &Cloned,
    saved: &Saved,
    local: &Path,
) -> Result<(), GitError> {
    let git = Git::open(place, &cloned.path).await?;
    // Nothing of the clone's own may be in the way: HEAD is on no branch while they are replaced.
    let unborn = format!("{RESTORED}/nothing");
    git.say(&["symbolic-ref", "HEAD", &unborn]).await?;
    if let Some(payload) = &saved.commits {
        let file = cloned.path.join(".git").join("acp-sessions.bundle");
        place.store(&local.join(&payload.name), &file).await?;
        let refspec = format!("+refs/saved/*:{RESTORED}/saved/*");
        let mut command = git.command(&[
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--",
        ]);
        command.argv.extend([file.clone().into(), refspec.into()]);
        let fetched = git.feed(command.within(TRANSFER), b"").await;
        remove(place, &file).await?;
        fetched?;
    }
    find(&git, cloned, &objects(saved)).await?;
    set_refs(&git, saved).await?;
    match (&saved.branch, &saved.head) {
        (Some(branch), _) => {
            let full = format!("refs/heads/{branch}");
            git.say(&["symbolic-ref", "HEAD", &full]).await?;
        }
        (None, Some(commit)) => {
            git.say(&["update-ref", "--no-deref", "HEAD", commit])
                .await?;
        }
        (None, None) => {}
    }
    git.say(&[
        "read-tree",
        "--reset",
        &format!("{}^{{tree}}", saved.staged),
    ])
    .await?;
    let checkout = git.command(&["checkout-index", "--all", "--force", "--quiet"]);
    git.feed(checkout.within(TRANSFER), b"").await?;
    put_tree_back(&git, saved, local).await?;
    for entry in saved.stash.iter().rev() {
        git.say(&[
            "stash",
            "store",
            "--quiet",
            "-m",
            &entry.message,
            &entry.commit,
        ])
        .await?;
    }
    follow_upstreams(&git, saved).await?;
    forget(&git).await?;
    git.try_run(&["update-index", "--refresh", "-q"]).await?;
    verify(&git, cloned, saved).await
}

/// Every object that the archive names.
fn objects(saved: &Saved) -> Vec<String> {
    let refs = saved.refs.iter().map(|entry| &entry.object);
    let stash = saved.stash.iter().map(|entry| &entry.commit);
    let all = refs.chain(stash).chain(&saved.head).chain([&saved.staged]);
    all.cloned().collect()
}

/// Makes sure that objects are there: what the remote had is fetched if no branch of it has it now.
async fn find(git: &Git<'_>, cloned: &Cloned, objects: &[String]) -> Result<(), GitError> {
    let kinds = kinds(git, objects).await?;
    for (object, kind) in objects.iter().zip(kinds) {
        if kind != "missing" {
            continue;
        }
        let words = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--",
        ];
        let words = [&words[..], &[&cloned.source, object]].concat();
        git.feed(git.command(&words).within(TRANSFER), b"").await?;
    }
    Ok(())
}

/// Replaces the refs of the clone by the saved ones.
async fn set_refs(git: &Git<'_>, saved: &Saved) -> Result<(), GitError> {
    let own = git
        .text(&[
            "for-each-ref",
            "--format=%(refname)",
            "refs/heads",
            "refs/tags",
            "refs/notes",
        ])
        .await?;
    let removed: String = own.lines().map(|name| format!("delete {name}\n")).collect();
    let made = saved.refs.iter();
    let made: String = made
        .map(|entry| format!("create {} {}\n", entry.name, entry.object))
        .collect();
    // Two steps, because a new name may need the room of an old one (`a` and `a/b`).
    for lines in [removed, made] {
        git.feed(git.command(&["update-ref", "--stdin"]), lines.as_bytes())
            .await?;
    }
    Ok(())
}

/// Puts back what no commit holds.
async fn put_tree_back(git: &Git<'_>, saved: &Saved, local: &Path) -> Result<(), GitError> {
    let failed = |error: std::io::Error| GitError::Clone {
        directory: git.directory().to_path_buf(),
        what: format!("what was removed cannot be read: {error}"),
    };
    if let Some(removed) = &saved.removed {
        let list = std::fs::read(local.join(&removed.name)).map_err(failed)?;
        let command = TargetCommand::new(["sh", "-c", REMOVE]).cwd(git.directory());
        git.feed(command, &list).await?;
    }
    for payload in saved.tars() {
        unpack(git, git.directory(), payload, local).await?;
    }
    Ok(())
}

/// Unpacks a tar file on the target.
async fn unpack(
    git: &Git<'_>,
    directory: &Path,
    payload: &Payload,
    local: &Path,
) -> Result<(), GitError> {
    let place = git.place();
    let folder = super::scratch_folder(place, "unpack")?;
    let file = folder.join("unpack.tar");
    let make = git.script(r#"mkdir -p -- "$1""#, &[&folder]);
    git.feed(make, b"").await?;
    place.store(&local.join(&payload.name), &file).await?;
    let unpack = git.script(UNPACK, &[&file]).cwd(directory);
    git.feed(unpack.within(TRANSFER), b"").await.map(drop)
}

/// Lets branches follow what they followed, where the remote still has it.
async fn follow_upstreams(git: &Git<'_>, saved: &Saved) -> Result<(), GitError> {
    for entry in &saved.refs {
        let (Some(branch), Some(upstream)) =
            (entry.name.strip_prefix("refs/heads/"), &entry.upstream)
        else {
            continue;
        };
        let Some(upstream) = upstream.strip_prefix("refs/remotes/") else {
            continue;
        };
        let follow = format!("--set-upstream-to={upstream}");
        git.try_run(&["branch", "--quiet", &follow, "--", branch])
            .await?;
    }
    Ok(())
}

/// Removes the refs that were only needed here.
async fn forget(git: &Git<'_>) -> Result<(), GitError> {
    let refs = git
        .text(&["for-each-ref", "--format=%(refname)", RESTORED])
        .await?;
    let lines: String = refs
        .lines()
        .map(|name| format!("delete {name}\n"))
        .collect();
    let command = git.command(&["update-ref", "--stdin"]);
    git.feed(command, lines.as_bytes()).await.map(drop)
}

/// HEAD and what is staged must be what they were.
async fn verify(git: &Git<'_>, cloned: &Cloned, saved: &Saved) -> Result<(), GitError> {
    let head = exact::head(git).await?;
    let staged = git.text(&["write-tree"]).await?;
    let expected = git
        .text(&["rev-parse", &format!("{}^{{tree}}", saved.staged)])
        .await?;
    let same_branch = head.branch == saved.branch || saved.head.is_none();
    if head.commit == saved.head && same_branch && staged == expected {
        return Ok(());
    }
    Err(GitError::Clone {
        directory: cloned.path.clone(),
        what: format!("it could not be restored: HEAD is {head:?}, the staged tree {staged}"),
    })
}

/// Puts back what the harness remembered.
async fn put_state_back(
    place: &Place,
    state: &Path,
    payloads: &[Payload],
    local: &Path,
) -> Result<(), GitError> {
    if payloads.is_empty() {
        return Ok(());
    }
    let git = Git::outside(place);
    let mut make = TargetCommand::new(["mkdir", "-p", "--"]);
    make.argv.push(state.into());
    git.feed(make, b"").await?;
    for payload in payloads {
        unpack(&git, state, payload, local).await?;
    }
    Ok(())
}
