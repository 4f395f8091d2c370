//! The daemon: one process a user, which owns the sessions.
//!
//! ```text
//! owner lock -> store -> recovery (every session settled) -> listener -> endpoint file -> requests
//! signal -> 503 -> turns interrupted -> harnesses ended -> store closed -> endpoint file removed
//! ```
//!
//! What must stay true:
//!
//! - Only the process that holds the owner lock opens the store or starts anything.
//! - However the daemon ends, no session is lost: what was accepted is in the store, and the next
//!   start settles what was in the middle of something.
//! - A turn that ran when the daemon ended is interrupted, never finished.

mod end;
pub(crate) mod harness;
mod http;
mod owner;
mod recover;
pub(crate) mod refusal;
pub(crate) mod session;
mod work;

use std::{
    collections::HashMap,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    api::SessionId,
    config::{Config, ConfigError},
    instance::Instance,
    limits,
    store::{Store, StoreError, now},
    target::Grounds,
};
use session::Session;

/// How many harnesses may be started at once. After a restart every live session needs its own.
const LAUNCHES: usize = 16;

/// Why the daemon did not start, or did not end well.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another daemon owns the data directory.
    #[error("another daemon owns {path}; see acp-sessions api-info", path = .0.display())]
    Owned(PathBuf),
    /// A file of the data directory.
    #[error("cannot {what} {path}: {source}", path = path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The loopback address, or the signals.
    #[error("cannot {what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

/// What all parts of the daemon share.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) instance: Instance,
    pub(crate) store: Store,
    pub(crate) grounds: Grounds,
    /// Flipped when the daemon begins to end: no request is admitted any more.
    pub(crate) ending: CancellationToken,
    /// Everything that must have ended before the daemon does.
    pub(crate) tasks: TaskTracker,
    /// Room for harnesses that start.
    pub(crate) launches: Semaphore,
    /// Room for lifecycle operations that clients ask for.
    pub(crate) actions: Arc<Semaphore>,
    pub(crate) action_limit: usize,
    pub(crate) started_at: i64,
    sessions: Mutex<HashMap<SessionId, Arc<Session>>>,
}

impl Daemon {
    fn new(instance: Instance, store: Store) -> Self {
        let grounds = Grounds {
            supervisor: process_tree::Supervisor::new(),
            folder: instance.places_dir(),
        };
        let action_limit = limits::actions();
        Self {
            instance,
            store,
            grounds,
            ending: CancellationToken::new(),
            tasks: TaskTracker::new(),
            launches: Semaphore::new(LAUNCHES),
            actions: Arc::new(Semaphore::new(action_limit)),
            action_limit,
            started_at: now(),
            sessions: Mutex::default(),
        }
    }

    /// A session, if there is one.
    pub(crate) fn session(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.table().get(id).cloned()
    }

    /// All sessions, the newest first.
    pub(crate) fn sessions(&self) -> Vec<Arc<Session>> {
        let mut sessions: Vec<_> = self.table().values().cloned().collect();
        sessions.sort_by_cached_key(|session| {
            let created = session.lock().row.created_at;
            (std::cmp::Reverse(created), session.id.clone())
        });
        sessions
    }

    pub(crate) fn session_count(&self) -> usize {
        self.table().len()
    }

    /// A session has been stored.
    pub(crate) fn remember(&self, session: Arc<Session>) {
        self.table().insert(session.id.clone(), session);
    }

    /// A session is not stored any more.
    pub(crate) fn forget(&self, id: &SessionId) {
        self.table().remove(id);
    }

    fn table(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs the daemon of an instance until SIGTERM or SIGINT.
///
/// # Errors
/// It did not start, see [`DaemonError`].
pub async fn run(instance: Instance) -> Result<(), DaemonError> {
    process_tree::init();
    let mut terminate = listen(SignalKind::terminate())?;
    let mut interrupt = listen(SignalKind::interrupt())?;
    // Heard and not heeded: the terminal of whoever needed a daemon first is not its own.
    let _hangup = listen(SignalKind::hangup())?;
    owner::make_folders(&instance)?;
    let _owned = owner::own(&instance).await?;
    Config::load(&instance.config_file())?;
    owner::make_store(&instance)?;
    let store = Store::open(&instance.store_file())?;
    let token = owner::token(&instance)?;
    let daemon = Arc::new(Daemon::new(instance, store));
    recover::recover(&daemon).await?;

    let system = |what| move |source| DaemonError::System { what, source };
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.map_err(system("listen on the loopback address"))?;
    let address = listener
        .local_addr()
        .map_err(system("learn its own address"))?;
    let served = http::serve(&daemon, listener, &token);
    owner::publish(&daemon.instance, address)?;
    tracing::info!(%address, pid = std::process::id(), "the daemon answers");

    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    tracing::info!("the daemon ends");
    end::end(&daemon, served).await;
    owner::withdraw(&daemon.instance);
    process_tree::sweep().await;
    Ok(())
}

fn listen(kind: SignalKind) -> Result<tokio::signal::unix::Signal, DaemonError> {
    let what = "listen for signals";
    signal(kind).map_err(|source| DaemonError::System { what, source })
}
