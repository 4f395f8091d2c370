//! `session/load`: the whole conversation again, then the answer; and `session/resume`: the answer.
//!
//! The two differ in one thing, whether the client is shown what is read, so they are one code.
//! The lines of the store are sent as they are read, so that a long session needs no more memory
//! than a short one, and a client that reads slowly slows the reading down.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions>

use std::{path::PathBuf, sync::Arc};

use serde::Serialize;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use wire::Params;

use super::{Handled, commands, setup};
use crate::{
    acp,
    agent::{self, Agent},
    clock::timestamp,
    error::RequestError,
    limits,
    mode::{self, Mode},
    record::Record,
    replay,
    session::{Session, memory::Memory},
    store::{Item, Store, TurnEnd},
    tools::Scope,
    updates::Updates,
};

/// Opens a stored session and replays it.
pub(super) fn load(agent: &Arc<Agent>, params: &Params) -> Handled {
    setup::check_entries(params)?;
    let request: acp::LoadSessionRequest = params.parse()?;
    let wanted = Wanted {
        id: request.session_id,
        cwd: request.cwd,
        additional_directories: request.additional_directories,
        mcp_servers: request.mcp_servers,
        replay: true,
    };
    reopen(agent, wanted, |mode| {
        acp::LoadSessionResponse::new()
            .modes(mode::session_modes(mode))
            .config_options(mode::config_options(mode))
    })
}

/// Opens a stored session without a word of what was said in it.
pub(super) fn resume(agent: &Arc<Agent>, params: &Params) -> Handled {
    setup::check_entries(params)?;
    let request: acp::ResumeSessionRequest = params.parse()?;
    let wanted = Wanted {
        id: request.session_id,
        cwd: request.cwd,
        additional_directories: request.additional_directories,
        mcp_servers: request.mcp_servers,
        replay: false,
    };
    reopen(agent, wanted, |mode| {
        acp::ResumeSessionResponse::new()
            .modes(mode::session_modes(mode))
            .config_options(mode::config_options(mode))
    })
}

/// What both requests ask for.
struct Wanted {
    id: acp::SessionId,
    cwd: PathBuf,
    additional_directories: Vec<PathBuf>,
    mcp_servers: Vec<acp::McpServer>,
    replay: bool,
}

/// Takes the id at once, so that nothing else can use it meanwhile, and spawns the rest.
fn reopen<A: Serialize + Send + 'static>(
    agent: &Arc<Agent>,
    wanted: Wanted,
    answer: impl FnOnce(Mode) -> A + Send + 'static,
) -> Handled {
    let scope = setup::scope(&wanted.cwd, &wanted.additional_directories)?;
    setup::check_servers(&wanted.mcp_servers)?;
    let open = agent.sessions.start_loading(&wanted.id)?;
    let owner = Arc::clone(agent);
    Ok(commands::opening(agent, move |responder| {
        let taken_back = responder.cancelled();
        async move {
            if let Some(open) = open {
                agent::end(&open, limits::TURNS_END).await;
            }
            let id = wanted.id.clone();
            let opened = open_session(&owner, scope, wanted, taken_back).await;
            if opened.is_err() {
                owner.sessions.remove(&id);
            }
            opened.map(|mode| (id, answer(mode)))
        }
    }))
}

/// Reads the session, and puts it into its place.
async fn open_session(
    agent: &Arc<Agent>,
    scope: Scope,
    wanted: Wanted,
    taken_back: CancellationToken,
) -> Result<Mode, RequestError> {
    let place = agent.sessions.place()?;
    let reading = Reading {
        store: agent.store.clone(),
        updates: agent.updates(&wanted.id),
        replay: wanted.replay,
        mode: agent.config.mode,
        stops: [taken_back, agent.ending.clone()],
    };
    let runtime = Handle::current();
    // A load sits on a thread of the disk as long as its client does not read.
    let Ok(_turn) = agent.loads.acquire().await else {
        return Err(RequestError::ShuttingDown);
    };
    let loaded = tokio::task::spawn_blocking(move || reading.run(&runtime))
        .await
        .map_err(|error| RequestError::Internal(format!("loading the session: {error}")))??;
    let Loaded {
        record,
        memory,
        mode,
    } = loaded;
    let servers = setup::start_servers(agent, wanted.mcp_servers, &scope.cwd).await?;
    let session = Session::new(wanted.id, scope, record, servers, mode, memory);
    agent.sessions.insert(Arc::new(session), place);
    Ok(mode)
}

/// A load on its way, on a thread that may block.
struct Reading {
    store: Store,
    updates: Updates,
    replay: bool,
    mode: Mode,
    stops: [CancellationToken; 2],
}

/// What a load gives.
struct Loaded {
    record: Record,
    memory: Memory,
    mode: Mode,
}

impl Reading {
    /// Reads the session, item by item: to the client, and into the memory.
    fn run(self, runtime: &Handle) -> Result<Loaded, RequestError> {
        let (mut memory, mut mode) = (Memory::default(), self.mode);
        let opened = self.store.open(&self.updates.session_id().0)?;
        let replayed = opened.replay(|item| {
            if self.stops.iter().any(CancellationToken::is_cancelled) {
                return Err(RequestError::Cancelled);
            }
            if self.replay {
                runtime.block_on(self.show(&item))?;
            }
            if let Item::Mode { id } = &item {
                mode = Mode::from_id(id).unwrap_or(mode);
            }
            memory.take_in(&item);
            Ok(())
        })?;
        let record = Record::new(replayed.log);
        if replayed.interrupted {
            let end = Item::TurnEnd {
                end: TurnEnd::Interrupted,
                at: timestamp(),
            };
            memory.take_in(&end);
            // Kept with the next turn: a session that is only looked at is not written to.
            record.push(end);
        }
        Ok(Loaded {
            record,
            memory,
            mode,
        })
    }

    /// Waits for a client that is behind, until somebody stops the load.
    async fn show(&self, item: &Item) -> Result<(), RequestError> {
        let [taken_back, ending] = &self.stops;
        for update in replay::updates(item) {
            tokio::select! {
                biased;
                () = taken_back.cancelled() => return Err(RequestError::Cancelled),
                () = ending.cancelled() => return Err(RequestError::ShuttingDown),
                sent = self.updates.send(update) => sent.map_err(|_| RequestError::ShuttingDown)?,
            }
        }
        Ok(())
    }
}
