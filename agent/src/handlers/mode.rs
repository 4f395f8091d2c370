//! `session/set_mode` and `session/set_config_option`: two ways to change one thing.
//!
//! Whichever way is used, the client is told the other way's view as well, so that both stay in
//! step for clients that follow only one of them.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes#setting-the-current-mode>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-config-options>

use std::sync::Arc;

use serde::Serialize;
use wire::Params;

use super::{Handled, Reply, later};
use crate::{
    acp,
    agent::Agent,
    error::RequestError,
    mode::{self, CONFIG_ID, Mode},
    record::Durability,
    session::Session,
    updates::Updates,
};

/// Changes the mode by its id.
pub(super) fn set_mode(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::SetSessionModeRequest = params.parse()?;
    let session = agent.sessions.get(&request.session_id)?;
    let mode = known(&request.mode_id.0)?;
    Ok(apply(
        agent,
        session,
        mode,
        acp::SetSessionModeResponse::new(),
    ))
}

/// Changes the mode by its config option.
pub(super) fn set_config_option(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::SetSessionConfigOptionRequest = params.parse()?;
    let session = agent.sessions.get(&request.session_id)?;
    let mode = chosen(&request)?;
    let answer = acp::SetSessionConfigOptionResponse::new(mode::config_options(mode));
    Ok(apply(agent, session, mode, answer))
}

/// Tells the client about a mode, in both of its forms.
///
/// # Errors
/// The client is gone.
pub async fn announce(updates: &Updates, mode: Mode) -> Result<(), wire::Closed> {
    let current = acp::CurrentModeUpdate::new(mode.id());
    updates
        .send(acp::SessionUpdate::CurrentModeUpdate(current))
        .await?;
    let options = acp::ConfigOptionUpdate::new(mode::config_options(mode));
    updates
        .send(acp::SessionUpdate::ConfigOptionUpdate(options))
        .await
}

/// The mode holds from here on, before anything that was sent later is looked at. Keeping it and
/// the answer may take a while and are spawned.
fn apply(
    agent: &Arc<Agent>,
    session: Arc<Session>,
    mode: Mode,
    answer: impl Serialize + Send + 'static,
) -> Reply {
    let changed = session.set_mode(mode);
    let updates = agent.updates(&session.id);
    later(agent, move |_| async move {
        if changed {
            // The client that is gone will not miss it.
            let _ = announce(&updates, mode).await;
            session.record.write(Durability::Synced).await?;
        }
        Ok(answer)
    })
}

fn chosen(request: &acp::SetSessionConfigOptionRequest) -> Result<Mode, RequestError> {
    if &*request.config_id.0 != CONFIG_ID {
        return Err(RequestError::InvalidParams(format!(
            "there is no config option with this id; the only one is {CONFIG_ID:?}"
        )));
    }
    match request.value.as_value_id() {
        Some(value) => known(&value.0),
        None => Err(RequestError::InvalidParams(
            "the value of this config option is the id of a mode".to_owned(),
        )),
    }
}

fn known(id: &str) -> Result<Mode, RequestError> {
    Mode::from_id(id).ok_or_else(|| {
        let ids: Vec<_> = Mode::ALL.into_iter().map(Mode::id).collect();
        RequestError::InvalidParams(format!(
            "there is no mode with this id; there are {}",
            ids.join(", ")
        ))
    })
}
