//! What a session has changed: its tree, with all that is not committed, against a base.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Checkout, GitError, exact::resolve, repository::Git};
use crate::target::{Place, TargetCommand};

/// The longest diff. What is longer nobody reads, and no program wants in one answer.
const LONGEST: usize = 32 * 1024 * 1024;

/// The tree of nothing, against which the first commit is compared.
const NOTHING: [&str; 3] = ["hash-object", "-t", "tree"];

/// A diff of the primary repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diff {
    /// In git's format, with binary files; new files are in it, ignored ones are not.
    pub diff: String,
    /// The commit it is against; none if there is no commit yet.
    pub base: Option<String>,
    /// Where HEAD is; none if there is no commit yet.
    pub head: Option<String>,
    /// Whether the work stands on the base.
    pub head_descends_from_base: bool,
}

/// Compares the tree of the primary directory with `base`, or with the checkout's base, or, if
/// there is none either, with HEAD.
///
/// # Errors
/// [`GitError::Selection`] if `base` names no commit; the directory is no repository; the diff is
/// too long.
pub async fn diff(
    place: &Place,
    checkout: &Checkout,
    base: Option<&str>,
) -> Result<Diff, GitError> {
    let git = Git::open(place, &checkout.primary).await?;
    let head = resolve(&git, "HEAD").await?;
    let base = match base {
        Some(wanted) => Some(named(&git, wanted).await?),
        None => checkout.base.clone().or_else(|| head.clone()),
    };
    let against = match &base {
        Some(base) => base.clone(),
        None => git.text(&[&NOTHING[..], &["/dev/null"]].concat()).await?,
    };
    // A copy of the index, so that new files can be put into it without a trace.
    let copy = git.directory().join(".git").join("acp-sessions-index");
    let said = compare(&git, &copy, &against).await;
    super::prepare::remove(place, &copy).await?;
    let head_descends_from_base = match (&base, &head) {
        (Some(base), Some(head)) => {
            let words = ["merge-base", "--is-ancestor", base, head];
            git.try_run(&words).await?.is_success()
        }
        (base, _) => base.is_none(),
    };
    Ok(Diff {
        diff: String::from_utf8_lossy(&said?).into_owned(),
        base,
        head,
        head_descends_from_base,
    })
}

async fn compare(git: &Git<'_>, copy: &Path, against: &str) -> Result<Vec<u8>, GitError> {
    let script = r#"test ! -e "$1" || cp -f -- "$1" "$2""#;
    let mut command = TargetCommand::new(["sh", "-c", script, "sh"]);
    let index = git.directory().join(".git").join("index");
    command.argv.extend([index.into(), copy.into()]);
    git.feed(command, b"").await?;
    let mut git = git.clone();
    git.set("GIT_INDEX_FILE", copy);
    git.say(&["add", "--intent-to-add", "--ignore-errors", "--", "."])
        .await?;
    let words = [
        "diff",
        "--no-ext-diff",
        "--no-textconv",
        "--no-color",
        "--binary",
        "--no-renames",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--submodule=short",
        "--ignore-submodules=dirty",
        against,
        "--",
    ];
    let command = git.command(&words).at_most(LONGEST);
    git.feed(command, b"").await
}

async fn named(git: &Git<'_>, base: &str) -> Result<String, GitError> {
    let wrong = |what: &str| GitError::Selection {
        name: "base",
        value: base.to_owned(),
        what: what.to_owned(),
    };
    if base.is_empty() || base.starts_with('-') || base.contains(char::is_control) {
        return Err(wrong("is not a revision"));
    }
    resolve(git, base)
        .await?
        .ok_or_else(|| wrong("names no commit in the clone"))
}
