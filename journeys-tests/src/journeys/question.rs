//! Journey `question`: the agent asks the user something and works with the answer.
//!
//! A client that offers elicitation is asked with it; an agent that has none asks in words and gets the
//! answer as the next prompt.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/elicitation>

use crate::{elicitation, permission::Rule, prompts, stage::Stage, trouble::Trouble};

/// The turn of the question; a second one with the answer if the question came as text.
pub(super) fn drive(stage: &mut Stage<'_>, answer: &str) -> Result<(), Trouble> {
    stage.with_user(&elicitation::capabilities(), answer, |session| {
        session.turn(&prompts::ask_user(), Rule::AllowAll)?;
        if session.client.connection().has_asked_the_user() {
            return Ok(());
        }
        session.turn(&prompts::answer(answer), Rule::AllowAll)
    })
}
