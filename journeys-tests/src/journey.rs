//! The journeys, by name: the seven of the contract, and the four that need an agent which follows
//! scenario commands. What each one does is in `journeys/`, what it demands in `judge/`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One journey: a short conversation with a fresh agent.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, clap::ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Journey {
    /// A reply with an exact marker.
    Reply,
    /// A word remembered from one turn to the next.
    Memory,
    /// A word remembered by a new process that loads the session.
    Load,
    /// A file read and an image seen.
    Image,
    /// A running shell command stopped.
    Cancel,
    /// A plan saved and read back in Plan mode, with nothing changed.
    Plan,
    /// Plan mode, the first mode, Plan mode again, in one session.
    Modes,
    /// A permission refused: the turn goes on without it.
    RefusedPermission,
    /// The agent killed in the middle of a turn; a new process loads the session.
    KilledMidTurnThenLoad,
    /// A model that fails: never a turn that ends well.
    ModelFailure,
    /// A question to the user, and the answer.
    Question,
}

impl Journey {
    /// The journeys of the contract, in the order in which they run.
    pub const ALL: [Self; 7] = [
        Self::Reply,
        Self::Memory,
        Self::Load,
        Self::Image,
        Self::Cancel,
        Self::Plan,
        Self::Modes,
    ];

    /// The journeys that need scenario commands; they are no part of the verdict.
    pub const STAND_INS: [Self; 4] = [
        Self::RefusedPermission,
        Self::KilledMidTurnThenLoad,
        Self::ModelFailure,
        Self::Question,
    ];

    /// Whether it needs an agent that follows scenario commands.
    #[must_use]
    pub fn is_stand_in(self) -> bool {
        Self::STAND_INS.contains(&self)
    }

    /// The name on the command line and in the result file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reply => "reply",
            Self::Memory => "memory",
            Self::Load => "load",
            Self::Image => "image",
            Self::Cancel => "cancel",
            Self::Plan => "plan",
            Self::Modes => "modes",
            Self::RefusedPermission => "refused-permission",
            Self::KilledMidTurnThenLoad => "killed-mid-turn-then-load",
            Self::ModelFailure => "model-failure",
            Self::Question => "question",
        }
    }

    /// What a user does in it, in one sentence.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Reply => "asks for a reply that is an exact marker",
            Self::Memory => "gives a word to remember and asks for it in the next turn",
            Self::Load => {
                "gives a word, starts the agent again, loads the session and asks for the word"
            }
            Self::Image => "asks for the word in a text file and the colour of an image",
            Self::Cancel => "starts `sleep 120` and stops it",
            Self::Plan => "in Plan mode: cat a file, save a plan with it, read the plan back",
            Self::Modes => "a Plan turn, a turn that creates a file, a Plan turn again",
            Self::RefusedPermission => "refuses what `/permission` asks for",
            Self::KilledMidTurnThenLoad => {
                "kills the agent in a turn of `/slow`, starts it again, loads the session and asks \
                 for a word"
            }
            Self::ModelFailure => "lets the model fail with `/error`, and goes on",
            Self::Question => "answers the question that `/ask` asks",
        }
    }
}

impl std::fmt::Display for Journey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
