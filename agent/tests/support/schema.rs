//! Validates what the agent writes against the official schema of ACP v1.
//!
//! The schema's root accepts almost anything, because its unions end in extension types. So each
//! message is validated against the very type that its method names, and strictly: a member that
//! the type does not have is an error, although receivers tolerate it.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../data/acp-v1.schema.json");

/// Validators by definition, compiled when first used.
pub struct Schema {
    defs: Value,
    compiled: HashMap<String, Validator>,
}

impl Schema {
    pub fn new() -> Self {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        Self {
            defs: schema["$defs"].clone(),
            compiled: HashMap::new(),
        }
    }

    /// Validates one line of the agent. `method_of` names the method of the request that a
    /// response answers.
    pub fn check(&mut self, line: &str, method_of: impl Fn(&Value) -> Option<String>) {
        let message: Value = serde_json::from_str(line).expect("a line is one JSON value");
        let object = message.as_object().expect("a message is an object");
        assert_eq!(object["jsonrpc"], "2.0", "{line}");
        let members: Vec<_> = object.keys().map(String::as_str).collect();
        if let Some(method) = object.get("method") {
            let method = method.as_str().expect("a method is a string");
            let suffix = if object.contains_key("id") {
                "Request"
            } else {
                "Notification"
            };
            assert!(
                members
                    .iter()
                    .all(|m| ["jsonrpc", "id", "method", "params"].contains(m)),
                "{line}"
            );
            self.validate_by_method(method, suffix, &message["params"]);
            if method == "session/update" {
                self.validate("SessionUpdate", &message["params"]["update"]);
            }
            return;
        }
        assert!(
            members
                .iter()
                .all(|m| ["jsonrpc", "id", "result", "error"].contains(m)),
            "{line}"
        );
        match (object.get("result"), object.get("error")) {
            (Some(result), None) => {
                let method =
                    method_of(&message["id"]).expect("an answer to a request that was sent");
                self.validate_by_method(&method, "Response", result);
            }
            (None, Some(error)) => self.validate("Error", error),
            _ => panic!("a response has one of result and error: {line}"),
        }
    }

    fn validate_by_method(&mut self, method: &str, suffix: &str, value: &Value) {
        let defs = self.defs.as_object().unwrap();
        let name = defs
            .iter()
            .find(|(name, def)| def["x-method"] == method && name.ends_with(suffix))
            .map(|(name, _)| name.clone())
            .unwrap_or_else(|| panic!("{method} has no {suffix} in v1"));
        self.validate(&name, value);
    }

    fn validate(&mut self, name: &str, value: &Value) {
        let defs = &self.defs;
        let validator = self.compiled.entry(name.to_owned()).or_insert_with(|| {
            let schema = json!({
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "$ref": format!("#/$defs/{name}"),
                "unevaluatedProperties": false,
                "$defs": defs,
            });
            jsonschema::validator_for(&schema).unwrap()
        });
        let errors: Vec<_> = validator
            .iter_errors(value)
            .map(|e| e.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {errors:?} in {value}");
    }
}
