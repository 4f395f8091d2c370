//! Journey `model-failure`: the model fails in one turn and works again in the next.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>

use crate::{permission::Rule, prompts, stage::Stage, trouble::Trouble};

/// A turn that fails, and a turn after it. An error is what the first one is about, not a trouble.
pub(super) fn drive(stage: &mut Stage<'_>, marker: &str) -> Result<(), Trouble> {
    stage.with_session(|session, _| {
        match session.turn(&prompts::fail(), Rule::AllowAll) {
            Ok(()) | Err(Trouble::Refused { .. }) => {}
            Err(other) => return Err(other),
        }
        session.turn(&prompts::reply(marker), Rule::AllowAll)
    })
}
