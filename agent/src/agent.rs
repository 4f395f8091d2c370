//! The agent as a whole: what every handler and every turn can reach.
//!
//! There is one for each connection. It holds no state of its own but the registry of sessions;
//! the rest is fixed when the connection begins.

use std::{
    ffi::OsString,
    sync::{Arc, OnceLock},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use wire::Peer;

use crate::{
    acp,
    cli::Config,
    client::Client,
    error::RequestError,
    files, limits,
    login::Login,
    mcp::Servers,
    mode::{self, Mode},
    model::Model,
    proc::{self, Supervisor},
    session::{Session, registry::Registry, servers::ToolServers},
    store::Store,
    tools::{self, Tool},
    updates::Updates,
};

/// Everything that belongs to one connection.
pub struct Agent {
    /// How it was started.
    pub config: Config,
    /// The client.
    pub peer: Peer,
    /// What the client offered in its first `initialize`; until then, nothing.
    pub offers: OnceLock<Arc<acp::ClientCapabilities>>,
    /// Whether somebody is logged in.
    pub login: Login,
    /// The sessions on the disk.
    pub store: Store,
    /// The sessions that are open.
    pub sessions: Registry,
    /// What answers.
    pub model: Arc<dyn Model>,
    /// What starts processes.
    pub supervisor: Supervisor,
    /// The environment of commands and tool servers, without what a client adds.
    pub environment: Arc<Vec<(OsString, OsString)>>,
    /// The tools that every session has.
    pub tools: Vec<Arc<dyn Tool>>,
    /// All that runs beside the loop of the connection, to be waited for at the end.
    pub tasks: TaskTracker,
    /// One permit for each load that may read now.
    pub loads: Semaphore,
    /// One permit for each KiB of requests that may be worked on now.
    requests: Arc<Semaphore>,
    /// Flipped when the agent is on its way out: new work is refused.
    pub closing: CancellationToken,
    /// Flipped when what was begun has had its time: loads and starts stop too.
    pub ending: CancellationToken,
}

impl Agent {
    /// The agent for this client.
    #[must_use]
    pub fn new(config: Config, peer: Peer, model: Arc<dyn Model>, supervisor: Supervisor) -> Self {
        Self {
            login: Login::new(&config.state_dir, config.require_auth),
            store: Store::new(config.state_dir.clone()),
            environment: Arc::new(proc::base_environment(&config.pass_env)),
            tools: tools::built_in(&mode::session_modes(Mode::Default).available_modes),
            config,
            peer,
            offers: OnceLock::new(),
            sessions: Registry::new(files::sessions()),
            model,
            supervisor,
            tasks: TaskTracker::new(),
            loads: Semaphore::new(limits::LOADS_AT_ONCE),
            requests: Arc::new(Semaphore::new(limits::REQUESTS_AT_ONCE as usize)),
            closing: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    /// The way to tell the client about a session.
    #[must_use]
    pub fn updates(&self, session_id: &acp::SessionId) -> Updates {
        Updates::new(self.peer.clone(), session_id.clone(), self.config.plain)
    }

    /// The client, as the tools of this session see it.
    #[must_use]
    pub fn client(&self, session_id: &acp::SessionId) -> Client {
        let offers = self.offers.get().cloned().unwrap_or_default();
        Client::new(self.updates(session_id), offers)
    }

    /// Starts tool servers for a session that works in `cwd`.
    #[must_use]
    pub fn start_servers(
        &self,
        servers: Vec<acp::McpServer>,
        cwd: &std::path::Path,
    ) -> ToolServers {
        let cwd = cwd.to_owned();
        let supervisor = self.supervisor.clone();
        let environment = Arc::clone(&self.environment);
        ToolServers::start(async move {
            Servers::start(&servers, &cwd, &supervisor, &environment).await
        })
    }

    /// Waits until there is room to work on one more request, but not for long.
    pub async fn pace(&self) {
        if self.requests.available_permits() < limits::REQUEST_COUNTS as usize {
            let room = self.requests.acquire_many(limits::REQUEST_COUNTS);
            let _ = timeout(limits::PACE, room).await;
        }
    }

    /// Takes room to work on a request with so many bytes of params. What is larger than all the
    /// room there is takes all of it.
    ///
    /// # Errors
    /// `TooManyRequests` when there is none.
    pub fn room(&self, bytes: usize) -> Result<OwnedSemaphorePermit, RequestError> {
        let counts = u32::try_from(bytes / 1024).unwrap_or(u32::MAX);
        let counts = counts.clamp(limits::REQUEST_COUNTS, limits::REQUESTS_AT_ONCE);
        let room = Arc::clone(&self.requests).try_acquire_many_owned(counts);
        room.map_err(|_| RequestError::TooManyRequests)
    }

    /// Ends everything that runs, within the budget of a shutdown, and returns whether all of it
    /// has ended.
    pub async fn shut_down(&self) -> bool {
        let saved_by = Instant::now() + limits::SAVED_BY;
        self.closing.cancel();
        self.tasks.close();
        let sessions = self.sessions.all();
        sessions.iter().for_each(|session| session.stop_waits());
        let _ = timeout(limits::LAST_WORDS, self.tasks.wait()).await;
        self.ending.cancel();
        let sessions = self.sessions.all();
        sessions.iter().for_each(|session| session.cancel());
        let turns = timeout(limits::TURNS_END, self.tasks.wait()).await;
        // Once more: a session may have been opened meanwhile, with tool servers.
        let sessions = self.sessions.all();
        // The turns have had their time; those that are left are ended with the process.
        let ends = sessions.iter().map(|session| end(session, Duration::ZERO));
        // A disk may hang, and the process must end all the same.
        let ended = timeout_at(saved_by, futures::future::join_all(ends)).await;
        turns.is_ok() && ended.is_ok_and(|ended| ended.into_iter().all(|saved| saved))
    }
}

/// Ends a session: its turn, for which it waits that long, its tool servers, its record and its
/// file. Returns whether all has ended and was saved.
pub async fn end(session: &Session, turn: Duration) -> bool {
    session.close();
    session.tasks.close();
    let _ = timeout(turn, session.tasks.wait()).await;
    let ended = session.servers.end(limits::SERVERS_END).await;
    if !ended {
        tracing::error!(session = %session.id, "a tool server could not be ended in time");
    }
    match session.record.close().await {
        Ok(()) => ended,
        Err(error) => {
            tracing::error!(session = %session.id, %error, "the session could not be saved");
            false
        }
    }
}
