//! Reads the arguments of a call, member by member.
//!
//! A derive could do it, but its messages ("invalid type: integer `1`") do not say which member is
//! wrong, and a model can only repair what is named. Unknown members are refused: a model that
//! invents `recursive: true` should learn that nothing will be recursive.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::ToolError;

/// The arguments of one call. Every known member is asked for once, then [`Arguments::finish`].
pub(crate) struct Arguments<'a> {
    tool: &'static str,
    object: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> Arguments<'a> {
    /// The arguments of a call to `tool`.
    pub(crate) fn new(tool: &'static str, arguments: &'a Value) -> Result<Self, ToolError> {
        let object = arguments
            .as_object()
            .ok_or_else(|| argument(tool, "arguments", "must be an object"))?;
        Ok(Self {
            tool,
            object,
            known: Vec::new(),
        })
    }

    /// A string that must be there.
    pub(crate) fn text(&mut self, member: &'static str) -> Result<&'a str, ToolError> {
        self.optional_text(member)?
            .ok_or_else(|| argument(self.tool, member, "is missing"))
    }

    /// A string.
    pub(crate) fn optional_text(
        &mut self,
        member: &'static str,
    ) -> Result<Option<&'a str>, ToolError> {
        let Some(value) = self.member(member) else {
            return Ok(None);
        };
        let text = value
            .as_str()
            .ok_or_else(|| argument(self.tool, member, "must be a string"))?;
        Ok(Some(text))
    }

    /// A path that must be there. Neither it nor any other path can hold a NUL.
    pub(crate) fn path(&mut self, member: &'static str) -> Result<&'a str, ToolError> {
        self.optional_path(member)?
            .ok_or_else(|| argument(self.tool, member, "is missing"))
    }

    /// A path.
    pub(crate) fn optional_path(
        &mut self,
        member: &'static str,
    ) -> Result<Option<&'a str>, ToolError> {
        match self.optional_text(member)? {
            Some("") => Err(argument(self.tool, member, "must not be empty")),
            Some(path) if path.contains('\0') => Err(argument(
                self.tool,
                member,
                "must not contain a NUL character",
            )),
            path => Ok(path),
        }
    }

    /// A whole number in a range.
    pub(crate) fn number(
        &mut self,
        member: &'static str,
        range: RangeInclusive<u64>,
    ) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.member(member) else {
            return Ok(None);
        };
        let wrong = || {
            let (least, most) = (range.start(), range.end());
            let problem = format!("must be a whole number from {least} to {most}");
            argument(self.tool, member, problem)
        };
        let number = value.as_u64().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(wrong)
    }

    /// `true` or `false`; `false` when absent.
    pub(crate) fn flag(&mut self, member: &'static str) -> Result<bool, ToolError> {
        let Some(value) = self.member(member) else {
            return Ok(false);
        };
        value
            .as_bool()
            .ok_or_else(|| argument(self.tool, member, "must be true or false"))
    }

    /// One of a few words.
    pub(crate) fn choice(
        &mut self,
        member: &'static str,
        choices: &[&str],
    ) -> Result<Option<&'a str>, ToolError> {
        match self.optional_text(member)? {
            Some(word) if !choices.contains(&word) => {
                let problem = format!("must be one of {}", choices.join(", "));
                Err(argument(self.tool, member, problem))
            }
            word => Ok(word),
        }
    }

    /// Any value that must be there.
    pub(crate) fn value(&mut self, member: &'static str) -> Result<&'a Value, ToolError> {
        self.member(member)
            .ok_or_else(|| argument(self.tool, member, "is missing"))
    }

    /// Any value.
    pub(crate) fn optional_value(&mut self, member: &'static str) -> Option<&'a Value> {
        self.member(member)
    }

    /// Refuses members that nobody asked for.
    pub(crate) fn finish(self) -> Result<(), ToolError> {
        let surplus = self
            .object
            .keys()
            .find(|key| !self.known.contains(&key.as_str()));
        match surplus {
            Some(member) => {
                let problem = format!("is unknown; the members are {}", self.known.join(", "));
                Err(argument(self.tool, member, problem))
            }
            None => Ok(()),
        }
    }

    /// `null` counts as absent: models write it for optional members.
    fn member(&mut self, member: &'static str) -> Option<&'a Value> {
        self.known.push(member);
        self.object.get(member).filter(|value| !value.is_null())
    }
}

/// Something is wrong with one member.
pub(crate) fn argument(tool: &'static str, member: &str, problem: impl Into<String>) -> ToolError {
    ToolError::Argument {
        tool,
        member: member.to_owned(),
        problem: problem.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_wrong_value_is_named() {
        type Read = fn(&mut Arguments<'_>) -> Result<(), ToolError>;
        let rows: Vec<(Value, Read, &str)> = vec![
            (json!({}), |a| a.text("m").map(drop), "t: `m` is missing"),
            (
                json!({"m": null}),
                |a| a.text("m").map(drop),
                "t: `m` is missing",
            ),
            (
                json!({"m": 1}),
                |a| a.text("m").map(drop),
                "t: `m` must be a string",
            ),
            (
                json!({"m": ""}),
                |a| a.path("m").map(drop),
                "t: `m` must not be empty",
            ),
            (
                json!({"m": "a\0b"}),
                |a| a.path("m").map(drop),
                "t: `m` must not contain a NUL character",
            ),
            (
                json!({"m": -1}),
                |a| a.number("m", 1..=9).map(drop),
                "t: `m` must be a whole number from 1 to 9",
            ),
            (
                json!({"m": 10}),
                |a| a.number("m", 1..=9).map(drop),
                "t: `m` must be a whole number from 1 to 9",
            ),
            (
                json!({"m": "yes"}),
                |a| a.flag("m").map(drop),
                "t: `m` must be true or false",
            ),
            (
                json!({"m": "c"}),
                |a| a.choice("m", &["a", "b"]).map(drop),
                "t: `m` must be one of a, b",
            ),
        ];
        for (value, read, text) in rows {
            let mut arguments = Arguments::new("t", &value).unwrap();
            assert_eq!(read(&mut arguments).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn a_member_that_nobody_asked_for_is_refused() {
        let value = json!({"m": 1, "n": 2});
        let mut arguments = Arguments::new("t", &value).unwrap();
        assert_eq!(arguments.number("m", 1..=9).unwrap(), Some(1));
        let text = arguments.finish().unwrap_err().to_string();
        assert_eq!(text, "t: `n` is unknown; the members are m");
    }
}
