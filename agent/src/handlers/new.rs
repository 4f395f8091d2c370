//! `session/new`.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session>

use std::sync::Arc;

use wire::Params;

use super::{Handled, commands, setup};
use crate::{
    acp,
    agent::Agent,
    clock::timestamp,
    error::RequestError,
    mode,
    record::Record,
    session::{Session, memory::Memory, registry::Place},
    store::{FORMAT, Header},
    tools::Scope,
};

/// Makes a session and answers with its id and its modes.
pub(super) fn new(agent: &Arc<Agent>, params: &Params) -> Handled {
    setup::check_entries(params)?;
    let request: acp::NewSessionRequest = params.parse()?;
    let scope = setup::scope(&request.cwd, &request.additional_directories)?;
    setup::check_servers(&request.mcp_servers)?;
    let place = agent.sessions.place()?;
    let owner = Arc::clone(agent);
    Ok(commands::opening(agent, move |_| async move {
        let answer = create(&owner, scope, place, request).await?;
        Ok((answer.session_id.clone(), answer))
    }))
}

async fn create(
    agent: &Arc<Agent>,
    scope: Scope,
    place: Place,
    request: acp::NewSessionRequest,
) -> Result<acp::NewSessionResponse, RequestError> {
    let id = format!("sess_{:032x}", rand::random::<u128>());
    let header = Header {
        format: FORMAT,
        session_id: id.clone(),
        cwd: request.cwd,
        additional_directories: request.additional_directories,
        created: timestamp(),
    };
    // First what may fail without a trace, then the file.
    let servers = setup::start_servers(agent, request.mcp_servers, &scope.cwd).await?;
    let store = agent.store.clone();
    let log = tokio::task::spawn_blocking(move || store.create(&header))
        .await
        .map_err(|error| RequestError::Internal(format!("making the session: {error}")))??;
    let id = acp::SessionId::new(id);
    let mode = agent.config.mode;
    let session = Session::new(
        id.clone(),
        scope,
        Record::new(log),
        servers,
        mode,
        Memory::default(),
    );
    agent.sessions.insert(Arc::new(session), place);
    Ok(acp::NewSessionResponse::new(id)
        .modes(mode::session_modes(mode))
        .config_options(mode::config_options(mode)))
}
