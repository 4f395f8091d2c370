//! A process that runs on a target.
//!
//! Must stay true: what [`Handle::end`] and [`Handle::wait`] return from is gone *on the target*,
//! with everything below it; and dropping a handle ends it too, only without waiting.

use process_tree::{Ended, Piped, Tree};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::remote::Remaining;

/// A process on a target with its three streams.
#[derive(Debug)]
pub struct Process {
    /// Dropping it is how a well-behaved program is asked to end.
    pub stdin: ChildStdin,
    /// What it says.
    pub stdout: ChildStdout,
    /// What it complains about. It must be read, or a full pipe stops it.
    pub stderr: ChildStderr,
    /// Its processes.
    pub handle: Handle,
}

/// The processes of a command, on the target and on this machine.
#[derive(Debug)]
pub struct Handle {
    /// On this machine: the command itself, or the client of the target that stands for it.
    tree: Tree,
    /// On the target, where that is not this machine.
    remaining: Option<Remaining>,
}

impl Process {
    /// Of a tree on this machine and what stands behind it on the target.
    pub(super) fn new(piped: Piped, remaining: Option<Remaining>) -> Self {
        let Piped {
            stdin,
            stdout,
            stderr,
            tree,
        } = piped;
        Self {
            stdin,
            stdout,
            stderr,
            handle: Handle { tree, remaining },
        }
    }

    /// Ends it; see [`Handle::end`].
    pub async fn end(&mut self) -> Ended {
        self.handle.end().await
    }
}

impl Handle {
    /// Waits until it has ended by itself and nothing that it started is left, and says how it ended.
    ///
    /// Of a lost connection to the target nobody knows how it ended: [`Ended::Lost`].
    pub async fn wait(&mut self) -> Ended {
        let ended = self.tree.wait().await;
        match self.clear().await {
            Ok(()) => ended,
            Err(lost) => Ended::Lost(lost),
        }
    }

    /// Ends it with everything below it: SIGTERM, a time of grace, SIGKILL. Returns when nothing of
    /// it is left, or says that this is not known ([`Ended::Lost`]).
    pub async fn end(&mut self) -> Ended {
        // The target first: what the client of the target leaves behind could not be reached later.
        let cleared = self.clear().await;
        let ended = self.tree.end().await;
        match cleared {
            Ok(()) => ended,
            Err(lost) => Ended::Lost(lost),
        }
    }

    /// Ends what is left on the target, once.
    async fn clear(&mut self) -> Result<(), String> {
        match &mut self.remaining {
            None => Ok(()),
            Some(remaining) => remaining.clear().await,
        }
    }
}
