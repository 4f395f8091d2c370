//! What the user wants, once read: the things to do in their order, and what to answer.
//!
//! Apart from the reader, which makes these values, and from progress and answer, which use them:
//! this is all that they share.

/// Everything that was understood of one prompt.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Request {
    /// What to do, in order.
    pub(crate) actions: Vec<Action>,
    /// What to answer, in order. Empty: report on the actions.
    pub(crate) wants: Vec<Want>,
    /// What the user asked to keep in mind, to be confirmed when nothing else is to be said.
    pub(crate) remembered: Vec<String>,
    /// The steps of a plan to show.
    pub(crate) plan: Option<Vec<String>>,
    /// Whether the answer is wanted even when an action did not work.
    pub(crate) regardless: bool,
    /// What could not be done, in whole sentences.
    pub(crate) problems: Vec<String>,
    /// Whether any instruction was recognised at all, also one that asks for nothing.
    pub(crate) understood: bool,
}

/// One thing to do. Each becomes one tool call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Run a command, to the letter.
    Shell {
        command: String,
        timeout: Option<u64>,
    },
    /// Look into a file.
    Read {
        path: String,
        via: Via,
        lines: Option<Lines>,
    },
    /// Make or replace a file, or add to it.
    Write {
        path: String,
        content: Content,
        via: Via,
        append: bool,
    },
    /// Replace some text in a file.
    Edit {
        path: String,
        old: String,
        new: String,
        all: bool,
    },
    /// Make a folder, delete, move or copy: things that only a shell does.
    Folder {
        path: String,
    },
    Delete {
        path: String,
    },
    Move {
        from: String,
        to: String,
    },
    Copy {
        from: String,
        to: String,
    },
    /// See what is in a folder.
    List {
        path: String,
    },
    /// Find lines that match.
    Search {
        pattern: String,
        path: Option<String>,
    },
    /// Save a plan with the client's tool.
    CreatePlan {
        title: String,
        description: Content,
    },
    /// Read a plan back.
    GetPlan {
        id: Option<String>,
    },
    /// Call a tool by its name.
    Call {
        tool: String,
        given: Given,
    },
    /// Change the session's mode.
    SwitchMode {
        mode: Option<String>,
    },
}

/// Which tool the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Via {
    /// The tool made for it.
    Tool,
    /// A shell command.
    Shell,
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The first line, counted from 1.
    pub(crate) first: u64,
    /// How many.
    pub(crate) count: Option<u64>,
}

/// A text to pass on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// These words.
    Literal(String),
    /// What the step before gave.
    Output,
    /// The id of the plan that was saved.
    PlanId,
}

/// The arguments that a user gave for a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Given {
    /// A JSON object.
    Json(serde_json::Map<String, serde_json::Value>),
    /// Pairs of a name and a value, and values without a name.
    Words {
        named: Vec<(String, String)>,
        bare: Vec<String>,
    },
}

/// One thing to answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Want {
    /// These words exactly.
    Literal(String),
    /// Something that the user said: the words of the question.
    Fact(String),
    /// The word in the file.
    FileWord,
    /// All of the file, or of what came with the prompt.
    FileContent,
    /// The colour of the images.
    Colour,
    /// The id of the plan that was saved.
    PlanId,
    /// What the commands put out.
    Output,
    /// The user's last requests, as many as said.
    Requests(usize),
    /// What was answered before.
    LastAnswer,
    /// Numbers, one a line, and a word behind them.
    Numbers {
        first: i64,
        last: i64,
        after: Option<String>,
    },
    /// Which tools there are, which mode, which folder.
    Tools,
    Mode,
    Folder,
}
