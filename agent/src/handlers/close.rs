//! `session/close` and `session/delete`: the end of a session here, and for good.
//!
//! Both stop the turn as a cancel does and wait for it: when they are answered, the prompt has
//! been, no process is left, and nothing writes to the session's file any more. So a turn cannot
//! bring a deleted session back.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-delete>

use std::sync::Arc;

use wire::Params;

use super::{Handled, later};
use crate::{
    acp,
    agent::{self, Agent},
    error::RequestError,
    limits,
};

/// Ends an open session. It can be loaded again.
pub(super) fn close(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::CloseSessionRequest = params.parse()?;
    let session = agent.sessions.start_closing(&request.session_id)?;
    let closing = Arc::clone(agent);
    Ok(later(agent, move |_| async move {
        let saved = agent::end(&session, limits::TURNS_END).await;
        closing.sessions.remove(&session.id);
        if saved {
            return Ok(acp::CloseSessionResponse::new());
        }
        let reason = "the session is closed, but not all of it could be saved; see the log";
        Err(RequestError::Internal(reason.to_owned()))
    }))
}

/// Removes a session, open or not. One that does not exist is removed already.
pub(super) fn delete(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::DeleteSessionRequest = params.parse()?;
    let id = request.session_id;
    let open = agent.sessions.start_deleting(&id)?;
    let deleting = Arc::clone(agent);
    Ok(later(agent, move |_| async move {
        if let Some(session) = open {
            agent::end(&session, limits::TURNS_END).await;
        }
        let (store, stored) = (deleting.store.clone(), id.clone());
        let deleted = tokio::task::spawn_blocking(move || store.delete(&stored.0)).await;
        deleting.sessions.remove(&id);
        deleted
            .map_err(|error| RequestError::Internal(format!("deleting the session: {error}")))??;
        Ok(acp::DeleteSessionResponse::new())
    }))
}
