//! What the runner tells the host: the events of `colonizer-runner/1`, one JSON object a line.
//!
//! The members and their names are the host's contract. The host adds `seq`, `ts` and `origin`;
//! the runner never sends them. How an event is kept below the longest line is in [`fit`].
//!
//! [`fit`]: crate::fit

use serde::Serialize;
use serde_json::{Map, Value};

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// What the runner does now.
    Status {
        /// The state.
        state: State,
        /// The code of a named error, or why the runner ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The echo of an accepted message.
    UserMessage {
        /// The message's id.
        id: String,
        /// Its text.
        text: String,
    },
    /// A piece of text as it comes.
    AssistantTextDelta {
        /// The turn.
        message_id: String,
        /// Which block of the turn.
        block_index: u32,
        /// The piece.
        delta: String,
    },
    /// The whole text of a block; it replaces the pieces.
    AssistantText {
        /// The turn.
        message_id: String,
        /// Which block of the turn.
        block_index: u32,
        /// The text.
        text: String,
    },
    /// What the agent thought, or its plan.
    Thinking {
        /// The turn.
        message_id: String,
        /// Which block of the turn.
        block_index: u32,
        /// The text.
        text: String,
    },
    /// A tool call began.
    ToolCall {
        /// The turn.
        message_id: String,
        /// The agent's id of the call.
        tool_call_id: String,
        /// A title for people.
        name: String,
        /// The arguments; always an object.
        input: Map<String, Value>,
    },
    /// A tool call ended. Exactly one for each call.
    ToolResult {
        /// The agent's id of the call.
        tool_call_id: String,
        /// At most 20 000 characters.
        output: String,
        /// Whether it failed.
        is_error: bool,
        /// That the colony, and not the tool, refused.
        #[serde(skip_serializing_if = "Option::is_none")]
        denial: Option<Denial>,
    },
    /// The agent asks a person.
    Question(Question),
    /// A question was answered.
    QuestionAnswered {
        /// Which.
        question_id: String,
        /// As the host sent them.
        answers: Map<String, Value>,
        /// As the host sent it.
        response: Option<String>,
    },
    /// The id under which the conversation can be resumed.
    AgentSession {
        /// The agent's session id.
        session_id: String,
    },
    /// A turn ended.
    TurnEnd {
        /// Whether it failed or was stopped.
        is_error: bool,
        /// The text, or why it failed.
        result: Option<String>,
        /// US dollars since the start, if the agent tells.
        cost_usd: Option<f64>,
        /// Milliseconds.
        duration_ms: Option<u64>,
    },
    /// A line for the log.
    Log {
        /// How bad it is.
        level: Level,
        /// What happened.
        message: String,
    },
    /// Another model is in use.
    ModelChanged {
        /// Its id.
        model: String,
        /// The one before; nothing the first time.
        previous: Option<String>,
    },
    /// The agent touched a path that is masked or protected. A report, never a verdict.
    PathPolicy {
        /// What it did.
        access: Access,
        /// What the path is.
        policy: Policy,
        /// Relative to the workspace.
        path: String,
        /// The ACP method.
        tool: String,
    },
    /// A boundary of the colony was touched.
    Boundary(Boundary),
    /// A self-paced loop asks for its next round.
    LoopNext {
        /// From now; 15 to 1440.
        delay_minutes: u32,
        /// Why then.
        reason: String,
    },
    /// A loop asks to stop.
    LoopStop {
        /// Why.
        reason: String,
    },
}

/// What the runner does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It waits for a message.
    Idle,
    /// A turn runs.
    Working,
    /// A question is open.
    WaitingForAnswer,
    /// It cannot serve; the detail names the error.
    Error,
    /// It is about to exit.
    Exited,
}

/// How bad a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Good to know.
    Info,
    /// Something was ignored or is missing.
    Warn,
    /// Something failed.
    Error,
}

/// A question with a card for a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Question {
    /// Names it in the answer.
    pub question_id: String,
    /// The turn, if one runs.
    pub message_id: Option<String>,
    /// How far what is asked for reaches.
    pub risk: Risk,
    /// `exec_policy` if a rule of the policy made it a question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<&'static str>,
    /// That a tool call hangs on it; always so in ACP.
    pub blocking: bool,
    /// One card.
    pub questions: Vec<Card>,
}

/// The card of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Card {
    /// The text. It is the key of the answer.
    pub question: String,
    /// A word above it.
    pub header: &'static str,
    /// Whether several options may be chosen.
    pub multi_select: bool,
    /// Two to four.
    pub options: Vec<CardOption>,
}

/// One option of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CardOption {
    /// What is chosen by; unique on its card.
    pub label: String,
    /// ACP's kind of the option.
    pub description: String,
}

/// The classes of risk that a runner claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    /// It looks, and changes nothing.
    ReadOnly,
    /// It may change the workspace.
    WorkspaceWrite,
}

/// That the colony refused something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Denial {
    /// What kind of refusal.
    pub class: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

/// What was done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// It was read.
    Read,
    /// It was written.
    Write,
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// Its content is hidden in the colony.
    Masked,
    /// It must not be written.
    Protected,
}

/// A boundary that was touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Boundary {
    /// Which kind.
    pub kind: BoundaryKind,
    /// What guards it; at most 80 characters.
    pub control: String,
    /// One line, secrets masked, at most 300 characters.
    pub detail: String,
    /// What was reached for; at most 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// When, RFC 3339 in UTC.
    pub at: String,
}

/// The kinds of boundaries that a runner reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundaryKind {
    /// The exec policy, or a person it asked, refused a command.
    ExecPolicyDeny,
    /// A refused question is asked again.
    ExecPolicyAskBypassAttempt,
    /// The network of the colony ends here.
    EgressDenied,
    /// A read-only mount was written to.
    SandboxDenied,
}

impl Event {
    /// A state without a detail.
    pub const fn status(state: State) -> Self {
        Self::Status {
            state,
            detail: None,
        }
    }

    /// A line for the log.
    pub fn log(level: Level, message: impl Into<String>) -> Self {
        Self::Log {
            level,
            message: message.into(),
        }
    }

    /// A warning.
    pub fn warn(message: impl Into<String>) -> Self {
        Self::log(Level::Warn, message)
    }
}
