//! What can be said on the command line.
//!
//! Apart from the commands because this is the whole surface on one page, and because the parser
//! can be asked about it in tests. Only shapes are checked here; what a name means is decided by
//! the daemon.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::api::Role;

/// Durable coding sessions behind an ACP front.
#[derive(Debug, Parser)]
#[command(
    name = "acp-sessions",
    version,
    about,
    after_help = "A first session: acp-sessions workspaces create demo, \
                  acp-sessions new --workspace demo, acp-sessions prompt --session ID TEXT"
)]
pub struct Arguments {
    /// Use another instance, with its own configuration, daemon and data.
    #[arg(short, long, global = true, value_name = "NAME")]
    pub instance: Option<String>,

    /// The workspace, for the command that follows.
    #[arg(long, value_name = "NAME")]
    pub workspace: Option<String>,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Be an ACP agent on stdin and stdout, whose sessions are ordinary durable ones.
    Acp(Acp),
    /// List the workspaces, or make one.
    Workspaces(Workspaces),
    /// List the sessions, or show one.
    Sessions(Sessions),
    /// Make a session, wait until it is ready, and print its id.
    New(New),
    /// Send a prompt, wait for the end of its turn, and print the answer.
    Prompt(Prompt),
    /// Wait for the end of a turn, and print the answer.
    Wait(Wait),
    /// Interrupt the turn that runs.
    Interrupt(One),
    /// Print what was said.
    Transcript(Transcript),
    /// Print what was changed.
    Diff(Diff),
    /// Search in what was said, also in sessions that were destroyed.
    Search(Search),
    /// Keep the work of a session and give its environment back.
    Suspend(Suspend),
    /// Bring a suspended session back.
    Resume(Change),
    /// Remove a session with its environment and its saved work.
    Destroy(Change),
    /// Save the work of a session and go on.
    Checkpoint(Change),
    /// Print the address of the daemon and the file with its token; starts the daemon.
    ApiInfo(Format),
    /// Print the address of the web page; starts the daemon.
    Web,
    /// Look for what is missing or wrong.
    Doctor,
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Be the daemon.
    #[command(hide = true)]
    DaemonRun,
}

/// `acp`.
#[derive(Debug, Args)]
pub struct Acp {
    /// Of what its sessions are made.
    #[command(flatten)]
    pub choice: Choice,
    /// What becomes of the sessions when the client goes away.
    #[arg(long, value_enum, default_value_t, value_name = "POLICY")]
    pub on_exit: OnExit,
    /// Interrupt a turn after this many seconds and answer `refusal`; without it a turn takes as
    /// long as it takes.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub turn_timeout: Option<u64>,
    /// Tell the client of the tool calls of a turn while it runs; without it a turn has one update,
    /// its message.
    #[arg(long)]
    pub progress: bool,
}

/// What becomes of the sessions that a front made, when its client goes away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum OnExit {
    /// They stay as they are.
    #[default]
    Keep,
    /// Their work is kept, their environments are given back.
    Suspend,
    /// They are removed.
    Destroy,
}

impl OnExit {
    /// Its name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Keep => "keep",
            Self::Suspend => "suspend",
            Self::Destroy => "destroy",
        }
    }
}

/// Of what a session is made.
#[derive(Debug, Clone, Default, Args)]
pub struct Choice {
    /// The workspace in which sessions are made.
    #[arg(long, value_name = "NAME")]
    pub workspace: Option<String>,
    /// The profile: which harness runs the session.
    #[arg(long, value_name = "ID")]
    pub profile: Option<String>,
    /// The target: where the session runs.
    #[arg(long, value_name = "ID")]
    pub target: Option<String>,
    /// The bundle: which repositories are cloned for it.
    #[arg(long, value_name = "ID")]
    pub bundle: Option<String>,
    /// Start the primary repository of the bundle at this commit, a full object id.
    #[arg(long, value_name = "COMMIT", requires = "bundle")]
    pub at: Option<String>,
    /// With --at the name of a new branch, else a branch that exists.
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,
    /// Against what the work is compared; --at if not given.
    #[arg(long, value_name = "REVISION")]
    pub base: Option<String>,
    /// Let nothing run but this runtime.
    #[arg(long, value_name = "ID")]
    pub expected_runtime_identity: Option<String>,
}

/// `workspaces`.
#[derive(Debug, Args)]
pub struct Workspaces {
    /// What to do with them.
    #[command(subcommand)]
    pub action: Option<WorkspacesAction>,
    /// How it is printed.
    #[command(flatten)]
    pub format: Format,
}

/// What can be done with workspaces.
#[derive(Debug, Subcommand)]
pub enum WorkspacesAction {
    /// List them, the most recently opened first.
    List,
    /// Make one, or find the one that has this name.
    Create {
        /// Its name.
        name: String,
    },
}

/// The id of a session, or the beginning of it if no other session begins so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPrefix(pub String);

/// What is shorter hits too many.
const SHORTEST_PREFIX: usize = 4;

impl std::str::FromStr for SessionPrefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if (SHORTEST_PREFIX..=32).contains(&text.len()) && text.bytes().all(is_digit) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!(
            "expected the id of a session, or at least its first {SHORTEST_PREFIX} characters"
        ))
    }
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, Args)]
pub struct Format {
    /// Print JSON, as the HTTP API writes it.
    #[arg(long)]
    pub json: bool,
}

/// `sessions`.
#[derive(Debug, Args)]
pub struct Sessions {
    /// Only those of this workspace.
    #[arg(long, value_name = "NAME")]
    pub workspace: Option<String>,
    /// Only this one, with all that is known of it.
    #[arg(long, value_name = "ID")]
    pub session: Option<SessionPrefix>,
    /// How it is printed.
    #[command(flatten)]
    pub format: Format,
}

/// `new`.
#[derive(Debug, Args)]
pub struct New {
    /// Of what it is made.
    #[command(flatten)]
    pub choice: Choice,
    /// The directory to work in, on a target without a bundle; the current one if not given.
    #[arg(long, value_name = "PATH", conflicts_with = "bundle")]
    pub project_directory: Option<PathBuf>,
    /// What people call it; the first words of the first prompt if not given.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Do not wait until it is ready.
    #[arg(long)]
    pub no_wait: bool,
}

/// A command that needs nothing but a session.
#[derive(Debug, Args)]
pub struct One {
    /// The session.
    #[arg(long, value_name = "ID")]
    pub session: SessionPrefix,
}

/// `prompt`.
#[derive(Debug, Args)]
pub struct Prompt {
    /// The session.
    #[arg(long, value_name = "ID")]
    pub session: SessionPrefix,
    /// What to say; `-` reads it from stdin.
    #[arg(required = true, value_name = "TEXT")]
    pub text: Vec<String>,
    /// Do not wait for the end of the turn; print its number.
    #[arg(long)]
    pub no_wait: bool,
}

/// `wait`.
#[derive(Debug, Args)]
pub struct Wait {
    /// The session.
    #[arg(long, value_name = "ID")]
    pub session: SessionPrefix,
    /// The turn; the latest if not given.
    #[arg(long, value_name = "NUMBER")]
    pub turn: Option<u64>,
    /// Give up after this many seconds; without it for as long as it takes.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
}

/// `transcript`.
#[derive(Debug, Args)]
pub struct Transcript {
    /// The session.
    #[arg(long, value_name = "ID")]
    pub session: SessionPrefix,
    /// Only what stands behind this item.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub after: u64,
    /// Only items of this kind.
    #[arg(long, value_name = "ROLE", value_parser = role)]
    pub role: Option<Role>,
    /// How it is printed.
    #[command(flatten)]
    pub format: Format,
}

fn role(text: &str) -> Result<Role, String> {
    let known = || Role::ALL.map(Role::as_str).join(", ");
    let found = Role::ALL.into_iter().find(|role| role.as_str() == text);
    found.ok_or_else(|| format!("expected one of {}", known()))
}

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// The session.
    #[arg(long, value_name = "ID")]
    pub session: SessionPrefix,
    /// Against this revision instead of the session's base.
    #[arg(long, value_name = "REVISION")]
    pub base: Option<String>,
    /// How it is printed.
    #[command(flatten)]
    pub format: Format,
}

/// `search`.
#[derive(Debug, Args)]
pub struct Search {
    /// Words, all of which must be there.
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// How it is printed.
    #[command(flatten)]
    pub format: Format,
}

/// `resume`, `destroy`, `checkpoint`.
#[derive(Debug, Args)]
pub struct Change {
    /// The session.
    #[arg(long, value_name = "ID")]
    pub session: SessionPrefix,
    /// Do not wait until it is done.
    #[arg(long)]
    pub no_wait: bool,
}

/// `suspend`.
#[derive(Debug, Args)]
pub struct Suspend {
    /// The session, and whether to wait.
    #[command(flatten)]
    pub change: Change,
    /// Give the environment back although its git work is not verified as published.
    #[arg(long)]
    pub acknowledge_unpublished_work: bool,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(std::iter::once("acp-sessions").chain(line.split(' ')))
    }

    #[test]
    fn the_parser_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn what_is_refused_and_what_is_not() {
        use ErrorKind::{
            ArgumentConflict, InvalidValue, MissingRequiredArgument, UnknownArgument,
            ValueValidation,
        };
        let id = "0123456789abcdef0123456789abcdef";
        let table = [
            ("acp".to_owned(), None),
            ("--workspace a acp --workspace b -i other".to_owned(), None),
            ("acp --at 1".to_owned(), Some(MissingRequiredArgument)),
            ("acp --at 1 --bundle b".to_owned(), None),
            ("acp --branch b".to_owned(), None),
            ("acp --on-exit explode".to_owned(), Some(InvalidValue)),
            ("acp --turn-timeout 0".to_owned(), Some(ValueValidation)),
            ("acp --nosuch".to_owned(), Some(UnknownArgument)),
            ("workspaces".to_owned(), None),
            ("workspaces create a".to_owned(), None),
            (
                "workspaces create".to_owned(),
                Some(MissingRequiredArgument),
            ),
            (
                "new --bundle b --project-directory /".to_owned(),
                Some(ArgumentConflict),
            ),
            ("prompt text".to_owned(), Some(MissingRequiredArgument)),
            (format!("prompt --session {id} two words"), None),
            ("interrupt --session 12".to_owned(), Some(ValueValidation)),
            ("interrupt --session 12ab".to_owned(), None),
            ("interrupt --session 12AB".to_owned(), Some(ValueValidation)),
            (format!("transcript --session {id} --role tool"), None),
            (
                format!("transcript --session {id} --role all"),
                Some(ValueValidation),
            ),
            (
                format!("suspend --session {id} --no-wait --acknowledge-unpublished-work"),
                None,
            ),
            ("completions bash".to_owned(), None),
        ];
        for (line, refused) in table {
            assert_eq!(
                parse(&line).err().map(|error| error.kind()),
                refused,
                "{line}"
            );
        }
    }
}
