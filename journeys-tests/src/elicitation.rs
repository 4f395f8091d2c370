//! What `elicitation/create` is answered: a pure function of the user's answer and the request.
//!
//! Offered in the journey `question` alone. A form is filled so that the judge can find the answer
//! again: the user's words where the form takes any text, the first choice where it offers some.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/elicitation#responses>

use serde_json::{Map, Value, json};

/// The method.
pub const METHOD: &str = "elicitation/create";

/// The capabilities of a client that answers forms.
#[must_use]
pub fn capabilities() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// The result of `elicitation/create`: a form is filled, anything else is declined.
#[must_use]
pub fn answer(words: &str, request: &Value) -> Value {
    let properties = request["requestedSchema"]["properties"].as_object();
    match properties {
        Some(properties) if request["mode"] == "form" => {
            let content: Map<String, Value> = properties
                .iter()
                .map(|(name, schema)| (name.clone(), fill(words, schema)))
                .collect();
            json!({"action": "accept", "content": content})
        }
        _ => json!({"action": "decline"}),
    }
}

fn fill(words: &str, schema: &Value) -> Value {
    if let Some(choice) = first_choice(schema) {
        return choice.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(7)),
        Some("array") => json!([fill(words, &schema["items"])]),
        _ => json!(words),
    }
}

fn first_choice(schema: &Value) -> Option<&Value> {
    let listed = schema["enum"].as_array().and_then(|values| values.first());
    listed.or_else(|| {
        let titled = ["oneOf", "anyOf"]
            .iter()
            .find_map(|member| schema[*member].as_array());
        titled?.first()?.get("const")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_filled_and_all_else_is_declined() {
        let form = |properties: Value| json!({"mode": "form", "requestedSchema": {"properties": properties}});
        #[rustfmt::skip]
        let table = [
            (form(json!({"a": {"type": "string"}})), Some(json!({"a": "W"}))),
            (form(json!({"a": {"type": "string", "enum": ["x", "y"]}})), Some(json!({"a": "x"}))),
            (form(json!({"a": {"oneOf": [{"const": "x", "title": "X"}]}})), Some(json!({"a": "x"}))),
            (form(json!({"a": {"type": "boolean"}, "b": {"type": "integer", "minimum": 3}})), Some(json!({"a": true, "b": 3}))),
            (form(json!({"a": {"type": "array", "items": {"anyOf": [{"const": 1}]}}})), Some(json!({"a": [1]}))),
            (json!({"mode": "url", "url": "https://example.com"}), None),
            (json!({"mode": "form"}), None),
            (json!({"mode": "url", "requestedSchema": {"properties": {}}}), None),
        ];
        for (request, wanted) in table {
            let answer = answer("W", &request);
            match wanted {
                Some(content) => {
                    assert_eq!(answer, json!({"action": "accept", "content": content}))
                }
                None => assert_eq!(answer, json!({"action": "decline"})),
            }
        }
        assert_eq!(capabilities(), json!({"elicitation": {"form": {}}}));
    }
}
