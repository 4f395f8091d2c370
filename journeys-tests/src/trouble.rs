//! Why a journey could not be driven to its end. A trouble is not a verdict: the judges read it to say
//! why a check was not reached, and keep a time-out, a crash and a failed start apart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::recording::ExitStatus;

/// What stopped a journey before its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(tag = "trouble", rename_all = "snake_case")]
pub enum Trouble {
    /// The program could not be started at all.
    #[error("could not start {program}: {error}")]
    CouldNotStart {
        /// The program as it was given.
        program: String,
        /// What the system said.
        error: String,
    },
    /// Nothing came in time.
    #[error("timed out: no response to {step} after {waited_ms} ms ({rule})")]
    TimedOut {
        /// The method and the id that were waited for.
        step: String,
        /// How long the checker waited.
        waited_ms: u64,
        /// Which limit ended the wait.
        rule: String,
    },
    /// The process ended while it owed an answer.
    #[error(
        "the agent ended ({}) while the checker waited for {step}",
        status_text(status)
    )]
    Ended {
        /// What was waited for.
        step: String,
        /// How it ended; none if it only closed its output.
        status: Option<ExitStatus>,
    },
    /// A JSON-RPC error came where a result was needed.
    #[error("{step} was answered with the error {error}")]
    Refused {
        /// The method and its id.
        step: String,
        /// The error object, as text.
        error: String,
    },
    /// The agent speaks another protocol version; nothing more is sent to it.
    #[error("the answer to initialize has protocolVersion {found}, not the number 1")]
    WrongVersion {
        /// The value that came, as JSON.
        found: String,
    },
    /// The agent lacks something the journey needs.
    #[error("the agent does not advertise {what}")]
    NotAdvertised {
        /// The capability.
        what: String,
    },
    /// An answer lacks something the next step needs.
    #[error("the answer to {step} has no {member}")]
    Incomplete {
        /// The method and its id.
        step: String,
        /// The member that is missing.
        member: String,
    },
    /// More output than the checker keeps.
    #[error("the agent wrote more than {limit_bytes} bytes of messages in one process")]
    Flooded {
        /// The bound.
        limit_bytes: u64,
    },
    /// The agent does not read what it is sent.
    #[error("the agent does not read its input: {step} could not be written")]
    InputStuck {
        /// What was to be written.
        step: String,
    },
    /// The fault is the checker's or the machine's, not the agent's.
    #[error("the checker failed: {what}")]
    Checker {
        /// What failed, and what to do.
        what: String,
    },
}

impl Trouble {
    /// Whether the agent has no part in it, so that a verdict on the agent would be unfair.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        matches!(self, Self::CouldNotStart { .. } | Self::Checker { .. })
    }
}

fn status_text(status: &Option<ExitStatus>) -> String {
    status.as_ref().map_or_else(
        || "output closed, still running".to_owned(),
        ToString::to_string,
    )
}
