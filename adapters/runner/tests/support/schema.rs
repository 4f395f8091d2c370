//! Checks an event against the contract: its type's definition in the schema, and what the contract
//! says in words.

use std::{collections::HashMap, sync::LazyLock};

use jsonschema::Validator;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../data/agent-events.schema.json");

/// The longest line that the host keeps whole.
const MAX_LINE: usize = 256 * 1024;

static VALIDATORS: LazyLock<HashMap<String, Validator>> = LazyLock::new(|| {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let definitions = schema["$defs"].as_object().unwrap();
    definitions
        .keys()
        .map(|name| {
            let one = json!({"$ref": format!("#/$defs/{name}"), "$defs": definitions});
            (name.clone(), jsonschema::validator_for(&one).unwrap())
        })
        .collect()
});

/// Checks one line of the runner, and returns the event.
pub fn check(line: &str) -> Value {
    assert!(line.len() <= MAX_LINE, "a line of {} bytes", line.len());
    let event: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("no event: {error}: {line}"));
    let kind = event["type"]
        .as_str()
        .unwrap_or_else(|| panic!("no type: {line}"));
    let validator = VALIDATORS
        .get(kind)
        .unwrap_or_else(|| panic!("unknown type: {line}"));
    let errors: Vec<String> = validator
        .iter_errors(&event)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}: {line}");
    for foreign in ["seq", "ts", "origin", "agent"] {
        assert!(
            event.get(foreign).is_none(),
            "{foreign} is not the runner's: {line}"
        );
    }
    let units = |name: &str| {
        event[name]
            .as_str()
            .map_or(0, |text| text.encode_utf16().count())
    };
    match kind {
        "tool_result" => assert!(units("output") <= 20_000, "{line}"),
        "boundary" => {
            assert!(units("control") <= 80 && units("detail") <= 300 && units("target") <= 200);
        }
        "question" => question(&event),
        _ => {}
    }
    event
}

fn question(event: &Value) {
    for card in event["questions"].as_array().unwrap() {
        let options = card["options"].as_array().unwrap();
        assert!((2..=4).contains(&options.len()), "{event}");
    }
    let risk = event["risk"].as_str().unwrap();
    assert!(["read_only", "workspace_write"].contains(&risk), "{event}");
    assert_eq!(event["blocking"], true, "{event}");
}
