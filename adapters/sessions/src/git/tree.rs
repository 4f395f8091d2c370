//! What the working tree of a clone holds that no commit does.

use super::{GitError, repository::Git};
use crate::target::TargetCommand;

/// The index of a very large repository fits.
const INDEX: usize = 256 * 1024 * 1024;

/// Names the operation that is under way, if one is.
const UNDER_WAY: &str = r#"
cd -- "$1" || exit
for name in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD rebase-merge rebase-apply sequencer BISECT_LOG; do
    if test -e "$name"; then echo "$name"; fi
done"#;

/// Of the paths on standard input, those that are there; with `.git` below them if `$1` says so.
const THERE: &str = r#"
xargs -0 sh -c '
below=$0
for name; do
    if test -e "$name$below" || test -L "$name$below"; then printf "%s\0" "$name"; fi
done' "$1""#;

/// What is in the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// Conflicts that nobody has resolved yet.
    pub(super) unmerged: Vec<Vec<u8>>,
    /// Files whose changes git was told not to look for.
    pub(super) hidden: Vec<Vec<u8>>,
    /// Submodules.
    pub(super) submodules: Vec<Vec<u8>>,
}

/// Reads the index of a clone.
pub(super) async fn index(git: &Git<'_>) -> Result<Index, GitError> {
    let command = git
        .command(&["ls-files", "-v", "--stage", "-z"])
        .at_most(INDEX);
    Ok(parse(&git.feed(command, b"").await?))
}

/// Each entry is `TAG MODE OBJECT STAGE\tPATH`. A tag in lower case, or `S`, hides changes.
fn parse(listing: &[u8]) -> Index {
    let mut index = Index::default();
    for entry in listing.split(|byte| *byte == 0) {
        let Some(tab) = entry.iter().position(|byte| *byte == b'\t') else {
            continue;
        };
        let (about, path) = (&entry[..tab], entry[tab + 1..].to_vec());
        let about = String::from_utf8_lossy(about);
        let mut words = about.split(' ');
        let (tag, mode, stage) = (words.next(), words.next(), words.next_back());
        if stage != Some("0") {
            index.unmerged.push(path);
        } else if mode == Some("160000") {
            index.submodules.push(path);
        } else if tag.is_some_and(|tag| tag == "S" || tag.chars().any(char::is_lowercase)) {
            index.hidden.push(path);
        }
    }
    index.unmerged.dedup();
    index
}

/// Paths that differ from the index, and paths that were removed.
pub(super) async fn changed(git: &Git<'_>) -> Result<(Vec<Vec<u8>>, Vec<Vec<u8>>), GitError> {
    let list = async |filter: &str| {
        let words = [
            "diff-files",
            "--name-only",
            "-z",
            "--ignore-submodules=all",
            filter,
        ];
        let command = git.command(&words).at_most(INDEX);
        Ok::<_, GitError>(paths(&git.feed(command, b"").await?))
    };
    Ok((
        list("--diff-filter=d").await?,
        list("--diff-filter=D").await?,
    ))
}

/// Paths that git does not follow and was not told to ignore.
pub(super) async fn untracked(git: &Git<'_>) -> Result<Vec<Vec<u8>>, GitError> {
    let words = ["ls-files", "--others", "--exclude-standard", "-z"];
    let command = git.command(&words).at_most(INDEX);
    Ok(paths(&git.feed(command, b"").await?))
}

/// What keeps a state from being saved: it could not be put back as it is.
pub(super) async fn obstacle(git: &Git<'_>, index: &Index) -> Result<Option<String>, GitError> {
    let mut command = TargetCommand::new(["sh", "-c", UNDER_WAY, "sh"]);
    command.argv.push(git.directory().join(".git").into());
    let under_way = git.feed(command, b"").await?;
    let under_way = String::from_utf8_lossy(&under_way);
    if let Some(name) = under_way.lines().next() {
        return Ok(Some(format!(
            "a merge, rebase or the like is under way ({name}); finish or abort it"
        )));
    }
    if let Some(path) = index.unmerged.first() {
        let path = String::from_utf8_lossy(path);
        return Ok(Some(format!("{path:?} has a conflict; resolve it")));
    }
    let checked_out = there(git, &index.submodules, "/.git").await?;
    Ok(checked_out.first().map(|path| {
        let path = String::from_utf8_lossy(path);
        format!("the submodule {path:?} is checked out, and submodules are not saved; remove it")
    }))
}

/// Of these paths, those below which `below` is there.
pub(super) async fn there(
    git: &Git<'_>,
    list: &[Vec<u8>],
    below: &str,
) -> Result<Vec<Vec<u8>>, GitError> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let command = TargetCommand::new(["sh", "-c", THERE, "sh", below]);
    let command = command.cwd(git.directory()).at_most(INDEX);
    let input = joined(list.iter().map(|path| prefixed(path)));
    let found = paths(&git.feed(command, &input).await?);
    Ok(found.iter().map(|path| path[2..].to_vec()).collect())
}

/// So that no name is taken for an option.
pub(super) fn prefixed(path: &[u8]) -> Vec<u8> {
    [b"./", path].concat()
}

/// Each ended by a NUL.
pub(super) fn joined(list: impl IntoIterator<Item = Vec<u8>>) -> Vec<u8> {
    let mut all = Vec::new();
    for path in list {
        all.extend_from_slice(&path);
        all.push(0);
    }
    all
}

/// Split at NULs.
pub(super) fn paths(listing: &[u8]) -> Vec<Vec<u8>> {
    let parts = listing.split(|byte| *byte == 0);
    parts
        .filter(|path| !path.is_empty())
        .map(<[u8]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_tells_conflicts_hidden_files_and_submodules() {
        let listing = b"H 100644 aa 0\tplain\0h 100644 aa 0\tassumed\0S 100644 aa 0\tskipped\0\
            M 100644 aa 1\tbo\nth\0M 100644 bb 2\tbo\nth\0H 160000 cc 0\tsub\0";
        let names = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect();
        let expected = Index {
            unmerged: names(&["bo\nth"]),
            hidden: names(&["assumed", "skipped"]),
            submodules: names(&["sub"]),
        };
        assert_eq!(parse(listing), expected);
    }
}
