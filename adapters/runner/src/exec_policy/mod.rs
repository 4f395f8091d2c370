//! The exec policy: which commands the agent may run when it asks.
//!
//! Rules come in layers. In a layer the first rule that matches counts; of all layers the strictest
//! verdict counts. So a later layer can only narrow what an earlier one leaves open, and nothing
//! that a repository brings along can open what the operator closed.
//!
//! It sees what the agent asks about, and the text of it. It is a guard rail and a record, not a
//! wall: a command can be spelled in ways that no rule reads. The wall is the machine around it.
//!
//! Must stay true:
//!
//! - Layers are read once, at the start: what the agent writes later changes nothing.
//! - A layer that cannot be read is dropped, and the built-in one still holds.
//! - What makes a rule unreadable never makes it wider.

mod default;
mod git;
mod glob;
mod ground;
mod name_only;
mod rule;
mod scripts;
mod target;
mod words;
mod writes;

use std::path::Path;

use serde_json::Value;

use crate::{audit, small_file};
pub use ground::Ground;
use rule::Rule;
use target::target;
use words::Command;

/// The longest policy, in characters.
const MAX_POLICY: usize = 65_536;

/// The repository's own policy, below the workspace.
const REPO_FILE: &str = ".colonizer/exec-policy.json";

/// The variables with the operator's and the organisation's policies.
const VARIABLES: [(&str, &str); 2] = [
    ("install", "COLONIZER_EXEC_POLICY"),
    ("org", "COLONIZER_EXEC_POLICY_ORG"),
];

/// What a rule says of a command, from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Run it without asking.
    Allow,
    /// Ask a person.
    Ask,
    /// Refuse it without asking.
    Deny,
}

impl Decision {
    /// Its word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// A rule that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What it says.
    pub decision: Decision,
    /// The rule's id.
    pub rule: String,
    /// Its layer.
    pub layer: &'static str,
    /// Why, for a person.
    pub reason: String,
    /// What the command reaches for, as it was typed.
    pub target: Option<String>,
}

impl Hit {
    /// What stands for the verdict of rules that cannot be applied in time.
    pub fn too_slow() -> Self {
        Self {
            decision: Decision::Deny,
            rule: "too-slow".to_owned(),
            layer: "default",
            reason: "the rules could not be applied to it in time".to_owned(),
            target: None,
        }
    }

    /// What stands behind the text of a question.
    pub fn note(&self) -> String {
        format!(
            "exec policy rule `{}` ({}): {}",
            self.rule, self.layer, self.reason
        )
    }
}

/// The layers, in their order.
#[derive(Debug)]
pub struct ExecPolicy {
    layers: Vec<(&'static str, Vec<Rule>)>,
    ground: Ground,
}

impl ExecPolicy {
    /// Reads all layers: built in, environment, repository.
    pub fn load(workspace: &Path) -> Self {
        let mut policy = Self::built_in(Ground::load(workspace));
        for (layer, variable) in VARIABLES {
            if let Some(text) = std::env::var_os(variable).filter(|text| !text.is_empty()) {
                policy.add(layer, &text.to_string_lossy());
            }
        }
        // Four bytes a character, so that the length in characters decides.
        let file = workspace.join(REPO_FILE);
        if let Some(bytes) = small_file::read(&file, 64 * 1024) {
            policy.add("repo", &String::from_utf8_lossy(&bytes));
        } else if file.symlink_metadata().is_ok() {
            ignoring("repo");
        }
        policy
    }

    /// Only the built-in layer.
    pub fn built_in(ground: Ground) -> Self {
        Self {
            layers: vec![("default", default::rules())],
            ground,
        }
    }

    /// Adds a layer, if its text is a policy.
    pub fn add(&mut self, layer: &'static str, text: &str) {
        let is_short = text.len() <= MAX_POLICY || text.chars().count() <= MAX_POLICY;
        let policy: Option<Value> = is_short.then(|| serde_json::from_str(text).ok()).flatten();
        match policy
            .as_ref()
            .and_then(|policy| policy["rules"].as_array())
        {
            Some(rules) => self.layers.push((layer, rule::parse_all(rules, layer))),
            None => ignoring(layer),
        }
    }

    /// What the rules say of a command; nothing if none matches.
    pub fn judge(&self, text: &str) -> Option<Hit> {
        let command = Command::read(text, &self.ground);
        let mut found: Option<Hit> = None;
        for (layer, rules) in &self.layers {
            let facts = &command;
            let Some((rule, seen)) = rules
                .iter()
                .find_map(|rule| Some((rule, rule.matches(facts, &self.ground, layer)?)))
            else {
                continue;
            };
            // The earlier layer is the one that is named.
            if found
                .as_ref()
                .is_none_or(|hit| rule.decision > hit.decision)
            {
                found = Some(Hit {
                    decision: rule.decision,
                    rule: rule.id.clone(),
                    layer,
                    reason: rule.reason(&seen),
                    target: seen.word.or_else(|| target(&command)),
                });
            }
        }
        found
    }
}

fn ignoring(layer: &str) {
    audit::line(&format!(
        "ignoring the {layer} exec policy: expected {{\"rules\": […]}}"
    ));
}

/// The command that a tool call wants to run.
pub fn command_text(call: &Value) -> Option<String> {
    let is_there = |text: &str| !text.trim().is_empty();
    match &call["rawInput"]["command"] {
        Value::String(text) if is_there(text) => return Some(text.clone()),
        Value::Array(words) if !words.is_empty() => {
            let words: Vec<String> = words
                .iter()
                .map(|word| {
                    word.as_str()
                        .map_or_else(|| word.to_string(), str::to_owned)
                })
                .collect();
            return Some(words.join(" "));
        }
        _ => {}
    }
    call["title"]
        .as_str()
        .filter(|title| is_there(title))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests;
