//! Process trees: commands that are started below a supervisor, and end with all that they started.
//!
//! The *owner* is the program that uses this crate. It starts processes here and nowhere else, so
//! that "does anything leak?" has one place to look. Every command and every server runs below a
//! supervisor of its own, a small process that is told what to start, and that ends everything
//! below it when it is told to, when the command has ended, or when the owner has ended, however it
//! did. The supervisor is the owner's own program, run with a hidden subcommand; so the first thing
//! in the owner's `main` must be a look for it, see [`supervise`].
//!
//! - [`run()`]: a command, from its start until no process of it is left, with its output.
//! - [`start_piped`]: a server with pipes, and the [`Tree`] that owns its processes.
//! - [`start_merged`]: a command whose output is read by the caller, while it runs.
//! - [`sweep()`]: the last line, for what a killed supervisor has left.
//!
//! What must stay true:
//!
//! - The end of a command is the end of its leader, not the end of its output: a process in the
//!   background may keep the pipe for hours.
//! - When `run` and `Tree::end` return, no process of the tree is left. If one cannot be ended
//!   within a deadline they say so ([`Ended::Lost`]).
//! - The standard input of a command is never the owner's own.
//! - The owner waits for its children by id, never for any child (`waitpid(-1)`), which would take
//!   exit statuses away from the async runtime.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>

mod capture;
mod environment;
mod error;
mod launch;
mod run;
pub mod supervise;
mod sweep;
mod tree;

use std::{ffi::OsString, path::PathBuf, sync::OnceLock, time::Duration};

use nix::sys::{
    prctl,
    resource::{Resource, getrlimit},
};

pub use capture::Capture;
pub use environment::base_environment;
pub use error::SpawnError;
pub use launch::{Merged, Piped, start_merged, start_piped};
pub use run::{Finished, RunLimits, run};
pub use sweep::{SWEEP_DEADLINE, sweep};
pub use tree::{Ended, Tree};

pub use crate::supervise::{Access, Confinement};

/// What to start.
#[derive(Clone, Debug)]
pub struct CommandSpec {
    /// A path, absolute or relative to `cwd`, or a bare name, looked up on the `PATH` of `env`.
    pub program: OsString,
    /// The arguments, without the program's name.
    pub args: Vec<OsString>,
    /// The working directory.
    pub cwd: PathBuf,
    /// The whole environment; nothing else is inherited. See [`base_environment`].
    pub env: Vec<(OsString, OsString)>,
    /// What it may do to the file system.
    pub access: Access,
}

/// How to start a supervisor. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Supervisor {
    program: PathBuf,
    grace: Duration,
}

impl Supervisor {
    /// The running program itself, which must know the hidden subcommand. The kernel's link still names it when
    /// its file was replaced by an update.
    pub fn new() -> Self {
        Self::at("/proc/self/exe".into())
    }

    /// A program at this path that knows the hidden subcommand, for those that do not, such as
    /// tests.
    pub const fn at(program: PathBuf) -> Self {
        let grace = supervise::GRACE;
        Self { program, grace }
    }

    /// The same, but what it starts has this long from SIGTERM to SIGKILL.
    #[must_use]
    pub const fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// How long what it starts takes to be gone, at most, once it must end. What is there for
    /// longer hangs in the kernel.
    #[must_use]
    pub const fn longest_end(&self) -> Duration {
        tree::longest_end(self.grace)
    }
}

impl Default for Supervisor {
    fn default() -> Self {
        Self::new()
    }
}

/// The soft limit of open files with which the owner was started.
static OPEN_FILES: OnceLock<u64> = OnceLock::new();

/// Prepares the owner; call it once, first thing in `main`, before the limit of open files is
/// raised.
///
/// It makes the owner a child subreaper, so that what a killed supervisor leaves becomes a child
/// of the owner, where [`sweep()`] finds it; and it remembers the limit of open files, which every
/// command gets back. Where the kernel refuses, the sweep finds less; nothing else changes.
pub fn init() {
    if prctl::set_child_subreaper(true).is_err() {
        tracing::warn!("cannot become a subreaper: leftovers of a killed supervisor may be missed");
    }
    if let Ok((soft, _)) = getrlimit(Resource::RLIMIT_NOFILE) {
        // A second call would see a raised limit, so the first one counts.
        let _ = OPEN_FILES.set(soft);
    }
}

/// How far this kernel enforces [`Access::ReadOnly`]. The first call tries it, in about a
/// millisecond; the answer cannot change later.
pub fn can_confine() -> Confinement {
    static ANSWER: OnceLock<Confinement> = OnceLock::new();
    ANSWER.get_or_init(crate::supervise::probe).clone()
}
