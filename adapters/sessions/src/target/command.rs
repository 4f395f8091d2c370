//! What is to run on a target, and what came of it.
//!
//! It is separate because it is the same for every target; how it becomes a process is theirs.

use std::{
    ffi::{OsStr, OsString},
    path::PathBuf,
    time::Duration,
};

use process_tree::Ended;

use super::TargetError;

/// How long a command may run that says nothing else: a git command on a large repository on a slow
/// disk ends well before.
const DEADLINE: Duration = Duration::from_secs(120);

/// How much of the standard output of [`run`](super::Place::run) is kept unless the command says
/// otherwise. More than any list of files or references that is asked for has.
const OUTPUT: usize = 16 * 1024 * 1024;

/// A command on a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetCommand {
    /// The program, as a path on the target or a name on its `PATH`, and its arguments.
    pub argv: Vec<OsString>,
    /// The working directory; the place's root if there is none.
    pub cwd: Option<PathBuf>,
    /// What is added to the environment that the target gives to every command.
    pub env: Vec<(OsString, OsString)>,
    /// How long [`run`](super::Place::run) lets it run; a spawned command has no deadline.
    pub deadline: Duration,
    /// How many bytes of standard output `run` accepts. A command that says more is ended.
    pub limit: usize,
}

impl TargetCommand {
    /// A command with these words, in the place's root.
    pub fn new<W: Into<OsString>>(argv: impl IntoIterator<Item = W>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: None,
            env: Vec::new(),
            deadline: DEADLINE,
            limit: OUTPUT,
        }
    }

    /// The same in another working directory.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// The same with one more variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// The same with another deadline.
    #[must_use]
    pub const fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// The same with another bound of its output.
    #[must_use]
    pub const fn at_most(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Its program, for messages; the arguments may hold what should not be shown.
    pub fn program(&self) -> &OsStr {
        self.argv
            .first()
            .map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// Refuses what no target could start: no program, a name of a variable that is none, or a NUL.
    pub(super) fn check(&self) -> Result<(), TargetError> {
        let refused = |what| {
            Err(TargetError::Command {
                program: self.program().to_owned(),
                what,
            })
        };
        if self.program().is_empty() {
            return refused("it has no program");
        }
        if !self.env.iter().all(|(name, _)| is_variable(name)) {
            return refused(
                "the name of a variable is not a letter or _, then letters, digits or _",
            );
        }
        let values = self.env.iter().map(|(_, value)| value);
        let cwd = self.cwd.as_ref().map(|path| path.as_os_str().to_owned());
        if self.argv.iter().chain(values).chain(&cwd).any(holds_nul) {
            return refused("a NUL stands in it");
        }
        Ok(())
    }
}

fn is_variable(name: &OsString) -> bool {
    let mut bytes = name.as_encoded_bytes().iter();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn holds_nul(text: &OsString) -> bool {
    text.as_encoded_bytes().contains(&0)
}

/// What a command that was run to its end has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// How it ended.
    pub ended: Ended,
    /// Its whole standard output.
    pub stdout: Vec<u8>,
    /// The beginning and the end of its complaints, for messages.
    pub stderr: String,
}

impl Output {
    /// Whether it ended by itself with status 0.
    pub const fn is_success(&self) -> bool {
        matches!(self.ended, Ended::Exited(0))
    }

    /// Its standard output as text without the blanks around it.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_started_is_refused() {
        let good = || TargetCommand::new(["true"]);
        //  command                                              accepted
        let table = [
            (good().env("A_1", "x=\n'\"").cwd("/a b"), true),
            (good().env("_", ""), true),
            (good().env("1A", ""), false),
            (good().env("A-B", ""), false),
            (good().env("", ""), false),
            (good().env("A", "\0"), false),
            (good().cwd("/\0"), false),
            (TargetCommand::new(["true", "\0"]), false),
            (TargetCommand::new([""; 1]), false),
            (TargetCommand::new([""; 0]), false),
        ];
        for (command, accepted) in table {
            assert_eq!(command.check().is_ok(), accepted, "{command:?}");
        }
    }
}
