//! `session/list`: the sessions on the disk, a page at a time.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-list>

use std::sync::Arc;

use wire::Params;

use super::{Handled, later, setup};
use crate::{
    acp,
    agent::Agent,
    clock,
    error::RequestError,
    store::{Page, Summary},
};

/// Sessions on one page: more than a person looks at, and few enough files to open in no time.
const PAGE: usize = 50;

/// Answers with the sessions behind the cursor, the latest first.
pub(super) fn list(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::ListSessionsRequest = params.parse()?;
    if let Some(cwd) = &request.cwd {
        setup::check_absolute(cwd)?;
    }
    let store = agent.store.clone();
    Ok(later(agent, move |_| async move {
        let read = move || store.list(request.cwd.as_deref(), request.cursor.as_deref(), PAGE);
        let page = tokio::task::spawn_blocking(read)
            .await
            .map_err(|error| RequestError::Internal(format!("listing the sessions: {error}")))??;
        Ok(answer(page))
    }))
}

fn answer(page: Page) -> acp::ListSessionsResponse {
    let sessions = page.sessions.into_iter().map(info).collect();
    acp::ListSessionsResponse::new(sessions).next_cursor(page.next_cursor)
}

fn info(summary: Summary) -> acp::SessionInfo {
    acp::SessionInfo::new(summary.session_id, summary.cwd)
        .additional_directories(summary.additional_directories)
        .title(summary.title)
        .updated_at(clock::timestamp_of(summary.updated_at))
}
