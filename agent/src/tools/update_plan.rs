//! `update_plan`: the model's own plan, which the client shows.
//!
//! The tool only checks the entries. The plan belongs to the session, so the turn makes the change
//! and sends the update.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/agent-plan>

use serde_json::{Value, json};
use stub_model::{PlanEntry, ToolSpec};

use super::{
    Effect, Prepared, Scope, SessionChange, Tool, ToolError,
    arguments::{Arguments, argument},
    job,
};
use crate::acp;

const NAME: &str = "update_plan";

/// Entries in one plan. Clients show the whole plan on every change.
const MAX_ENTRIES: usize = 100;

/// Bytes in the text of one entry.
const MAX_ENTRY: usize = 4 * 1024;

/// The tool.
pub struct UpdatePlan {
    spec: ToolSpec,
}

impl UpdatePlan {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Shows the user the plan for this task. Each call replaces the whole plan.",
            json!({
                "entries": {
                    "type": "array",
                    "maxItems": MAX_ENTRIES,
                    "description": "All steps, in order",
                    "items": {
                        "type": "object",
                        "properties": {
                            "content": { "type": "string" },
                            "priority": { "enum": ["high", "medium", "low"] },
                            "status": { "enum": ["pending", "in_progress", "completed"] },
                        },
                        "required": ["content", "priority", "status"],
                    },
                },
            }),
            &["entries"],
        );
        Self { spec }
    }
}

impl Default for UpdatePlan {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for UpdatePlan {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, _: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let entries = arguments.value("entries")?;
        arguments.finish()?;
        let entries = read(entries)?;
        Ok(Prepared {
            title: "Update the plan".to_owned(),
            kind: acp::ToolKind::Think,
            effect: Effect::Plan,
            locations: Vec::new(),
            content: Vec::new(),
            grant: NAME.to_owned(),
            job: job::nothing(format!("the plan has {} entries now", entries.len())),
            session: Some(SessionChange::Plan(entries)),
        })
    }
}

fn read(entries: &Value) -> Result<Vec<PlanEntry>, ToolError> {
    let wrong = |problem: &str| argument(NAME, "entries", problem);
    let entries = entries.as_array().ok_or_else(|| wrong("must be a list"))?;
    if entries.len() > MAX_ENTRIES {
        return Err(wrong("has too many entries; 100 are allowed"));
    }
    let mut plan = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let member = format!("entries[{index}]");
        let entry: PlanEntry = serde_json::from_value(entry.clone())
            .map_err(|error| argument(NAME, &member, format!("is not valid: {error}")))?;
        if entry.content.len() > MAX_ENTRY {
            return Err(argument(NAME, &member, "has a text that is too long"));
        }
        plan.push(entry);
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_entry_is_named() {
        let good = json!({"content": "a", "priority": "low", "status": "pending"});
        assert_eq!(read(&json!([good])).unwrap().len(), 1);
        let text = |value: Value| read(&value).unwrap_err().to_string();
        assert!(text(json!("a")).contains("must be a list"));
        let bad = json!([good, {"content": "b", "priority": "urgent", "status": "pending"}]);
        assert!(text(bad).contains("entries[1]"));
        let long = json!([{"content": "x".repeat(5000), "priority": "low", "status": "pending"}]);
        assert!(text(long).contains("too long"));
        assert!(text(Value::Array(vec![good; 101])).contains("too many"));
    }
}
