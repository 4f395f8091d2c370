//! What the texts of a rule may name: the groups of its pattern, results of its calls, answers.
//!
//! Must stay true: everything here is found in the conversation, so that a session that was loaded
//! knows the same.

use std::{borrow::Cow, collections::HashMap};

use serde_json::Value;

use super::template::Name;
use crate::conversation::{Conversation, Outcome, ToolResult};

/// Names that every rule knows. `result` only behind a call, like the names that calls are given.
pub(super) const ALWAYS: [&str; 3] = ["prompt", "cwd", "mode"];

/// The latest result, by whatever name.
pub(super) const RESULT: &str = "result";

/// What is known at a step.
pub(super) struct Known<'a> {
    texts: HashMap<String, Cow<'a, str>>,
    results: HashMap<String, &'a ToolResult>,
}

impl<'a> Known<'a> {
    /// What is known at the first step.
    pub(super) fn new(conversation: &Conversation<'a>, prompt: Cow<'a, str>) -> Self {
        let texts = [
            ("prompt", prompt),
            ("cwd", conversation.cwd.to_string_lossy()),
            ("mode", conversation.mode.into()),
        ];
        Self {
            texts: texts.map(|(name, text)| (name.to_owned(), text)).into(),
            results: HashMap::new(),
        }
    }

    /// Learns a text, which is what the name means from now on.
    pub(super) fn learn(&mut self, name: &str, text: impl Into<Cow<'a, str>>) {
        self.results.remove(name);
        self.texts.insert(name.to_owned(), text.into());
    }

    /// Learns a result, which is the latest now.
    pub(super) fn learn_result(&mut self, name: Option<&str>, result: &'a ToolResult) {
        for name in name.into_iter().chain([RESULT]) {
            self.texts.remove(name);
            self.results.insert(name.to_owned(), result);
        }
    }

    /// A value as a text.
    ///
    /// # Errors
    /// It is not there, in a sentence.
    pub(super) fn text(&self, name: &Name) -> Result<Cow<'_, str>, String> {
        match self.value(name)? {
            Cow::Owned(Value::String(text)) => Ok(text.into()),
            Cow::Borrowed(Value::String(text)) => Ok(text.into()),
            value => Ok(value.to_string().into()),
        }
    }

    /// A value.
    ///
    /// # Errors
    /// It is not there, in a sentence.
    pub(super) fn value(&self, name: &Name) -> Result<Cow<'_, Value>, String> {
        let Name { name, path } = name;
        let absent = |what: &str| format!("`{name}.{}`: {what}", path.join("."));
        match (self.results.get(name), path.as_slice()) {
            (Some(result), []) => Ok(Cow::Owned(Value::String(result.text.clone()))),
            (Some(result), [only]) if only == "outcome" => Ok(Cow::Owned(Value::String(
                outcome(result.outcome).to_owned(),
            ))),
            (Some(result), path) => inside(result, path)
                .ok_or_else(|| absent("the result of the call has no such member")),
            (None, []) => match self.texts.get(name) {
                Some(text) => Ok(Cow::Owned(Value::String(text.clone().into_owned()))),
                // The group took no part in the match.
                None => Ok(Cow::Owned(Value::String(String::new()))),
            },
            (None, _) => Err(absent("only the results of calls have members")),
        }
    }
}

/// The part of a result to which the path leads: in its structured form, or in its text where that
/// is JSON.
fn inside<'v>(result: &'v ToolResult, path: &[String]) -> Option<Cow<'v, Value>> {
    let step = |value: &'v Value, part: &String| match value {
        Value::Object(members) => members.get(part),
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        _ => None,
    };
    if let Some(structured) = &result.structured {
        return path.iter().try_fold(structured, step).map(Cow::Borrowed);
    }
    let mut value: Value = serde_json::from_str(&result.text).ok()?;
    for part in path {
        value = match &mut value {
            Value::Object(members) => members.remove(part)?,
            Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?)?.take(),
            _ => return None,
        };
    }
    Some(Cow::Owned(value))
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Failed => "failed",
        Outcome::Refused => "refused",
        Outcome::Cancelled => "cancelled",
    }
}
