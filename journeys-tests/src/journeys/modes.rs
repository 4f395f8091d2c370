//! Journey `modes`: a Plan turn, a turn in the mode the session started in, a Plan turn again.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes#from-the-client>

use super::plan::{file_text, find_plan_mode, switch};
use crate::{permission::Rule, prompts, recording::PlanInputs, stage::Stage, trouble::Trouble};

/// Three turns, each in its mode.
pub(super) fn drive(
    stage: &mut Stage<'_>,
    first: &PlanInputs,
    created_file: &str,
    second: &PlanInputs,
) -> Result<(), Trouble> {
    for plan in [first, second] {
        stage.put_file(&plan.file, &file_text(plan))?;
    }
    stage.with_session(|session, _| {
        let switches = find_plan_mode(session)?;
        switch(session, &switches.plan)?;
        session.turn(&prompts::plan(first), Rule::PlanMode)?;
        switch(session, &switches.start)?;
        session.turn(&prompts::create_file(created_file), Rule::AllowAll)?;
        switch(session, &switches.plan)?;
        session.turn(&prompts::plan(second), Rule::PlanMode)
    })
}
