//! A bare repository of our own over the objects of a clone.
//!
//! What must be known about commits is found out here and not in the clone: this repository has a
//! configuration of ours, so fetching the remote's state runs nothing of the agent's, and leaves no
//! trace in the clone. It borrows the clone's objects, so nothing is copied.
//!
//! What must stay true: what the remote has is what the remote says now, about the address that the
//! bundle names. What a clone believes about its remotes, the agent may have written.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    GitError,
    checkout::Cloned,
    prepare::remove,
    repository::{Git, TRANSFER, without_passwords},
};
use crate::target::Place;

/// Where the remote's refs stand in it.
const REMOTE: &str = "refs/remote";

/// How long the remote may take to say that it is there.
const REACH: Duration = Duration::from_secs(30);

/// Makes the repository `$1`, which uses the objects of the clone `$2`.
const MAKE: &str = r#"
format=$(git --git-dir="$2/.git" rev-parse --show-object-format) &&
rm -rf -- "$1" &&
git init --quiet --bare --template= --object-format="$format" -- "$1" &&
printf '%s\n' "$2/.git/objects" > "$1/objects/info/alternates""#;

/// The repository. It must be [`discard`](Self::discard)ed.
pub(super) struct Scratch<'a> {
    git: Git<'a>,
    folder: PathBuf,
    /// Why the remote's state is not known.
    unreachable: Option<String>,
}

impl<'a> Scratch<'a> {
    /// Makes it in `folder`, which is replaced, and asks the remote for what it has.
    pub(super) async fn make(
        place: &'a Place,
        cloned: &Cloned,
        folder: &Path,
    ) -> Result<Self, GitError> {
        let folder = folder.join("repository.git");
        let outside = Git::outside(place);
        let words = [&folder, &cloned.path];
        outside.feed(outside.script(MAKE, &words), b"").await?;

        let git = Git::bare(place, &folder);
        let unreachable = ask(&git, &cloned.source).await.err();
        Ok(Self {
            git,
            folder,
            unreachable,
        })
    }

    /// Why it is not known what the remote has; none if it is.
    pub(super) fn unreachable(&self) -> Option<&str> {
        self.unreachable.as_deref()
    }

    /// Git in it.
    pub(super) const fn git(&self) -> &Git<'a> {
        &self.git
    }

    /// Whether everything that these commits need is on the remote.
    pub(super) async fn are_on_remote(&self, commits: &[String]) -> Result<bool, GitError> {
        let glob = format!("--glob={REMOTE}/");
        let words = ["rev-list", "--max-count=1", "--stdin", "--not", &glob];
        let command = self.git.command(&words);
        let said = self.git.feed(command, lines(commits).as_bytes()).await?;
        Ok(said.is_empty())
    }

    /// The refs of the remote by their names, each with its object.
    pub(super) async fn refs(&self) -> Result<HashMap<String, String>, GitError> {
        let words = ["for-each-ref", "--format=%(objectname) %(refname)", REMOTE];
        let said = self.git.text(&words).await?;
        let parse = |line: &str| {
            let (object, name) = line.split_once(' ')?;
            let name = name.strip_prefix(REMOTE)?;
            Some((format!("refs{name}"), object.to_owned()))
        };
        Ok(said.lines().filter_map(parse).collect())
    }

    /// What kinds of objects these are, in their order.
    pub(super) async fn kinds(&self, objects: &[String]) -> Result<Vec<String>, GitError> {
        kinds(&self.git, objects).await
    }

    /// Makes refs in it, each with the object it names.
    pub(super) async fn set_refs(&self, refs: &[(String, String)]) -> Result<(), GitError> {
        let lines = refs.iter();
        let lines: String = lines
            .map(|(name, id)| format!("create {name} {id}\n"))
            .collect();
        let command = self.git.command(&["update-ref", "--stdin"]);
        self.git.feed(command, lines.as_bytes()).await.map(drop)
    }

    /// Writes a bundle of what `glob` names and the remote has not. `false` says that there is
    /// nothing to write.
    pub(super) async fn bundle(&self, glob: &str, file: &Path) -> Result<bool, GitError> {
        let (wanted, known) = (format!("--glob={glob}"), format!("--glob={REMOTE}/"));
        let mut command = self.git.command(&["bundle", "create", "--quiet"]);
        command.argv.push(file.into());
        command
            .argv
            .extend([wanted.into(), "--not".into(), known.into()]);
        let command = command.within(TRANSFER);
        let output = self.git.place().run(&command, b"").await?;
        if output.is_success() {
            return Ok(true);
        }
        if output.stderr.contains("empty bundle") {
            return Ok(false);
        }
        Err(self.git.failed(&command, &output))
    }

    /// Removes it.
    pub(super) async fn discard(self) -> Result<(), GitError> {
        remove(self.git.place(), &self.folder).await
    }
}

/// What kinds of objects these are, in their order; `missing` for one that is not there.
pub(super) async fn kinds(git: &Git<'_>, objects: &[String]) -> Result<Vec<String>, GitError> {
    let command = git.command(&["cat-file", "--batch-check=%(objecttype)"]);
    let said = git.feed(command, lines(objects).as_bytes()).await?;
    let said = String::from_utf8_lossy(&said);
    // Of a missing object the line is its name and `missing`.
    let kind = |line: &str| line.rsplit(' ').next().unwrap_or_default().to_owned();
    Ok(said.lines().map(kind).collect())
}

fn lines(words: &[String]) -> String {
    words.iter().map(|word| format!("{word}\n")).collect()
}

/// Fetches what the remote has. What it cannot say is the error.
async fn ask(git: &Git<'_>, source: &str) -> Result<(), String> {
    let heads = format!("+refs/heads/*:{REMOTE}/heads/*");
    let tags = format!("+refs/tags/*:{REMOTE}/tags/*");
    // The first asks only whether anybody answers; how long the second takes depends on how much
    // the remote has that is new.
    let reach = ["ls-remote", "--quiet", "--", source, "HEAD"];
    let fetch = [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--",
        source,
        &heads,
        &tags,
    ];
    for (words, deadline) in [(&reach[..], REACH), (&fetch[..], TRANSFER)] {
        let command = git.command(words).within(deadline);
        match git.place().run(&command, b"").await {
            Ok(output) if output.is_success() => {}
            Ok(output) => return Err(without_passwords(&output.stderr)),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}
