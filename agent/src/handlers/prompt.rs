//! `session/prompt`: takes the session's turn, in the order in which prompts came, and spawns it.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#1-user-message>

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use wire::Params;

use super::Handled;
use crate::{acp, agent::Agent, prompt, trace::Trace, turn};

/// The params, with the blocks unread: one of a type that v1 does not know must not spoil the rest.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptParams {
    session_id: acp::SessionId,
    prompt: Vec<Box<RawValue>>,
    #[serde(default, rename = "_meta")]
    meta: Option<Value>,
}

/// Starts a turn. It is registered before its task is spawned, so a cancel that was written behind
/// the prompt finds it.
pub(super) fn prompt(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: PromptParams = params.parse()?;
    let session = agent.sessions.get(&request.session_id)?;
    let prompt = turn::Prompt {
        content: prompt::blocks(&request.prompt)?,
        trace: Trace::of(request.meta.as_ref()),
    };
    let begun = session.begin()?;
    let agent = Arc::clone(agent);
    Ok(Box::new(move |responder, _| {
        let (tasks, turns) = (agent.tasks.clone(), session.tasks.clone());
        tasks.spawn(turns.track_future(turn::run(agent, session, begun, prompt, responder)));
    }))
}
