//! How the modes are offered to clients: as `modes`, and as a config option of category `mode`.
//!
//! Both are made here from the same value, so that they cannot differ.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-modes#initial-state>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-config-options#relationship-to-session-modes>

use super::Mode;
use crate::acp;

/// The id of the config option that holds the mode.
pub const CONFIG_ID: &str = "mode";

/// The `modes` member of an answer that sets up a session.
#[must_use]
pub fn session_modes(current: Mode) -> acp::SessionModeState {
    let all = Mode::ALL
        .into_iter()
        .map(|mode| {
            acp::SessionMode::new(mode.id(), mode.name()).description(mode.description().to_owned())
        })
        .collect();
    acp::SessionModeState::new(current.id(), all)
}

/// The complete list of config options.
#[must_use]
pub fn config_options(current: Mode) -> Vec<acp::SessionConfigOption> {
    let values: Vec<_> = Mode::ALL
        .into_iter()
        .map(|mode| {
            acp::SessionConfigSelectOption::new(mode.id(), mode.name())
                .description(mode.description().to_owned())
        })
        .collect();
    vec![
        acp::SessionConfigOption::select(CONFIG_ID, "Mode", current.id(), values)
            .description("What the agent may do without asking".to_owned())
            .category(acp::SessionConfigOptionCategory::Mode),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_offers_say_the_same() {
        for mode in Mode::ALL {
            let modes = serde_json::to_value(session_modes(mode)).unwrap();
            let options = serde_json::to_value(config_options(mode)).unwrap();
            assert_eq!(modes["currentModeId"], options[0]["currentValue"]);
            let ids = |list: &serde_json::Value, key: &str| -> Vec<String> {
                let items = list.as_array().unwrap().iter();
                items
                    .map(|item| item[key].as_str().unwrap().to_owned())
                    .collect()
            };
            assert_eq!(
                ids(&modes["availableModes"], "id"),
                ids(&options[0]["options"], "value")
            );
            assert_eq!(options[0]["category"], "mode");
        }
    }
}
