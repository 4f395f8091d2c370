//! Targets: places where the processes of a session run.
//!
//! There is one seam for all of them: a [`TargetCommand`] becomes a [`Process`] with three pipes.
//! Everything else is built on it: [`Place::run`] collects, [`Place::fetch`] and [`Place::store`]
//! move files, and `crate::git` runs git. So whatever works on one target works on each.
//!
//! ```text
//! daemon -- spawn(argv, cwd, env) --> Place --+-- local: a process below a supervisor
//!                                             +-- ssh ---------\
//!                                             +-- container ----+-- client -- launcher -- process
//!                                             +-- kubernetes --/       \-- guard
//! ```
//!
//! What must stay true:
//!
//! - A process that was ended is gone on the target, with everything below it, not only the client
//!   of the target that stood for it here. See `remote`.
//! - When the daemon ends, however it does, everything on this machine ends at once; on another
//!   one, when the connection is found to be gone.
//! - What a command is, also its environment, stands on no command line but its own.
//! - A place that was made here is removed here; a folder of the user's own never is.

mod command;
mod error;
mod files;
mod local;
mod locator;
mod process;
mod remote;
mod run;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use process_tree::Supervisor;

pub use command::{Output, TargetCommand};
pub use error::TargetError;
pub use files::Digest;
pub use locator::{Ground, Locator, LocatorKind};
pub use process::{Handle, Process};
pub use process_tree::Ended;

use crate::{api::SessionId, config::TargetConfig};
use remote::Remote;

/// What places stand on, on this machine. Made once by the daemon.
#[derive(Clone, Debug)]
pub struct Grounds {
    /// Under which every process is started.
    pub supervisor: Supervisor,
    /// A folder of the daemon's own: managed sessions of this machine lie in it, and the control
    /// sockets of ssh.
    pub folder: PathBuf,
}

/// A place where the processes of one session run. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Place {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    grounds: Grounds,
    locator: Locator,
    root: PathBuf,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Local,
    Remote(Box<Remote>),
}

impl Place {
    /// Where the place of a session will be, before it is made. With a `project`, an existing
    /// directory of the target, it is bare: that directory is its root. Without, it is managed: its
    /// root is an empty folder of its own.
    pub fn plan(
        grounds: &Grounds,
        target: &TargetConfig,
        session: &SessionId,
        project: Option<&Path>,
    ) -> Locator {
        Locator::plan(grounds, target, session, project)
    }

    /// Makes the place of a session. It may be repeated.
    ///
    /// # Errors
    /// The target cannot be reached, or refuses. What is half made [`release_at`](Self::release_at)
    /// removes.
    pub async fn provision(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
    ) -> Result<Self, TargetError> {
        let (root, kind) = match locator.kind {
            LocatorKind::Local => (local::provision(&locator.ground)?, Kind::Local),
            _ => {
                let remote = Remote::provision(grounds, target, locator).await?;
                (remote.root().to_path_buf(), Kind::Remote(Box::new(remote)))
            }
        };
        Ok(Self::of(grounds, locator, root, kind))
    }

    /// Finds a place again that an earlier daemon has made, and ends what still runs there.
    ///
    /// # Errors
    /// It is gone, or the target cannot be reached.
    pub async fn attach(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
    ) -> Result<Self, TargetError> {
        let (root, kind) = match locator.kind {
            LocatorKind::Local => (local::find(&locator.ground.root())?, Kind::Local),
            _ => {
                let remote = Remote::attach(grounds, target, locator).await?;
                (remote.root().to_path_buf(), Kind::Remote(Box::new(remote)))
            }
        };
        Ok(Self::of(grounds, locator, root, kind))
    }

    fn of(grounds: &Grounds, locator: &Locator, root: PathBuf, kind: Kind) -> Self {
        Self {
            inner: Arc::new(Inner {
                grounds: grounds.clone(),
                locator: locator.clone(),
                root,
                kind,
            }),
        }
    }

    /// Where it is, to be kept, for [`attach`](Self::attach).
    pub fn locator(&self) -> &Locator {
        &self.inner.locator
    }

    /// The folder on the target that is the session's: its own, or the user's project.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// Whether the root was made for the session, and is removed with it.
    pub fn is_managed(&self) -> bool {
        matches!(self.inner.locator.ground, Ground::Managed(_))
    }

    /// A folder of the session's beside its root, where nothing of a repository is; it need not be
    /// there. None if the root is the user's.
    pub fn own_folder(&self, name: &str) -> Option<PathBuf> {
        if !self.is_managed() {
            return None;
        }
        Some(self.root().parent()?.join(name))
    }

    /// Where the harness keeps what it remembers of the session, so that a checkpoint can save it.
    /// None if the root is the user's: then the harness uses the user's own place.
    pub fn state_dir(&self) -> Option<PathBuf> {
        self.own_folder("state")
    }

    /// Starts a command.
    ///
    /// # Errors
    /// It cannot be started, with the target's reason.
    pub async fn spawn(&self, command: &TargetCommand) -> Result<Process, TargetError> {
        command.check()?;
        let Inner { grounds, kind, .. } = &*self.inner;
        match kind {
            Kind::Local => local::spawn(&grounds.supervisor, self.root(), command).await,
            Kind::Remote(remote) => remote.spawn(self.root(), command).await,
        }
    }

    /// Runs a command to its end, with `input` as its standard input.
    ///
    /// # Errors
    /// It cannot be started, takes longer than its deadline, or says more than its limit. A command
    /// that fails is no error here; see [`Output::ended`].
    pub async fn run(&self, command: &TargetCommand, input: &[u8]) -> Result<Output, TargetError> {
        let _turn = match &self.inner.kind {
            Kind::Local => None,
            Kind::Remote(remote) => Some(remote.turn().await),
        };
        let process = self.spawn(command).await?;
        run::to_its_end(process, command, input).await
    }

    /// Gives the place back: ends every process, and removes what was made for the session. A place
    /// that is gone is no error. With `keep_project` the folders of a managed place stay where they
    /// can, for a person to look at; a container or pod is always removed.
    ///
    /// # Errors
    /// Something is left, and what.
    pub async fn release(&self, keep_project: bool) -> Result<(), TargetError> {
        match &self.inner.kind {
            Kind::Local => local::release(&self.inner.locator.ground, keep_project).await,
            Kind::Remote(remote) => remote.release(keep_project).await,
        }
    }

    /// The same for a place that is not attached, also one that was only planned or half made.
    ///
    /// # Errors
    /// Something is left, and what; or the target cannot be reached.
    pub async fn release_at(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
        keep_project: bool,
    ) -> Result<(), TargetError> {
        match locator.kind {
            LocatorKind::Local => local::release(&locator.ground, keep_project).await,
            _ => Remote::release_at(grounds, target, locator, keep_project).await,
        }
    }
}
