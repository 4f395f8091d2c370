//! A place in a recording: what a check points at, so that a reader can look for himself.
//!
//! Indexes and no copies: the recording is there once, and what was cut of it stays cut.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A place in the recording of a journey.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Which process of the agent, counted from 0.
    pub process: usize,
    /// What of it.
    #[serde(flatten)]
    pub part: Part,
}

/// A part of the recording of one process, each index counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// An entry of `events`.
    Event(usize),
    /// An entry of `looks`.
    Look(usize),
    /// An entry of `turns`: the files around that turn.
    Turn(usize),
    /// An entry of `tool_server.lines`.
    ToolServerLine(usize),
}

impl Part {
    /// This part of that process.
    #[must_use]
    pub const fn of(self, process: usize) -> Evidence {
        Evidence {
            process,
            part: self,
        }
    }
}
