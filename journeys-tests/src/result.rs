//! The result of a run: what was tested, what was seen, and what follows from that.
//!
//! Everything that a reader is asked to believe can be derived again from the recordings in it
//! ([`again`]); the rest is what the checker says of itself and of the machine. How it is stored is in
//! [`mod@file`], how an edit is noticed in [`digest`]. The format is described in `docs/result.md`.

pub mod again;
pub mod digest;
#[cfg(test)]
mod edits_tests;
pub mod file;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    agent_process::AgentCommand,
    check::{Check, Verdict, worst},
    executable::FileDigest,
    journey::Journey,
    recording::Recording,
    secrets::Secret,
};

/// The version of the format. It changes when an old reader would misread a new file.
pub const FORMAT: u32 = 2;

/// What is said of the isolation when nobody said it.
pub const NOT_ISOLATED: &str = "none: on the host";

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResult {
    /// The version of the format: 2.
    pub format: u32,
    /// The program that made the result.
    pub checker: Checker,
    /// The agent that was driven.
    pub agent: DrivenAgent,
    /// What stood between the agent and the machine, in the words of who started the run.
    #[serde(default = "unknown")]
    pub isolation: String,
    /// The secrets that the agent was given: their names, and whether their values were hidden.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Secret>,
    /// When the run began, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub took_ms: u64,
    /// How many of the journeys pass.
    pub passed: usize,
    /// The journeys, in the order in which they ran.
    pub journeys: Vec<JourneyResult>,
    /// The journeys that need an agent which follows scenario commands; no part of the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stand_ins: Vec<JourneyResult>,
    /// SHA-256 over all of the above in canonical form, in hexadecimal. It shows an edit, it proves no
    /// origin: who edits can compute it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// Who wrote the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checker {
    /// `acp-journeys`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its executable, in hexadecimal; none if that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The agent of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrivenAgent {
    /// The command that started it.
    #[serde(flatten)]
    pub command: AgentCommand,
    /// Its name in a matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The file that was executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<FileDigest>,
    /// Files that the arguments name: a launcher like `node` is not the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileDigest>,
    /// `agentInfo` of the first answer to `initialize`; null if it gave none.
    #[serde(default)]
    pub info: Value,
    /// `agentCapabilities` of that answer; null if it gave none.
    #[serde(default)]
    pub capabilities: Value,
}

/// One journey: its verdict, its checks, and the recording that both follow from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JourneyResult {
    /// Its name.
    pub name: Journey,
    /// The worst verdict of its checks. A journey with warnings passes.
    pub verdict: Verdict,
    /// The checks.
    pub checks: Vec<Check>,
    /// What was seen.
    pub recording: Recording,
}

fn unknown() -> String {
    "unknown".to_owned()
}

impl Checker {
    /// The name of the program.
    pub const NAME: &'static str = "acp-journeys";
    /// The version of this program.
    pub const VERSION: &'static str = env!("CARGO_PKG_VERSION");

    /// This program.
    #[must_use]
    pub fn this() -> Self {
        let own = std::env::current_exe().and_then(|path| FileDigest::of(&path));
        Self {
            name: Self::NAME.to_owned(),
            version: Self::VERSION.to_owned(),
            sha256: own.ok().and_then(|file| file.sha256),
        }
    }
}

impl JourneyResult {
    /// The result that follows from these checks.
    #[must_use]
    pub fn new(recording: Recording, checks: Vec<Check>) -> Self {
        Self {
            name: recording.inputs.journey(),
            verdict: worst(&checks),
            checks,
            recording,
        }
    }

    /// Whether the journey passes; warnings do not hinder it.
    #[must_use]
    pub fn passes(&self) -> bool {
        self.verdict != Verdict::Fail
    }

    /// Whether it could not be driven for a reason that the agent has no part in.
    #[must_use]
    pub fn could_not_run(&self) -> bool {
        let trouble = self.recording.trouble.as_ref();
        trouble.is_some_and(crate::trouble::Trouble::is_ours)
    }
}

impl RunResult {
    /// Whether all journeys of the run pass, and there is one.
    #[must_use]
    pub fn all_pass(&self) -> bool {
        !self.journeys.is_empty() && self.passed == self.journeys.len()
    }

    /// The journeys and the stand-ins.
    pub fn all_journeys(&self) -> impl Iterator<Item = &JourneyResult> {
        self.journeys.iter().chain(&self.stand_ins)
    }
}
