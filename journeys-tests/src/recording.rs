//! What was seen of one journey: plain data, complete enough to be judged again by somebody else.
//!
//! Apart from the code that makes it and the code that reads it, because it is the format of the result
//! file. What must stay true: nothing in it is an opinion; what was cut says so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{journey::Journey, trouble::Trouble, workspace::Snapshot};

/// One journey, as it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recording {
    /// What the checker made up for this run; the judges look for it.
    pub inputs: Inputs,
    /// The agent's processes, in the order in which they were started.
    pub processes: Vec<ProcessRecording>,
    /// What stopped the journey, if it did not come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
    /// When it was made; none in files of the format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// When a recording was made and how long that took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// The start of the journey, in milliseconds since 1970.
    pub started_unix_ms: u64,
    /// From the start to the end of its last process, in milliseconds.
    pub took_ms: u64,
}

/// The random values of one journey.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "journey", rename_all = "kebab-case")]
pub enum Inputs {
    /// See [`Journey::Reply`].
    Reply {
        /// The marker to reply with.
        marker: String,
    },
    /// See [`Journey::Memory`].
    Memory {
        /// The word to remember.
        word: String,
    },
    /// See [`Journey::Load`].
    Load {
        /// The word to remember.
        word: String,
    },
    /// See [`Journey::Image`].
    Image {
        /// The word in the text file.
        word: String,
    },
    /// See [`Journey::Cancel`].
    Cancel,
    /// See [`Journey::Plan`].
    Plan {
        /// The plan to save.
        plan: PlanInputs,
    },
    /// See [`Journey::Modes`].
    Modes {
        /// The plan of the first Plan turn.
        first: PlanInputs,
        /// The file that the regular turn creates, relative to the workspace.
        created_file: String,
        /// The plan of the second Plan turn.
        second: PlanInputs,
    },
    /// See [`Journey::RefusedPermission`].
    RefusedPermission,
    /// See [`Journey::KilledMidTurnThenLoad`].
    KilledMidTurnThenLoad {
        /// The word to remember.
        word: String,
    },
    /// See [`Journey::ModelFailure`].
    ModelFailure {
        /// The marker to reply with after the failure.
        marker: String,
    },
    /// See [`Journey::Question`].
    Question {
        /// The user's answer.
        answer: String,
    },
}

/// What one Plan turn is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanInputs {
    /// The exact title.
    pub title: String,
    /// The file to cat, relative to the workspace.
    pub file: String,
    /// What the file holds, and so what cat prints.
    pub text: String,
}

impl Inputs {
    /// The journey that these values belong to.
    #[must_use]
    pub const fn journey(&self) -> Journey {
        match self {
            Self::Reply { .. } => Journey::Reply,
            Self::Memory { .. } => Journey::Memory,
            Self::Load { .. } => Journey::Load,
            Self::Image { .. } => Journey::Image,
            Self::Cancel => Journey::Cancel,
            Self::Plan { .. } => Journey::Plan,
            Self::Modes { .. } => Journey::Modes,
            Self::RefusedPermission => Journey::RefusedPermission,
            Self::KilledMidTurnThenLoad { .. } => Journey::KilledMidTurnThenLoad,
            Self::ModelFailure { .. } => Journey::ModelFailure,
            Self::Question { .. } => Journey::Question,
        }
    }
}

/// One process of the agent, from start to end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessRecording {
    /// Milliseconds from the start of the journey to the start of this process.
    #[serde(default)]
    pub started_ms: u64,
    /// What happened on its pipes, in order.
    pub events: Vec<Event>,
    /// The end of its standard error.
    pub stderr: StderrTail,
    /// The processes seen below it, at named moments.
    pub looks: Vec<Look>,
    /// The workspace around each turn.
    pub turns: Vec<TurnFiles>,
    /// The workspace when the process was gone.
    pub files_at_end: Snapshot,
    /// What the tool server says of itself: one JSON object a line, written by the server.
    pub tool_server: ToolServerLog,
    /// How it ended.
    pub ending: Ending,
}

/// One event and its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// Milliseconds since the process was started.
    pub t_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What can happen on the pipes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum What {
    /// The checker wrote this line.
    Sent {
        /// The JSON text, without newline.
        line: String,
    },
    /// The agent wrote this line, and it is a JSON object.
    Received {
        /// The JSON text, without newline.
        line: String,
        /// True if the newline was missing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unterminated: bool,
    },
    /// The agent wrote a line that is no JSON object.
    Junk {
        /// The line, or its beginning.
        line: String,
        /// The length of the whole line.
        bytes: u64,
        /// What is wrong with it.
        reason: JunkReason,
    },
    /// Lines that are counted but not kept, from here on.
    Omitted {
        /// How many.
        lines: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// The checker closed the agent's input.
    InputClosed,
    /// The agent's output ended.
    OutputClosed,
    /// The process ended.
    Exited {
        /// How.
        status: ExitStatus,
    },
}

/// Why a line is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JunkReason {
    /// Not JSON.
    NotJson,
    /// JSON, but no object.
    NotAnObject,
    /// Not UTF-8.
    NotUtf8,
    /// Longer than the checker reads.
    TooLong,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// It exited with this status.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl std::fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit status {code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The last part of standard error.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StderrTail {
    /// All that was written, in bytes.
    pub bytes: u64,
    /// The end of it; the whole if `bytes` is not more.
    pub tail: String,
}

/// The living processes below the agent at one moment, the agent itself left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Look {
    /// Milliseconds since the process was started.
    pub t_ms: u64,
    /// The moment.
    pub when: When,
    /// Who was there.
    pub processes: Vec<SeenProcess>,
    /// Children that have ended and were not waited for; counted after a turn alone.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub zombies: usize,
}

/// So that a recording without zombies need not say so.
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The moments of a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Before `session/cancel` was sent.
    BeforeCancel,
    /// After the answer of a cancelled prompt, with time to settle.
    AfterCancel,
    /// Right after the answer of a prompt.
    AfterTurn,
    /// As soon as the agent had ended.
    AtEnd,
    /// After the agent had ended, with time to settle.
    AfterEnd,
    /// After the journey had killed the agent, with time to settle.
    AfterKill,
}

/// A process that belongs to the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenProcess {
    /// Its id.
    pub pid: i32,
    /// Its start, in clock ticks since boot; with the id it names a process for good.
    pub start_ticks: u64,
    /// Its arguments, or its name in brackets if it has none.
    pub command: Vec<String>,
}

/// The workspace around one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnFiles {
    /// Before the prompt was sent.
    pub before: Snapshot,
    /// After it was answered; none if it never was.
    pub after: Option<Snapshot>,
    /// What appeared beside the workspace during the turn, where the agent has no business.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
}

/// The record of the tool server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolServerLog {
    /// The lines, as JSON.
    pub lines: Vec<Value>,
    /// What could not be read of it, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// How a process of the agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ending {
    /// Before the checker closed its input.
    BeforeInputClosed {
        /// How.
        status: ExitStatus,
    },
    /// By itself, after its input was closed.
    AfterInputClosed {
        /// How.
        status: ExitStatus,
        /// How long it took.
        after_ms: u64,
    },
    /// It did not end by itself, and the checker killed it.
    Killed {
        /// How long it had been given.
        after_ms: u64,
    },
    /// The journey killed it, as its part of the story.
    KilledByJourney,
}
