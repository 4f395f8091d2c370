//! Journey `load`: a word given to one process and asked for in the next, which loads the session.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-a-session>

use serde_json::Value;

use crate::{permission::Rule, prompts, stage::Stage, trouble::Trouble};

/// One turn, a new process, `session/load`, one turn.
pub(super) fn drive(stage: &mut Stage<'_>, word: &str) -> Result<(), Trouble> {
    let session_id = stage.with_session(|session, capabilities| {
        must_advertise(capabilities)?;
        session.turn(&prompts::remember(word), Rule::AllowAll)?;
        Ok(session.id.clone())
    })?;
    stage.with_agent(|client, capabilities| {
        must_advertise(capabilities)?;
        client.load_session(&session_id)?;
        client.turn(&session_id, &prompts::which_word(), Rule::AllowAll)
    })
}

/// A client must not call `session/load` of an agent that does not offer it.
pub(super) fn must_advertise(capabilities: &Value) -> Result<(), Trouble> {
    if capabilities["loadSession"] == true {
        return Ok(());
    }
    Err(Trouble::NotAdvertised {
        what: "agentCapabilities.loadSession".to_owned(),
    })
}
