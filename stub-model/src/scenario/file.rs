//! The form of a scenario file, as it is written.
//!
//! Apart from [`super::rule`], which is what can be followed: here is only what YAML can say, with the
//! places of what is checked afterwards.
//!
//! Must stay true: an unknown member or step is an error, so that a slip of the pen is found at the
//! start and not in a turn.

use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::short::Short;
use crate::{
    commands::CONTEXT,
    conversation::{Priority, Progress},
};

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) rules: Vec<Rule>,
}

/// A pattern, and what to do with a prompt that it is found in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) when: Spanned<String>,
    pub(super) r#do: Spanned<Vec<Spanned<Step>>>,
}

/// A text that is looked at again when the file has been read.
pub(super) type Text = Spanned<String>;

/// One step: its name, and what belongs to it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Step {
    Say(Said),
    Think(Said),
    Stream(u64),
    Plan(Vec<Short<Entry>>),
    Call(Call),
    Calls(Vec<Call>),
    Ask(Ask),
    Image(Image),
    Resource(Resource),
    Link(Link),
    Usage(Short<Usage>),
    Wait(Text),
    Hang,
    Fail(Text),
    Stop(Stop),
    Crash,
}

/// A text that comes in pieces as models make them, or a list of pieces to the letter.
#[derive(Debug)]
pub(super) enum Said {
    Whole(Text),
    Pieces(Vec<Text>),
}

/// An entry of a plan.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub(super) content: Text,
    #[serde(default = "medium")]
    pub(super) priority: Priority,
    #[serde(default = "pending")]
    pub(super) status: Progress,
}

fn medium() -> Priority {
    Priority::Medium
}

fn pending() -> Progress {
    Progress::Pending
}

impl From<Text> for Entry {
    fn from(content: Text) -> Self {
        Self {
            content,
            priority: medium(),
            status: pending(),
        }
    }
}

/// A tool call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: Text,
    #[serde(default)]
    pub(super) arguments: Option<Spanned<Value>>,
    #[serde(default)]
    pub(super) r#as: Option<Text>,
    #[serde(default)]
    pub(super) otherwise: Option<Vec<Spanned<Step>>>,
}

/// A question for the user.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    pub(super) question: Text,
    #[serde(default)]
    pub(super) options: Vec<Text>,
    #[serde(default)]
    pub(super) url: Option<Text>,
    #[serde(default)]
    pub(super) r#as: Option<Text>,
    #[serde(default)]
    pub(super) otherwise: Option<Vec<Spanned<Step>>>,
}

/// A square of one colour.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Image {
    pub(super) colour: Text,
    #[serde(default)]
    pub(super) side: Option<Spanned<u32>>,
}

/// A text with its address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resource {
    pub(super) uri: Text,
    pub(super) text: Text,
}

/// A link.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Link {
    pub(super) name: Text,
    pub(super) uri: Text,
}

/// How full the context is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Usage {
    pub(super) used: u64,
    #[serde(default = "context")]
    pub(super) size: u64,
}

fn context() -> u64 {
    CONTEXT
}

impl From<u64> for Usage {
    fn from(used: u64) -> Self {
        let size = context();
        Self { used, size }
    }
}

/// The stop reasons that a model has.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stop {
    EndTurn,
    MaxTokens,
    Refusal,
}
