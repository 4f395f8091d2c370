//! What a module says it needs on the machine.

use serde_json::Value;

use super::{is_strings, object};

/// Checks the `requires` of a manifest.
pub(super) fn check(requires: Option<&Value>) -> Result<(), String> {
    let Some(requires) = requires else {
        return Ok(());
    };
    let requires = object(requires, "requires must be an object")?;
    if let Some(pins) = requires.get("pins") {
        let pins = object(
            pins,
            "requires.pins must be an object of package or binary name to pin",
        )?;
        for (name, pin) in pins {
            if !pin["version"].is_string() {
                return Err(format!(
                    "requires.pins.{name} must name a string \"version\""
                ));
            }
        }
    }
    for name in ["binaries", "fetched_by_runner"] {
        if requires.get(name).is_some_and(|list| !is_strings(list)) {
            return Err(format!("requires.{name} must be an array of strings"));
        }
    }
    Ok(())
}
