//! Journey `reply`: one turn whose reply is an exact marker.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use crate::{permission::Rule, prompts, stage::Stage, trouble::Trouble};

/// One turn.
pub(super) fn drive(stage: &mut Stage<'_>, marker: &str) -> Result<(), Trouble> {
    stage.with_session(|session, _| session.turn(&prompts::reply(marker), Rule::AllowAll))
}
