//! The two modes of a session, and how they are offered.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-config-options>

use serde_json::{Value, json};

use super::{behaviour::Behaviour, faults::Fault, variants::Variant};

/// The id of the configuration option that holds the mode.
pub const CONFIG_ID: &str = "mode";

/// What the agent may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Anything; shell commands are asked for. A plan is also written into the workspace.
    Work,
    /// Read and plan; nothing in the workspace changes.
    Plan,
}

impl Mode {
    const ALL: [Self; 2] = [Self::Work, Self::Plan];

    /// The id on the wire.
    #[must_use]
    pub fn id(self, behaviour: &Behaviour) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Plan if behaviour.is(Variant::ModeNamedPlanning) => "m2",
            Self::Plan => "plan",
        }
    }

    fn name(self, behaviour: &Behaviour) -> &'static str {
        match self {
            Self::Work => "Work",
            Self::Plan if behaviour.is(Variant::ModeNamedPlanning) => "Planning",
            Self::Plan => "Plan",
        }
    }

    /// The mode with this id, if it is offered.
    #[must_use]
    pub fn with_id(id: &str, behaviour: &Behaviour) -> Option<Self> {
        offered(behaviour).find(|mode| mode.id(behaviour) == id)
    }
}

fn offered(behaviour: &Behaviour) -> impl Iterator<Item = Mode> {
    let all = if behaviour.has(Fault::NoPlanMode) {
        &Mode::ALL[..1]
    } else {
        &Mode::ALL
    };
    all.iter().copied()
}

/// The members of a session's answer that offer the modes.
#[must_use]
pub fn offer(current: Mode, behaviour: &Behaviour) -> Value {
    let mut members = json!({});
    if !behaviour.is(Variant::ModeByConfigOption) {
        let all: Vec<_> = offered(behaviour)
            .map(|mode| json!({"id": mode.id(behaviour), "name": mode.name(behaviour)}))
            .collect();
        members["modes"] = json!({"currentModeId": current.id(behaviour), "availableModes": all});
    }
    if behaviour.is(Variant::ModeByConfigOption) || behaviour.is(Variant::ModesTwice) {
        members["configOptions"] = config_options(current, behaviour);
    }
    members
}

/// The modes as the one configuration option of a session.
#[must_use]
pub fn config_options(current: Mode, behaviour: &Behaviour) -> Value {
    let options: Vec<_> = offered(behaviour)
        .map(|mode| json!({"value": mode.id(behaviour), "name": mode.name(behaviour)}))
        .collect();
    json!([{
        "id": CONFIG_ID,
        "name": "Mode",
        "category": "mode",
        "type": "select",
        "currentValue": current.id(behaviour),
        "options": options,
    }])
}
