//! Rules that can be followed: patterns compiled, texts cut, sizes and names checked.
//!
//! Apart from [`super::file`], because a rule here is sound: nothing in it can turn out wrong later but
//! the contents of a result.

use std::time::Duration;

use regex::Regex;
use serde_json::{Map, Value};

use super::template::Template;
use crate::conversation::{Priority, Progress, Stop};

/// A pattern, and what is done with a prompt that it is found in.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) pattern: Regex,
    /// The line in the file, for messages.
    pub(super) line: u64,
    pub(super) steps: Vec<Step>,
}

/// One step.
#[derive(Debug)]
pub(super) enum Step {
    Say(Said),
    Think(Said),
    Stream(u64),
    Plan(Vec<Entry>),
    /// Calls of one reply; mostly one.
    Calls(Vec<Call>),
    Ask(Ask),
    Image {
        colour: [u8; 3],
        side: u32,
    },
    Resource {
        uri: Template,
        text: Template,
    },
    Link {
        name: Template,
        uri: Template,
    },
    Usage {
        used: u64,
        size: u64,
    },
    Wait(Duration),
    Fail(Template),
    Stop(Stop),
    Crash,
}

/// A text to be cut into pieces, or the pieces.
#[derive(Debug)]
pub(super) enum Said {
    Whole(Template),
    Pieces(Vec<Template>),
}

/// An entry of a plan.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) content: Template,
    pub(super) priority: Priority,
    pub(super) status: Progress,
}

/// A tool call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: Template,
    pub(super) arguments: Arguments,
    pub(super) name: Option<String>,
    /// What is done instead of the rest when the call is not completed.
    pub(super) otherwise: Option<Vec<Step>>,
}

/// A question, by the tool for it or in words.
#[derive(Debug)]
pub(super) struct Ask {
    pub(super) question: Template,
    pub(super) options: Vec<Template>,
    pub(super) url: Option<Template>,
    pub(super) name: Option<String>,
    /// What is done instead of the rest when there is no answer.
    pub(super) otherwise: Option<Vec<Step>>,
}

/// Arguments whose texts may hold names.
#[derive(Debug)]
pub(super) enum Arguments {
    Text(Template),
    List(Vec<Arguments>),
    Members(Vec<(String, Arguments)>),
    Other(Value),
}

impl Arguments {
    /// No arguments.
    pub(super) fn none() -> Self {
        Self::Other(Value::Object(Map::new()))
    }
}
