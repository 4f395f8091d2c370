//! What a session asks of its primary repository: a commit, a branch, a base.
//!
//! The checks here need no repository, so they are done when the session is asked for.

use serde::{Deserialize, Serialize};

use super::GitError;

/// Where the primary repository starts, and against what its work is compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// The full id of the commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// With `at` the name of a new branch, else of one that exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// What work is compared with; `at` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
}

impl Selection {
    /// The same in its one spelling: ids in lower case, without blanks around names.
    ///
    /// # Errors
    /// [`GitError::Selection`] names the member, its value, and what is wrong.
    pub fn checked(&self) -> Result<Self, GitError> {
        let at = self.at.as_deref().map(commit).transpose()?;
        let branch = self.branch.as_deref().map(branch).transpose()?;
        let base = self.base.as_deref().map(base).transpose()?;
        Ok(Self { at, branch, base })
    }

    /// The base as it is told to clients: `at` stands in for it.
    pub fn told_base(&self) -> Option<&str> {
        self.base.as_deref().or(self.at.as_deref())
    }
}

fn refused(name: &'static str, value: &str, what: &str) -> GitError {
    GitError::Selection {
        name,
        value: value.chars().take(256).collect(),
        what: what.to_owned(),
    }
}

/// A full object id.
fn commit(text: &str) -> Result<String, GitError> {
    let id = text.trim().to_ascii_lowercase();
    let is_hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex || !matches!(id.len(), 40 | 64) {
        let what = "is not a full commit id: expected 40 or 64 hexadecimal digits";
        return Err(refused("at", text, what));
    }
    if id.bytes().all(|byte| byte == b'0') {
        return Err(refused("at", text, "is the null id, which names no commit"));
    }
    Ok(id)
}

/// The name of a branch, by the rules of git-check-ref-format(1).
fn branch(text: &str) -> Result<String, GitError> {
    let name = text.trim();
    let bad = |what| Err(refused("branch", text, what));
    if name.is_empty() {
        return bad("is empty");
    }
    if name == "HEAD" || name == "@" || name.starts_with('-') || name.starts_with("refs/heads/") {
        return bad("is not a name for a branch");
    }
    let forbidden = |c: char| c.is_ascii_control() || " ~^:?*[\\".contains(c);
    let bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    if name.contains(forbidden)
        || name.contains("..")
        || name.contains("@{")
        || name.ends_with('.')
        || name.split('/').any(bad_part)
        || name.len() > 200
    {
        return bad("is not a legal branch name, see git-check-ref-format");
    }
    Ok(name.to_owned())
}

/// A revision; whether it names a commit only the clone can say.
fn base(text: &str) -> Result<String, GitError> {
    let revision = text.trim();
    if revision.is_empty() {
        return Err(refused("base", text, "is empty"));
    }
    if revision.starts_with('-') || revision.contains(|c: char| c.is_control()) {
        return Err(refused("base", text, "is not a revision"));
    }
    Ok(revision.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<String> {
        commit(text).ok()
    }

    #[test]
    fn only_a_full_id_is_a_commit() {
        let full = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(at(full).as_deref(), Some(full));
        assert_eq!(
            at(&format!(" {} ", full.to_uppercase())).as_deref(),
            Some(full)
        );
        assert_eq!(at(&"a".repeat(64)), Some("a".repeat(64)));
        for bad in [
            "",
            "HEAD",
            "0123456",
            &"0".repeat(40),
            &"g".repeat(40),
            &"a".repeat(41),
        ] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn branch_names_are_gits() {
        for good in ["work", " work ", "fix/a-b", "a.b", "\u{e9}", "a@b"] {
            assert_eq!(branch(good).ok().as_deref(), Some(good.trim()), "{good}");
        }
        for bad in [
            "",
            " ",
            "HEAD",
            "@",
            "-x",
            "a b",
            "a..b",
            "a~",
            "a^",
            "a:",
            "a?",
            "a*",
            "a[",
            "a\\",
            "a@{1}",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.lock/b",
            "a.",
            "a\nb",
            "refs/heads/x",
        ] {
            assert!(branch(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_base_is_a_revision_and_stands_for_itself() {
        assert_eq!(
            base(" origin/main~2 ").ok().as_deref(),
            Some("origin/main~2")
        );
        for bad in ["", "  ", "--output=x", "a\nb"] {
            assert!(base(bad).is_err(), "{bad:?}");
        }
        let selection = Selection {
            at: Some("a".repeat(40)),
            ..Selection::default()
        };
        assert_eq!(selection.told_base(), selection.at.as_deref());
    }
}
