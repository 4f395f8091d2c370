//! Journey `refused-permission`: what the agent asks for is refused.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use crate::{permission::Rule, prompts, stage::Stage, trouble::Trouble};

/// One turn in which nothing is allowed.
pub(super) fn drive(stage: &mut Stage<'_>) -> Result<(), Trouble> {
    stage.with_session(|session, _| session.turn(&prompts::ask_permission(), Rule::RefuseAll))
}
