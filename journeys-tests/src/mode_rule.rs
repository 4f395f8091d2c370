//! Where Plan mode is: the rule by which a session is put in it, as a pure function of what
//! `session/new` answered.
//!
//! First the session modes (ID or name), then the configuration options of the category `mode`.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes#initial-state>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-config-options#option-categories>

use serde_json::{Value, json};

/// The names that mean Plan mode, in lower case.
const PLAN_NAMES: [&str; 2] = ["plan", "planning"];

/// How the session's mode is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModeSwitch {
    /// With `session/set_mode`.
    Mode {
        /// The mode's ID.
        mode_id: String,
    },
    /// With `session/set_config_option`.
    ConfigOption {
        /// The option's ID.
        config_id: String,
        /// The value's ID.
        value: String,
    },
}

/// Both ways of one session: into Plan mode, and back to the mode it started in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeSwitches {
    /// Into Plan mode.
    pub plan: ModeSwitch,
    /// Back.
    pub start: ModeSwitch,
}

impl ModeSwitch {
    /// The ACP method.
    #[must_use]
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Mode { .. } => "session/set_mode",
            Self::ConfigOption { .. } => "session/set_config_option",
        }
    }

    /// Its parameters for this session.
    #[must_use]
    pub fn params(&self, session_id: &str) -> Value {
        match self {
            Self::Mode { mode_id } => json!({"sessionId": session_id, "modeId": mode_id}),
            Self::ConfigOption { config_id, value } => {
                json!({"sessionId": session_id, "configId": config_id, "value": value})
            }
        }
    }
}

/// Finds Plan mode in the result of `session/new`; `None` if there is none.
#[must_use]
pub fn find(session: &Value) -> Option<ModeSwitches> {
    among_modes(&session["modes"]).or_else(|| {
        let options = session["configOptions"].as_array()?;
        options.iter().find_map(in_config_option)
    })
}

fn among_modes(modes: &Value) -> Option<ModeSwitches> {
    let available = modes["availableModes"].as_array()?;
    let plan = available.iter().find(|mode| is_plan(mode, "id"))?;
    let switch = |mode_id: &Value| {
        let mode_id = mode_id.as_str()?.to_owned();
        Some(ModeSwitch::Mode { mode_id })
    };
    Some(ModeSwitches {
        plan: switch(&plan["id"])?,
        start: switch(&modes["currentModeId"])?,
    })
}

fn in_config_option(option: &Value) -> Option<ModeSwitches> {
    if option["category"] != "mode" {
        return None;
    }
    let config_id = option["id"].as_str()?;
    let listed = option["options"].as_array()?;
    // The list holds values, or groups of values.
    let grouped = listed
        .iter()
        .filter_map(|group| group["options"].as_array());
    let mut values = listed.iter().chain(grouped.flatten());
    let plan = values.find(|value| is_plan(value, "value"))?;
    let switch = |value: &Value| {
        let value = value.as_str()?.to_owned();
        let config_id = config_id.to_owned();
        Some(ModeSwitch::ConfigOption { config_id, value })
    };
    Some(ModeSwitches {
        plan: switch(&plan["value"])?,
        start: switch(&option["currentValue"])?,
    })
}

fn is_plan(entry: &Value, id_member: &str) -> bool {
    // A group has a name too, but no ID to switch to.
    entry[id_member].is_string()
        && [&entry[id_member], &entry["name"]]
            .into_iter()
            .filter_map(Value::as_str)
            .any(|text| PLAN_NAMES.contains(&text.trim().to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modes(ids_and_names: &[(&str, &str)]) -> Value {
        let available: Vec<_> = ids_and_names
            .iter()
            .map(|(id, name)| json!({"id": id, "name": name}))
            .collect();
        json!({"currentModeId": "start", "availableModes": available})
    }

    fn options(category: &str, values: Value) -> Value {
        json!([{"id": "other", "category": "model", "type": "select", "currentValue": "plan",
                "options": [{"value": "plan", "name": "Plan"}]},
               {"id": "mode", "category": category, "type": "select", "currentValue": "code",
                "options": values}])
    }

    #[test]
    fn a_switch_has_its_method_and_parameters() {
        let mode = ModeSwitch::Mode {
            mode_id: "plan".to_owned(),
        };
        assert_eq!(mode.method(), "session/set_mode");
        assert_eq!(
            mode.params("s"),
            json!({"sessionId": "s", "modeId": "plan"})
        );
        let option = ModeSwitch::ConfigOption {
            config_id: "mode".to_owned(),
            value: "plan".to_owned(),
        };
        assert_eq!(option.method(), "session/set_config_option");
        let params = json!({"sessionId": "s", "configId": "mode", "value": "plan"});
        assert_eq!(option.params("s"), params);
    }

    #[test]
    fn table() {
        let plan_value = json!([{"value": "code", "name": "Code"}, {"value": "p", "name": "Plan"}]);
        let grouped = json!([{"group": "plan", "name": "Plan", "options":
                              [{"value": "planning", "name": "Think first"}]}]);
        #[rustfmt::skip]
        let table = [
            (json!({}), None),
            (json!({"modes": null, "configOptions": null}), None),
            (json!({"modes": modes(&[("code", "Code")])}), None),
            (json!({"modes": modes(&[("code", "Planner"), ("planned", "x")])}), None),
            (json!({"modes": modes(&[("code", "Code"), ("plan", "x")])}), Some("plan/start")),
            (json!({"modes": modes(&[("m1", "PLANNING")])}), Some("m1/start")),
            (json!({"modes": modes(&[("plan", "x")]), "configOptions": options("mode", plan_value.clone())}), Some("plan/start")),
            (json!({"modes": modes(&[("code", "x")]), "configOptions": options("mode", plan_value.clone())}), Some("mode=p/mode=code")),
            (json!({"configOptions": options("mode", grouped)}), Some("mode=planning/mode=code")),
            (json!({"configOptions": options("thought_level", plan_value)}), None),
        ];
        for (session, wanted) in table {
            let found = find(&session).map(|switches| {
                let text = |switch: &ModeSwitch| match switch {
                    ModeSwitch::Mode { mode_id } => mode_id.clone(),
                    ModeSwitch::ConfigOption { config_id, value } => format!("{config_id}={value}"),
                };
                format!("{}/{}", text(&switches.plan), text(&switches.start))
            });
            assert_eq!(found.as_deref(), wanted, "{session}");
        }
    }
}
