//! `switch_mode`: the model asks to go on in another mode.
//!
//! The tool only checks the mode's id. Whether the switch is allowed is for the policy, which asks
//! the user before the session may do more; the switch itself is made by the turn.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes#exiting-plan-modes>

use serde_json::{Value, json};
use stub_model::ToolSpec;

use super::{Effect, Prepared, Scope, SessionChange, Tool, ToolError, arguments::Arguments, job};
use crate::acp;

const NAME: &str = "switch_mode";

/// The tool.
pub struct SwitchMode {
    spec: ToolSpec,
    modes: Vec<String>,
}

impl SwitchMode {
    /// The tool for these modes.
    #[must_use]
    pub fn new(modes: &[acp::SessionMode]) -> Self {
        let modes: Vec<_> = modes.iter().map(|mode| mode.id.to_string()).collect();
        let spec = super::spec(
            NAME,
            "Switches the session to another mode. The user is asked before it may do more.",
            json!({
                "mode": {
                    "type": "string",
                    "enum": modes,
                    "description": "The id of the mode"
                },
            }),
            &["mode"],
        );
        Self { spec, modes }
    }
}

impl Tool for SwitchMode {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, _: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let choices: Vec<_> = self.modes.iter().map(String::as_str).collect();
        arguments.text("mode")?;
        let mode = arguments
            .choice("mode", &choices)?
            .unwrap_or_default()
            .to_owned();
        arguments.finish()?;
        Ok(Prepared {
            title: format!("Switch to the mode {mode}"),
            kind: acp::ToolKind::SwitchMode,
            effect: Effect::SwitchMode(mode.clone()),
            locations: Vec::new(),
            content: Vec::new(),
            grant: format!("{NAME}: {mode}"),
            job: job::nothing(format!("the session is in mode {mode} now")),
            session: Some(SessionChange::Mode(mode)),
        })
    }
}
