//! Tool calls as they were announced and updated, merged by their id.
//!
//! A permission request carries a partial tool call: what it leaves out is what was said before.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#updating>

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Tool calls that are remembered; a journey has a handful. More are not remembered, and a permission
/// request for one of those is judged by what it says itself.
const MAX_TOOL_CALLS: usize = 10_000;

/// The tool calls of one process.
#[derive(Debug, Default)]
pub struct ToolCalls {
    by_id: HashMap<String, Map<String, Value>>,
}

impl ToolCalls {
    /// Takes in a `tool_call`, a `tool_call_update`, or the tool call of a permission request.
    pub fn merge(&mut self, call: &Value) {
        let Some(id) = call["toolCallId"].as_str() else {
            return;
        };
        if self.by_id.len() >= MAX_TOOL_CALLS && !self.by_id.contains_key(id) {
            return;
        }
        let known = self.by_id.entry(id.to_owned()).or_default();
        for (member, value) in call.as_object().into_iter().flatten() {
            // In an update, null means "not changed".
            if !value.is_null() {
                known.insert(member.clone(), value.clone());
            }
        }
    }

    /// All that is known of the call with this id, with `call` on top.
    #[must_use]
    pub fn completed(&self, call: &Value) -> Value {
        let known = call["toolCallId"]
            .as_str()
            .and_then(|id| self.by_id.get(id));
        let mut completed = known.cloned().unwrap_or_default();
        for (member, value) in call.as_object().into_iter().flatten() {
            if !value.is_null() {
                completed.insert(member.clone(), value.clone());
            }
        }
        Value::Object(completed)
    }

    /// Whether any call has this status now.
    #[must_use]
    pub fn any_has_status(&self, status: &str) -> bool {
        let mut calls = self.by_id.values();
        calls.any(|call| call.get("status").and_then(Value::as_str) == Some(status))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_partial_call_is_completed_by_what_was_said_before() {
        let mut calls = ToolCalls::default();
        calls.merge(&json!({"toolCallId": "1", "title": "run", "rawInput": {"command": "cat a"}}));
        calls.merge(&json!({"toolCallId": "1", "title": null, "status": "in_progress"}));
        calls.merge(&json!({"title": "no id"}));
        let asked = calls.completed(&json!({"toolCallId": "1", "kind": null}));
        let wanted = json!({"toolCallId": "1", "title": "run", "rawInput": {"command": "cat a"},
            "status": "in_progress"});
        assert_eq!(asked, wanted);
        let unknown = json!({"toolCallId": "2"});
        assert_eq!(calls.completed(&unknown), unknown);
        assert!(calls.any_has_status("in_progress"));
        assert!(!calls.any_has_status("completed"));
    }
}
