//! The exact checkout: the selected commit and branch in the session's own clone.
//!
//! ```text
//! fresh --marker written--> Switching --verified, marker done--> Done
//!            \-- HEAD where it was, or at the commit, and nothing else touched: a retry finishes
//!             \- anything else: refused, and the work is kept
//! ```
//!
//! What must stay true: it never pushes, resets, or moves a ref that existed; what cannot be done
//! is refused before HEAD has moved; and completion is recorded only when HEAD, branch and tree
//! were looked at.

use super::{
    GitError, Selection,
    checkout::Cloned,
    marker::Marker,
    repository::{Git, TRANSFER},
};
use crate::{api::SessionId, target::Place};

/// Where HEAD is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The commit; none before the first one.
    pub(super) commit: Option<String>,
    /// The branch; none if it is detached.
    pub(super) branch: Option<String>,
}

/// Checks out what was selected, and answers the base against which work is compared.
pub(super) async fn check_out(
    place: &Place,
    cloned: &Cloned,
    selection: &Selection,
    session: &SessionId,
) -> Result<Option<String>, GitError> {
    let git = Git::open(place, &cloned.path).await?;
    let refused = |what: String| GitError::Refused {
        directory: cloned.path.clone(),
        what,
    };
    let mut marker = match Marker::read(place, &cloned.path).await? {
        Some(marker) if marker.session != *session => {
            let what = format!("it was made for the session {}", marker.session);
            return Err(refused(what));
        }
        Some(marker) if marker.selection != *selection => {
            let what = "another selection was begun in it; a new session can have this one";
            return Err(refused(what.to_owned()));
        }
        Some(marker) => marker,
        None => begin(&git, cloned, selection, session).await?,
    };
    if let Some(what) = dirt(&git).await? {
        return Err(refused(format!("its tree is not clean: {what}")));
    }
    let now = head(&git).await?;
    let original = Head {
        commit: marker.original_head.clone(),
        branch: marker.original_branch.clone(),
    };
    let wanted = wanted(&marker);
    if now == original && now != wanted && !marker.done {
        switch(&git, &marker).await?;
    }
    let now = head(&git).await?;
    if now != wanted {
        let what = format!("HEAD is at {}, not at {}", now.told(), wanted.told());
        return Err(refused(what));
    }
    if let Some(what) = dirt(&git).await? {
        return Err(refused(format!("its tree is not clean: {what}")));
    }
    if !marker.done {
        marker.done = true;
        marker.write(place, &cloned.path).await?;
    }
    Ok(marker.base)
}

/// Looks whether the selection can be checked out, and writes the marker.
async fn begin(
    git: &Git<'_>,
    cloned: &Cloned,
    selection: &Selection,
    session: &SessionId,
) -> Result<Marker, GitError> {
    if let Some(what) = dirt(git).await? {
        return Err(GitError::Refused {
            directory: cloned.path.clone(),
            what: format!("its tree is not clean: {what}"),
        });
    }
    let original = head(git).await?;
    let commit = match (&selection.at, &selection.branch) {
        (Some(at), branch) => {
            find_commit(git, &cloned.source, at).await?;
            if let Some(branch) = branch {
                must_be_new(git, branch).await?;
            }
            Some(at.clone())
        }
        (None, Some(branch)) if original.branch.as_ref() != Some(branch) => {
            Some(remote_branch(git, branch).await?)
        }
        (None, _) => original.commit.clone(),
    };
    let base = match &selection.base {
        Some(base) => Some(find_base(git, base).await?),
        None => commit.clone(),
    };
    let marker = Marker {
        session: session.clone(),
        selection: selection.clone(),
        original_head: original.commit,
        original_branch: original.branch,
        commit,
        base,
        done: false,
    };
    marker.write(git.place(), &cloned.path).await?;
    Ok(marker)
}

/// Where HEAD must be in the end.
fn wanted(marker: &Marker) -> Head {
    let Selection { at, branch, .. } = &marker.selection;
    let default = || marker.original_branch.clone();
    Head {
        commit: marker.commit.clone(),
        branch: match (at, branch) {
            (_, Some(branch)) => Some(branch.clone()),
            (Some(_), None) => None,
            (None, None) => default(),
        },
    }
}

/// Moves HEAD. An existing branch follows the remote's; a new one follows nothing.
async fn switch(git: &Git<'_>, marker: &Marker) -> Result<(), GitError> {
    let Selection { at, branch, .. } = &marker.selection;
    let commit = marker.commit.as_deref().unwrap_or("HEAD");
    let upstream = branch.as_ref().map(|branch| format!("origin/{branch}"));
    let words = match (at, branch, &upstream) {
        (None, Some(branch), Some(upstream)) => {
            // The commit was chosen before: the remote's branch cannot have moved in between.
            vec!["switch", "--no-guess", "--track", "-c", branch, upstream]
        }
        // After a crash the branch may be there, at its commit, with HEAD where it was.
        (_, Some(branch), _) if branch_commit(git, branch).await?.as_deref() == Some(commit) => {
            vec!["switch", "--no-guess", branch]
        }
        (_, Some(branch), _) => vec!["switch", "--no-guess", "--no-track", "-c", branch, commit],
        (_, None, _) => vec!["switch", "--detach", commit],
    };
    let command = git.command(&words).within(TRANSFER);
    git.feed(command, b"").await.map(drop)
}

/// Makes sure that the commit is in the clone: fetches exactly it if need be.
async fn find_commit(git: &Git<'_>, source: &str, at: &str) -> Result<(), GitError> {
    let refused = |what: String| {
        Err(GitError::Selection {
            name: "at",
            value: at.to_owned(),
            what,
        })
    };
    let mut kind = kind_of(git, at).await?;
    if kind.is_none() {
        let words = [
            "fetch",
            "--no-tags",
            "--upload-pack=git-upload-pack",
            "--",
            source,
            at,
        ];
        let command = git.command(&words).within(TRANSFER);
        let fetched = git.place().run(&command, b"").await?;
        kind = kind_of(git, at).await?;
        if kind.is_none() {
            let said = super::repository::without_passwords(&fetched.stderr);
            return refused(format!(
                "is not in the repository, and cannot be fetched: {said}"
            ));
        }
    }
    match kind.as_deref() {
        Some("commit") => Ok(()),
        kind => refused(format!("is a {}, not a commit", kind.unwrap_or("thing"))),
    }
}

/// What kind of object an id names, if it is there.
async fn kind_of(git: &Git<'_>, id: &str) -> Result<Option<String>, GitError> {
    let output = git.try_run(&["cat-file", "-t", id]).await?;
    Ok(output.is_success().then(|| output.text()))
}

async fn must_be_new(git: &Git<'_>, branch: &str) -> Result<(), GitError> {
    let refused = |what: String| {
        Err(GitError::Selection {
            name: "branch",
            value: branch.to_owned(),
            what,
        })
    };
    let full = format!("refs/heads/{branch}");
    if !git
        .try_run(&["check-ref-format", &full])
        .await?
        .is_success()
    {
        return refused("is not a legal branch name".to_owned());
    }
    if branch_commit(git, branch).await?.is_some() {
        return refused("exists already; with `at` it names a new branch".to_owned());
    }
    // `a` and `a/b` cannot both be.
    let branches = git
        .text(&["for-each-ref", "--format=%(refname)", "refs/heads"])
        .await?;
    let in_the_way = |other: &str| {
        other.starts_with(&format!("{full}/")) || full.starts_with(&format!("{other}/"))
    };
    match branches.lines().find(|other| in_the_way(other)) {
        Some(other) => refused(format!("cannot be made beside {other}")),
        None => Ok(()),
    }
}

/// The commit of a local branch, if there is one.
async fn branch_commit(git: &Git<'_>, branch: &str) -> Result<Option<String>, GitError> {
    let full = format!("refs/heads/{branch}");
    resolve(git, &full).await
}

async fn remote_branch(git: &Git<'_>, branch: &str) -> Result<String, GitError> {
    let full = format!("refs/remotes/origin/{branch}");
    resolve(git, &full)
        .await?
        .ok_or_else(|| GitError::Selection {
            name: "branch",
            value: branch.to_owned(),
            what: "does not exist in the repository; a new branch needs `at`".to_owned(),
        })
}

async fn find_base(git: &Git<'_>, base: &str) -> Result<String, GitError> {
    resolve(git, base)
        .await?
        .ok_or_else(|| GitError::Selection {
            name: "base",
            value: base.to_owned(),
            what:
                "names no commit in the fresh clone, where only commits, tags and remote branches \
               (`origin/NAME`) exist"
                    .to_owned(),
        })
}

/// The commit that a revision names.
pub(super) async fn resolve(git: &Git<'_>, revision: &str) -> Result<Option<String>, GitError> {
    let peeled = format!("{revision}^{{commit}}");
    let words = ["rev-parse", "--verify", "--quiet", &peeled];
    let output = git.try_run(&words).await?;
    Ok(output.is_success().then(|| output.text()))
}

/// Tells where HEAD is, the branch first.
const HEAD: &str = r#"
echo "$(git symbolic-ref --quiet HEAD)"
echo "$(git rev-parse --verify --quiet "HEAD^{commit}")""#;

/// Where HEAD is.
pub(super) async fn head(git: &Git<'_>) -> Result<Head, GitError> {
    let said = git.feed(git.script::<&str>(HEAD, &[]), b"").await?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let mut lines = said.lines().map(str::to_owned);
    let mut next = || lines.next().filter(|line| !line.is_empty());
    let (branch, commit) = (next(), next());
    let branch = branch.map(|full| match full.strip_prefix("refs/heads/") {
        Some(short) => short.to_owned(),
        None => full,
    });
    Ok(Head { commit, branch })
}

/// What is not clean, if anything: the first few names.
pub(super) async fn dirt(git: &Git<'_>) -> Result<Option<String>, GitError> {
    let words = [
        "status",
        "--porcelain",
        "-z",
        "--untracked-files=all",
        "--ignore-submodules=dirty",
        "--no-renames",
    ];
    let said = git.say(&words).await?;
    let said = String::from_utf8_lossy(&said);
    let mut entries = said.split_terminator('\0').map(str::escape_debug);
    let Some(first) = entries.next() else {
        return Ok(None);
    };
    let more = entries.count();
    Ok(Some(match more {
        0 => first.to_string(),
        more => format!("{first} and {more} more"),
    }))
}

impl Head {
    fn told(&self) -> String {
        let commit = self.commit.as_deref().unwrap_or("no commit");
        match &self.branch {
            Some(branch) => format!("{commit} on {branch}"),
            None => format!("{commit}, detached"),
        }
    }
}
