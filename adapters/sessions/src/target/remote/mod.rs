//! Places that are reached through a client: another machine, a container, a pod.
//!
//! The client of a target (`ssh`, `podman exec`, `kubectl exec`) carries three streams, and is no
//! process of the target: when it is killed, what it stood for goes on. So a place has a *guard*, a
//! small shell script that runs where the commands run, ends them when it is told to, and ends all
//! of them when its own connection is gone, for example because the daemon was killed.
//!
//! ```text
//! daemon                                     target
//!   client of the guard  ==================  guard.sh -- kills by mark
//!   client of command 1  ==================  launcher -> command (mark ….1.)
//! ```
//!
//! What must stay true:
//!
//! - A command is started only while a guard is there, and carries the guard's mark.
//! - A new guard first ends what an earlier one has left. So a daemon that comes back after a crash,
//!   and a connection that was lost, both begin with nothing of the session running.
//!
//! What it cannot do: on another machine a process that leaves its session *and* clears its
//! environment *and* outlives its parent is found by nobody. In a container or pod it ends with it.

mod channel;
mod engine;
mod guard;
mod kubectl;
mod shell;
mod ssh;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use process_tree::Piped;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::ChildStdout,
    sync::{Mutex, Semaphore, SemaphorePermit},
    time::timeout,
};

use super::{Ground, Grounds, Locator, Process, TargetCommand, TargetError, locator::ROOT};
use crate::config::TargetConfig;
use channel::{Channel, Load};
use guard::{Guard, Mode};

/// The variable that carries the mark of a command.
const VARIABLE: &str = "ACP_SESSIONS_TREE";

/// How long a command may take to begin.
const BEGIN: Duration = Duration::from_secs(60);

/// How many commands are run beside each other. A server of ssh allows ten sessions on a connection
/// by default (sshd_config(5), `MaxSessions`), of which the guard and the harness need one each.
const RUNS: usize = 6;

/// How much of a login's own words is passed over.
const NOISE: usize = 64 * 1024;

/// How much of a complaint is told.
const COMPLAINT: u64 = 4 * 1024;

/// What may be left of a command on a target. Dropping it ends it without waiting.
#[derive(Debug)]
pub(super) struct Remaining {
    guard: Arc<Guard>,
    number: u64,
    is_gone: bool,
}

impl Remaining {
    /// Ends what is left, once.
    pub(super) async fn clear(&mut self) -> Result<(), String> {
        if !self.is_gone {
            self.guard.end(self.number).await?;
            self.is_gone = true;
        }
        Ok(())
    }
}

impl Drop for Remaining {
    fn drop(&mut self) {
        if !self.is_gone {
            self.guard.ask_to_end(self.number);
        }
    }
}

/// A place that is reached through a client.
#[derive(Debug)]
pub(super) struct Remote {
    grounds: Grounds,
    channel: Channel,
    locator: Locator,
    root: PathBuf,
    /// The guard that is there, or was.
    guard: Mutex<Arc<Guard>>,
    /// How many commands were started.
    commands: AtomicU64,
    /// How many more may be run beside each other.
    turns: Semaphore,
}

impl Remote {
    /// The folder in which the session works, as the target calls it.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Makes the place, or finishes what was begun.
    pub(super) async fn provision(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
    ) -> Result<Self, TargetError> {
        let channel = Channel::open(grounds, target, locator).await?;
        channel.make(grounds).await?;
        Self::enter(grounds, channel, locator, Mode::Make).await
    }

    /// Finds it again, and ends what still runs there.
    pub(super) async fn attach(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
    ) -> Result<Self, TargetError> {
        let channel = Channel::open(grounds, target, locator).await?;
        channel.find(grounds).await?;
        Self::enter(grounds, channel, locator, Mode::Find).await
    }

    async fn enter(
        grounds: &Grounds,
        channel: Channel,
        locator: &Locator,
        mode: Mode,
    ) -> Result<Self, TargetError> {
        let mode = match locator.ground {
            Ground::Managed(_) => mode,
            Ground::Project(_) => Mode::Project,
        };
        let guard = guard(grounds, &channel, locator, mode).await?;
        let folder = PathBuf::from(&guard.folder);
        Ok(Self {
            grounds: grounds.clone(),
            channel,
            locator: locator.clone(),
            root: match locator.ground {
                Ground::Managed(_) => folder.join(ROOT),
                Ground::Project(_) => folder,
            },
            guard: Mutex::new(Arc::new(guard)),
            commands: AtomicU64::new(1),
            turns: Semaphore::new(RUNS),
        })
    }

    /// A guard that is there. One that was lost is replaced, which ends all that it guarded.
    async fn guarded(&self) -> Result<Arc<Guard>, TargetError> {
        let mut guard = self.guard.lock().await;
        if !guard.is_there() {
            tracing::warn!(
                target = self.channel.told(),
                "its guard is gone and is replaced"
            );
            let mode = match self.locator.ground {
                Ground::Managed(_) => Mode::Find,
                Ground::Project(_) => Mode::Project,
            };
            self.channel.find(&self.grounds).await?;
            *guard =
                Arc::new(self::guard(&self.grounds, &self.channel, &self.locator, mode).await?);
        }
        Ok(Arc::clone(&guard))
    }

    /// Waits for the turn of a command that is run to its end.
    pub(super) async fn turn(&self) -> Option<SemaphorePermit<'_>> {
        // It is never closed.
        self.turns.acquire().await.ok()
    }

    /// Starts a command, and returns when it begins.
    pub(super) async fn spawn(
        &self,
        root: &Path,
        command: &TargetCommand,
    ) -> Result<Process, TargetError> {
        let guard = self.guarded().await?;
        let number = self.commands.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}.{}.{number}.", guard.session, guard.generation);
        let words = self.channel.words(Load::Command, &guard.generation);
        let mut piped = channel::client(&self.grounds, words).await?;
        // From here on, whatever happens, nothing of it stays.
        let mut remaining = Remaining {
            guard,
            number,
            is_gone: false,
        };
        let mut lines = shell::marking(VARIABLE, &mark);
        lines.extend(shell::starting(command, root, &mark));
        let ready = format!("{}{mark}\n", shell::READY);
        let begin = async {
            // If nobody reads it, nobody says that it begins.
            let _ = piped.stdin.write_all(&lines).await;
            has_begun(&mut piped.stdout, ready.as_bytes()).await
        };
        let said = match timeout(BEGIN, begin).await {
            Ok(true) => return Ok(Process::new(piped, Some(remaining))),
            Ok(false) => complaint(&mut piped).await,
            Err(_) => format!("it did not begin within {} seconds", BEGIN.as_secs()),
        };
        piped.tree.end().await;
        let _ = remaining.clear().await;
        Err(TargetError::NotStarted {
            program: command.program().to_owned(),
            target: self.channel.told(),
            said,
        })
    }

    /// Gives the place back.
    pub(super) async fn release(&self, keep_project: bool) -> Result<(), TargetError> {
        if self.channel.remove(&self.grounds).await? {
            return Ok(());
        }
        let guard = self.guarded().await?;
        clear(&self.channel, &guard, &self.locator, keep_project).await
    }

    /// The same for a place that is not attached.
    pub(super) async fn release_at(
        grounds: &Grounds,
        target: &TargetConfig,
        locator: &Locator,
        keep_project: bool,
    ) -> Result<(), TargetError> {
        let channel = Channel::open(grounds, target, locator).await?;
        if channel.remove(grounds).await? {
            return Ok(());
        }
        let guard = guard(grounds, &channel, locator, Mode::Any).await?;
        clear(&channel, &guard, locator, keep_project).await
    }
}

/// Starts a guard.
async fn guard(
    grounds: &Grounds,
    channel: &Channel,
    locator: &Locator,
    mode: Mode,
) -> Result<Guard, TargetError> {
    let generation = format!("{:08x}", rand::random::<u32>());
    let words = channel.words(Load::Guard, &generation);
    let piped = channel::client(grounds, words).await?;
    let folder = match &locator.ground {
        Ground::Managed(folder) | Ground::Project(folder) => folder.as_os_str(),
    };
    let session = locator.session.as_str();
    let folder = folder.as_encoded_bytes();
    Guard::begin(piped, &channel.told(), session, &generation, mode, folder).await
}

/// Ends everything there, and removes the folder if it is the session's.
async fn clear(
    channel: &Channel,
    guard: &Guard,
    locator: &Locator,
    keep_project: bool,
) -> Result<(), TargetError> {
    let remove = matches!(locator.ground, Ground::Managed(_)) && !keep_project;
    guard
        .clear(remove)
        .await
        .map_err(|said| TargetError::Place {
            target: channel.told(),
            what: "the session's place cannot be given back",
            said,
        })
}

/// Reads up to the line `ready`, a byte at a time, because what follows is the command's.
async fn has_begun(stdout: &mut ChildStdout, ready: &[u8]) -> bool {
    let mut line = Vec::new();
    let mut byte = [0];
    for _ in 0..NOISE {
        match stdout.read(&mut byte).await {
            Ok(1) => line.push(byte[0]),
            _ => return false,
        }
        if line.ends_with(ready) {
            return true;
        }
    }
    false
}

/// What a client that has ended complained about.
async fn complaint(piped: &mut Piped) -> String {
    let mut said = Vec::new();
    let mut stderr = (&mut piped.stderr).take(COMPLAINT);
    let read = timeout(Duration::from_secs(5), stderr.read_to_end(&mut said)).await;
    let text = String::from_utf8_lossy(&said).trim().to_owned();
    if read.is_err() || text.is_empty() {
        return format!("it ended before it began {text}").trim().to_owned();
    }
    text
}
