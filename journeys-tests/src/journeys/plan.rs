//! Journey `plan`: in Plan mode a file is read with cat, a plan with its content is saved and read back.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes#setting-the-current-mode>

use super::random;
use crate::{
    mode_rule::{self, ModeSwitch, ModeSwitches},
    permission::Rule,
    prompts,
    recording::PlanInputs,
    stage::{Session, Stage},
    trouble::Trouble,
};

/// One Plan turn.
pub(super) fn drive(stage: &mut Stage<'_>, plan: &PlanInputs) -> Result<(), Trouble> {
    stage.put_file(&plan.file, &file_text(plan))?;
    stage.with_session(|session, _| {
        let switches = find_plan_mode(session)?;
        switch(session, &switches.plan)?;
        session.turn(&prompts::plan(plan), Rule::PlanMode)
    })
}

/// The values of a Plan turn that reads this file.
pub(super) fn make_up(file: &str) -> PlanInputs {
    PlanInputs {
        title: format!("Plan {}", random("TITLE-")),
        file: file.to_owned(),
        text: format!("Three boats wait for {}.", random("TIDE-")),
    }
}

/// The file as it lies in the workspace.
pub(super) fn file_text(plan: &PlanInputs) -> String {
    format!("{}\n", plan.text)
}

/// Where Plan mode is in this session.
pub(super) fn find_plan_mode(session: &Session<'_>) -> Result<ModeSwitches, Trouble> {
    mode_rule::find(&session.opened).ok_or_else(|| Trouble::NotAdvertised {
        what: "a Plan mode in modes or in a configOptions entry of the category mode".to_owned(),
    })
}

/// Changes the mode and waits for the answer.
pub(super) fn switch(session: &mut Session<'_>, to: &ModeSwitch) -> Result<(), Trouble> {
    session
        .client
        .set_mode(to.method(), &to.params(&session.id))
}
