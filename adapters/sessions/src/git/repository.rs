//! Running git in a clone without running anything of the clone's.
//!
//! The agent may have written whatever it liked into the clone: hooks, a file system monitor,
//! filters, a credential helper, an upload-pack of its own, a working tree somewhere else. Our own
//! commands must not start any of that, and must not wait for a person.
//!
//! What must stay true:
//!
//! - Every git command of this crate is made here.
//! - Settings of the clone that name a program are overridden, by exact name, before the first
//!   command that could use one. The user's own settings on the target stay as they are.
//! - Every command has a deadline.
//!
//! Man pages: git(1), git-config(1), gitattributes(5).

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use super::GitError;
use crate::target::{Ended, Output, Place, TargetCommand};

/// How long a command may take that moves objects over a network. A large clone takes minutes.
pub(super) const TRANSFER: Duration = Duration::from_secs(30 * 60);

/// The protocols that may be used: none that runs a command (`ext`) or sends in clear without any
/// proof of who answers (`git`). `http` is left for networks where it is what there is.
const PROTOCOLS: &str = "file:http:https:ssh";

/// Nobody can answer a question of ssh; and its standard input is not for it.
const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15";

/// Who makes the commits that only carry a state.
const IDENTITY: &str = "acp-sessions";

/// Settings that hold for each command, whatever a clone says.
const SETTINGS: [(&str, &str); 14] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.quotePath", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("branch.autoSetupMerge", "true"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.ext.allow", "never"),
    ("commit.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("advice.detachedHead", "false"),
    ("color.ui", "false"),
    ("core.commitGraph", "false"),
];

/// Lists the settings of a clone, if it is one.
const OPEN: &str = r#"
test -d .git && test ! -L .git && test -f .git/HEAD || exit 99
exec git config --list --name-only --show-scope -z"#;

/// How that says that it is none.
const NO_CLONE: i32 = 99;

/// A place in which git is run.
#[derive(Clone, Debug)]
pub(super) struct Git<'a> {
    place: &'a Place,
    directory: PathBuf,
    env: Vec<(OsString, OsString)>,
    settings: Vec<(String, String)>,
}

impl<'a> Git<'a> {
    /// Git outside of every repository, with no settings but the user's own.
    pub(super) fn outside(place: &'a Place) -> Self {
        let root = place.root().to_path_buf();
        let mut git = Self {
            place,
            directory: root.clone(),
            env: Vec::new(),
            settings: Vec::new(),
        };
        // A repository above the root is none of the session's.
        git.set("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(&root));
        git
    }

    /// Git in a bare repository of our own.
    pub(super) fn bare(place: &'a Place, git_dir: &Path) -> Self {
        let mut git = Self::outside(place);
        git.set("GIT_DIR", git_dir);
        git
    }

    /// Git in a clone: with its own `.git` and tree, and without its programs.
    pub(super) async fn open(place: &'a Place, clone: &Path) -> Result<Self, GitError> {
        let mut git = Self::outside(place);
        git.directory = clone.to_path_buf();
        // Said outright, because a setting could move the tree elsewhere.
        git.set("GIT_DIR", clone.join(".git"));
        git.set("GIT_WORK_TREE", clone);
        let command = git.script::<&str>(OPEN, &[]);
        let output = place.run(&command, b"").await?;
        if output.ended == Ended::Exited(NO_CLONE) {
            return Err(GitError::Clone {
                directory: clone.to_path_buf(),
                what: "its .git is not a folder of its own any more".to_owned(),
            });
        }
        if !output.is_success() {
            return Err(git.failed(&command, &output));
        }
        let keys = output.stdout;
        git.settings = neutral(&keys);
        Ok(git)
    }

    /// The same with one more variable.
    pub(super) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.env.push((name.into(), value.into()));
    }

    /// Where it runs.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The command as the target gets it.
    pub(super) fn command<W: Into<OsString> + Clone>(&self, words: &[W]) -> TargetCommand {
        let words = words.iter().cloned().map(Into::into);
        let argv = ["git", "--no-pager"].map(OsString::from);
        let mut command = TargetCommand::new(argv.into_iter().chain(words)).cwd(&self.directory);
        for (name, value) in [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", "true"),
            ("SSH_ASKPASS", "true"),
            ("GIT_SSH_COMMAND", SSH),
            ("GIT_SSH_VARIANT", "ssh"),
            ("GIT_ALLOW_PROTOCOL", PROTOCOLS),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_EDITOR", "true"),
            ("GIT_AUTHOR_NAME", IDENTITY),
            ("GIT_AUTHOR_EMAIL", IDENTITY),
            ("GIT_COMMITTER_NAME", IDENTITY),
            ("GIT_COMMITTER_EMAIL", IDENTITY),
            ("LC_ALL", "C"),
        ] {
            command = command.env(name, value);
        }
        for (name, value) in &self.env {
            command = command.env(name, value);
        }
        let fixed = SETTINGS.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let settings = fixed.iter().chain(&self.settings);
        // Not with `-c`, which would split a key that holds a `=`.
        command = command.env("GIT_CONFIG_COUNT", settings.clone().count().to_string());
        for (number, (key, value)) in settings.enumerate() {
            command = command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command = command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        command
    }

    /// A shell script that uses git the same way, with these words as its arguments. One of them
    /// instead of a few commands saves a round trip for each.
    pub(super) fn script<W: Into<OsString> + Clone>(
        &self,
        text: &str,
        words: &[W],
    ) -> TargetCommand {
        let mut command = self.command::<&str>(&[]);
        command.argv = ["sh", "-c", text, "sh"].map(OsString::from).to_vec();
        command.argv.extend(words.iter().cloned().map(Into::into));
        command
    }

    /// Runs git, whatever comes of it.
    pub(super) async fn try_run<W: Into<OsString> + Clone>(
        &self,
        words: &[W],
    ) -> Result<Output, GitError> {
        Ok(self.place.run(&self.command(words), b"").await?)
    }

    /// Runs git, which must succeed, and answers what it said.
    pub(super) async fn say<W: Into<OsString> + Clone>(
        &self,
        words: &[W],
    ) -> Result<Vec<u8>, GitError> {
        self.feed(self.command(words), b"").await
    }

    /// The same, as text without the blanks around it.
    pub(super) async fn text<W: Into<OsString> + Clone>(
        &self,
        words: &[W],
    ) -> Result<String, GitError> {
        let said = self.say(words).await?;
        Ok(String::from_utf8_lossy(&said).trim().to_owned())
    }

    /// Runs a command of [`command`](Self::command) with input; it must succeed.
    pub(super) async fn feed(
        &self,
        command: TargetCommand,
        input: &[u8],
    ) -> Result<Vec<u8>, GitError> {
        let output = self.place.run(&command, input).await?;
        if output.is_success() {
            return Ok(output.stdout);
        }
        Err(self.failed(&command, &output))
    }

    /// The error of a command that was not successful.
    pub(super) fn failed(&self, command: &TargetCommand, output: &Output) -> GitError {
        // What follows may be long, or an address with a password.
        let what = match command.argv.get(2) {
            Some(word) if command.program() == "git" => word.to_string_lossy().into_owned(),
            _ => command.program().to_string_lossy().into_owned(),
        };
        let mut said = without_passwords(&output.stderr);
        if said.is_empty() {
            said = format!("{:?}", output.ended);
        }
        GitError::Command {
            what,
            directory: self.directory.clone(),
            said,
        }
    }

    /// The place it runs in.
    pub(super) const fn place(&self) -> &'a Place {
        self.place
    }
}

/// Which settings of a clone must be overridden: those that name a program, and those that would
/// make git insist on one. `listing` is scope and key in turn, each ended by a NUL.
fn neutral(listing: &[u8]) -> Vec<(String, String)> {
    let listing = String::from_utf8_lossy(listing);
    let mut fields = listing.split('\0');
    let mut found = Vec::new();
    while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
        if matches!(scope, "local" | "worktree")
            && let Some(value) = override_of(key)
        {
            found.push((key.to_owned(), value.to_owned()));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What a setting is overridden with. Sections and last parts of keys are told in lower case.
fn override_of(key: &str) -> Option<&'static str> {
    let (section, rest) = key.split_once('.')?;
    let last = rest.rsplit('.').next()?;
    let is_program = match section {
        "filter" => {
            if last == "required" {
                return Some("false");
            }
            true
        }
        "remote" if last == "uploadpack" => return Some("git-upload-pack"),
        "remote" if last == "receivepack" => return Some("git-receive-pack"),
        "remote" => matches!(last, "vcs" | "proxy"),
        "core" => matches!(
            last,
            "askpass" | "sshcommand" | "gitproxy" | "editor" | "pager" | "alternaterefscommand"
        ),
        "credential" => last == "helper",
        "diff" => matches!(last, "external" | "command" | "textconv"),
        "merge" => last == "driver",
        "gpg" => last == "program" || last == "defaultkeycommand",
        "http" => matches!(last, "proxy" | "cookiefile" | "sslcert" | "sslkey"),
        "uploadpack" => last == "packobjectshook",
        "pager" | "sequence" | "interactive" | "trailer" => true,
        _ => false,
    };
    is_program.then_some("")
}

/// The same text with the user and password of addresses cut out.
pub(super) fn without_passwords(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        clean.push_str(before);
        clean.push_str("://");
        let end = after
            .find(|c: char| c == '/' || c == '\'' || c == '"' || c.is_whitespace())
            .unwrap_or(after.len());
        let host = after[..end].rfind('@').map_or(0, |at| at + 1);
        clean.push_str(&after[host..end]);
        rest = &after[end..];
    }
    clean.push_str(rest);
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_name_a_program_are_overridden_in_clones_only() {
        let listing = b"local\0filter.a=b.c.clean\0local\0filter.x.required\0global\0filter.y.clean\0\
            local\0core.sshcommand\0worktree\0remote.o.uploadpack\0local\0core.bare\0local\0user.name\0";
        let expected = [
            ("core.sshcommand", ""),
            ("filter.a=b.c.clean", ""),
            ("filter.x.required", "false"),
            ("remote.o.uploadpack", "git-upload-pack"),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(neutral(listing), expected);
    }

    #[test]
    fn addresses_lose_their_passwords() {
        let table = [
            (
                "fatal: 'https://me:secret@h/x' no",
                "fatal: 'https://h/x' no",
            ),
            (
                "ssh://git@h:22/a@b and http://t@h",
                "ssh://h:22/a@b and http://h",
            ),
            ("nothing", "nothing"),
            ("https://h", "https://h"),
        ];
        for (text, clean) in table {
            assert_eq!(without_passwords(text), clean);
        }
    }
}
