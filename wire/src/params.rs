//! The params of a message: raw until a handler knows their type.
//!
//! Apart from the messages because turning params into a type has a rule of its own:
//! the error says what is wrong and where, and repeats nothing of what was sent.
//! serde's own texts do repeat it (`invalid type: string "hunter2", expected u16`).

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::error::Error;

/// The params of a request or a notification: an object, an array, or nothing.
#[derive(Debug, Clone, Default)]
pub struct Params(Option<Box<RawValue>>);

impl Params {
    pub(crate) fn new(raw: Option<&RawValue>) -> Self {
        Self(raw.map(RawValue::to_owned))
    }

    /// The params as `T`. Absent params are read as `{}`.
    ///
    /// # Errors
    /// -32602 with the reason and the place, without any value that was sent.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let text = self.raw().map_or("{}", RawValue::get);
        serde_json::from_str(text).map_err(|error| Error::invalid_params(reason(&error)))
    }

    /// The params as JSON text, if there are any.
    pub fn raw(&self) -> Option<&RawValue> {
        self.0.as_deref()
    }
}

/// Why a JSON text is not the wanted type, without any value of the text.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    let text = text.strip_suffix(&place).unwrap_or(&text);
    let what = match error.classify() {
        // These texts are constants of serde_json.
        Category::Syntax | Category::Eof | Category::Io => text.to_owned(),
        Category::Data => without_values(text),
    };
    match error.column() {
        0 => what,
        column => format!("{what} (at byte {column})"),
    }
}

/// Keeps of a text of serde's what comes from our types, and drops what came from the input.
fn without_values(text: &str) -> String {
    for ours in ["missing field", "duplicate field"] {
        if let Some(name) = text
            .strip_prefix(ours)
            .and_then(|rest| rest.split('`').nth(1))
        {
            return format!("{ours} `{name}`");
        }
    }
    // What follows the last "expected" is ours; what stands before it may be quoted input.
    if let Some((found, expected)) = text.rsplit_once(", expected ") {
        for kind in [
            "invalid type",
            "invalid value",
            "invalid length",
            "unknown variant",
            "unknown field",
        ] {
            if let Some(value) = found.strip_prefix(kind) {
                let unquoted = value
                    .split(['`', '"'])
                    .next()
                    .unwrap_or_default()
                    .trim_end();
                return format!("{kind}{unquoted}, expected {expected}");
            }
        }
    }
    if text.starts_with("data did not match any variant") {
        return "the value has none of the known forms".to_owned();
    }
    "a value has the wrong form".to_owned()
}

#[cfg(test)]
#[path = "params_tests.rs"]
mod params_tests;
