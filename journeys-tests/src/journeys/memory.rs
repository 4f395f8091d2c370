//! Journey `memory`: a word given in one turn and asked for in the next, in one process.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#6-continue-conversation>

use crate::{permission::Rule, prompts, stage::Stage, trouble::Trouble};

/// Two turns of one session.
pub(super) fn drive(stage: &mut Stage<'_>, word: &str) -> Result<(), Trouble> {
    stage.with_session(|session, _| {
        session.turn(&prompts::remember(word), Rule::AllowAll)?;
        session.turn(&prompts::which_word(), Rule::AllowAll)
    })
}
