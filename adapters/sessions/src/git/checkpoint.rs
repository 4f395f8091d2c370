//! Saving the work of a session: what its clones hold and the remote does not.
//!
//! Saved are HEAD, branches, tags, notes, the commits that the remote has not, what is staged, what
//! is not, files that git does not follow, the stash, and what the harness remembers. Not saved are
//! files that git was told to ignore, settings of the clone, and credentials.
//!
//! The payloads are made on the target, and copied one by one; each must have the digest here that
//! it had there. It is to be done while no turn runs, because nobody could put a moving tree back.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{
    Archive, Checkout, GitError, archive,
    checkout::Cloned,
    exact,
    manifest::{Manifest, Payload, Saved, VERSION},
    prepare::remove,
    refs,
    repository::{Git, TRANSFER},
    scratch::Scratch,
    tree,
};
use crate::target::{Place, TargetCommand};

/// What must not be in an archive: where harnesses keep credentials when they keep them there.
const CREDENTIALS: [&str; 6] = [
    "login",
    "auth.json",
    "*credentials*",
    "*token*",
    "*.pem",
    "*.key",
];

/// Packs the paths on standard input into as many tar files `$1*` as command lines are needed.
const PACK: &str = r#"
xargs -0 sh -c 'file=$(mktemp -- "$0XXXXXX") && exec tar -cf "$file" -- "$@"' "$1""#;

/// The SHA-256 of each file in the folder.
const DIGESTS: &str =
    r#"for file in *; do if test -f "$file"; then sha256sum -- "$file" || exit; fi; done"#;

/// Saves the work of a session into the file `into`, which is replaced only by a whole archive.
///
/// # Errors
/// Something cannot be saved, or was damaged on its way; the reason names it. Nothing has changed
/// then, neither in the clones nor in `into`.
pub async fn checkpoint(
    place: &Place,
    checkout: &Checkout,
    into: &Path,
) -> Result<Archive, GitError> {
    let temporary = |source| GitError::Archive {
        path: into.to_path_buf(),
        what: format!("no temporary folder can be made beside it: {source}"),
    };
    let beside = into.parent().unwrap_or(Path::new("."));
    let local = TempDir::with_prefix_in(".checkpoint-", beside).map_err(temporary)?;
    let mut repositories = Vec::new();
    for (number, cloned) in checkout.clones.iter().enumerate() {
        let folder = super::scratch_folder(place, &cloned.id)?;
        let desk = Desk::make(place, folder, local.path(), format!("repository-{number}")).await?;
        let saved = save(&desk, cloned).await;
        desk.clear().await?;
        repositories.push(saved?);
    }
    let manifest = Manifest {
        version: VERSION,
        base: checkout.base.clone(),
        repositories,
        state: save_state(place, local.path()).await?,
    };
    let into = into.to_path_buf();
    let written =
        tokio::task::spawn_blocking(move || archive::write(&manifest, local.path(), &into));
    written.await.map_err(|error| GitError::Archive {
        path: PathBuf::new(),
        what: error.to_string(),
    })?
}

/// Where payloads are made on the target, and where they are copied to.
struct Desk<'a> {
    place: &'a Place,
    /// On the target.
    folder: PathBuf,
    /// On this machine: the folder of all payloads.
    local: PathBuf,
    /// The first part of their names in the archive.
    name: String,
}

impl<'a> Desk<'a> {
    async fn make(
        place: &'a Place,
        folder: PathBuf,
        local: &Path,
        name: String,
    ) -> Result<Self, GitError> {
        let git = Git::outside(place);
        let script = r#"rm -rf -- "$1" && mkdir -p -- "$1/payloads""#;
        git.feed(git.script(script, &[&folder]), b"").await?;
        let failed = |error: std::io::Error| GitError::Archive {
            path: local.join(&name),
            what: error.to_string(),
        };
        std::fs::create_dir_all(local.join(&name)).map_err(failed)?;
        Ok(Self {
            place,
            folder,
            local: local.to_path_buf(),
            name,
        })
    }

    /// The file of a payload on the target.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join("payloads").join(name)
    }

    /// Packs paths of a directory into tar files whose names begin with `name`.
    async fn pack(&self, directory: &Path, name: &str, list: &[Vec<u8>]) -> Result<(), GitError> {
        if list.is_empty() {
            return Ok(());
        }
        let mut command = TargetCommand::new(["sh", "-c", PACK, "sh"]);
        command.argv.push(self.file(name).into());
        let command = command.cwd(directory).within(TRANSFER);
        let input = tree::joined(list.iter().map(|path| tree::prefixed(path)));
        Git::outside(self.place)
            .feed(command, &input)
            .await
            .map(drop)
    }

    /// Copies every payload to this machine, in the order of their names.
    async fn collect(&self) -> Result<Vec<Payload>, GitError> {
        let command = TargetCommand::new(["sh", "-c", DIGESTS]).cwd(self.folder.join("payloads"));
        let said = Git::outside(self.place)
            .feed(command.within(TRANSFER), b"")
            .await?;
        let mut payloads = Vec::new();
        for line in String::from_utf8_lossy(&said).lines() {
            let Some((expected, file)) = line.split_once(char::is_whitespace) else {
                continue;
            };
            let file = file.trim_start_matches([' ', '*']);
            let name = format!("{}/{file}", self.name);
            let local = self.local.join(&name);
            let found = self
                .place
                .fetch(&self.file(file), &local)
                .await?
                .to_string();
            if found != expected {
                return Err(GitError::Archive {
                    path: local,
                    what: format!(
                        "it was damaged on its way: {expected} on the target, {found} here"
                    ),
                });
            }
            let size = std::fs::metadata(&local)
                .map(|about| about.len())
                .unwrap_or(0);
            payloads.push(Payload {
                name,
                size,
                sha256: found,
            });
        }
        Ok(payloads)
    }

    async fn clear(self) -> Result<(), GitError> {
        remove(self.place, &self.folder).await
    }
}

/// Saves one clone.
async fn save(desk: &Desk<'_>, cloned: &Cloned) -> Result<Saved, GitError> {
    let git = Git::open(desk.place, &cloned.path).await?;
    let index = tree::index(&git).await?;
    if let Some(what) = tree::obstacle(&git, &index).await? {
        return Err(GitError::Clone {
            directory: cloned.path.clone(),
            what: format!("it cannot be saved: {what}"),
        });
    }
    let head = exact::head(&git).await?;
    let refs = refs::saved(&git).await?;
    let stash = refs::stash(&git).await?;
    let staged_tree = git.text(&["write-tree"]).await?;
    let (mut changed, removed) = tree::changed(&git).await?;
    changed.extend(tree::there(&git, &index.hidden, "").await?);
    let untracked = tree::untracked(&git).await?;

    let scratch = Scratch::make(desk.place, cloned, &desk.folder).await?;
    if let Some(why) = scratch.unreachable() {
        tracing::info!(
            repository = cloned.id,
            why,
            "the remote is not reached: all commits are saved"
        );
    }
    let staged = commit_tree(&scratch, &staged_tree, head.commit.as_deref()).await?;
    let mut saved = vec![("refs/saved/staged".to_owned(), staged.clone())];
    saved.extend(
        head.commit
            .iter()
            .map(|id| ("refs/saved/head".to_owned(), id.clone())),
    );
    for (number, entry) in refs.iter().enumerate() {
        // Numbers, because names of different kinds could be in each other's way.
        saved.push((format!("refs/saved/ref/{number}"), entry.object.clone()));
    }
    for (number, entry) in stash.iter().enumerate() {
        saved.push((format!("refs/saved/stash/{number}"), entry.commit.clone()));
    }
    scratch.set_refs(&saved).await?;
    scratch
        .bundle("refs/saved/", &desk.file("commits.bundle"))
        .await?;
    desk.pack(&cloned.path, "unstaged-", &changed).await?;
    desk.pack(&cloned.path, "untracked-", &untracked).await?;
    if !removed.is_empty() {
        store(desk.place, &tree::joined(removed), &desk.file("removed")).await?;
    }
    let mut payloads = desk.collect().await?;
    let begins = |name: &str| {
        let whole = format!("{}/{name}", desk.name);
        move |payload: &mut Payload| payload.name.starts_with(&whole)
    };
    let mut take = |name: &str| payloads.extract_if(.., begins(name)).collect::<Vec<_>>();
    Ok(Saved {
        id: cloned.id.clone(),
        head: head.commit,
        branch: head.branch,
        refs,
        stash,
        staged,
        commits: take("commits.bundle").pop(),
        unstaged: take("unstaged-"),
        removed: take("removed").pop(),
        untracked: take("untracked-"),
    })
}

/// A commit that carries a tree.
async fn commit_tree(
    scratch: &Scratch<'_>,
    tree: &str,
    parent: Option<&str>,
) -> Result<String, GitError> {
    let mut words = vec!["commit-tree", "-m", "staged", tree];
    words.extend(parent.iter().flat_map(|parent| ["-p", parent]));
    scratch.git().text(&words).await
}

/// Writes a file of ours on the target.
pub(super) async fn store(place: &Place, content: &[u8], file: &Path) -> Result<(), GitError> {
    let mut command = TargetCommand::new(["sh", "-c", r#"cat > "$1""#, "sh"]);
    command.argv.push(file.into());
    Git::outside(place).feed(command, content).await.map(drop)
}

/// Saves what the harness remembers, but for credentials.
async fn save_state(place: &Place, local: &Path) -> Result<Vec<Payload>, GitError> {
    let (Some(state), Some(folder)) = (place.state_dir(), place.own_folder("scratch")) else {
        return Ok(Vec::new());
    };
    let mut find = TargetCommand::new([
        "sh",
        "-c",
        r#"test ! -d "$0" || { cd -- "$0" && exec find . "$@"; }"#,
    ]);
    find.argv.push(state.clone().into());
    find.argv
        .extend(["(", "-type", "f", "-o", "-type", "l", ")"].map(Into::into));
    for name in CREDENTIALS {
        find.argv.extend(["!", "-iname", name].map(Into::into));
    }
    find.argv.push("-print0".into());
    let found = Git::outside(place).feed(find, b"").await?;
    let list = tree::paths(&found);
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let desk = Desk::make(place, folder.join("state"), local, "state".to_owned()).await?;
    let packed = desk.pack(&state, "state-", &list).await;
    let payloads = match packed {
        Ok(()) => desk.collect().await,
        Err(error) => Err(error),
    };
    desk.clear().await?;
    payloads
}
