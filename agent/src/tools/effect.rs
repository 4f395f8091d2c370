//! What a tool call would do to the world.
//!
//! These are the rows of the table in [`crate::mode`], and all that the policy knows of a tool:
//! neither its name nor its arguments can change what is allowed.
//!
//! Must stay true: an effect is found out by the tool in `prepare`, before anything ran, and errs
//! on the side of more.

use stub_model::PlanEntry;

use crate::roots::Located;

/// What a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Look at something in the roots of the session.
    Read,
    /// Look at something elsewhere.
    ReadOutside,
    /// Change a file in the roots of the session.
    Edit,
    /// Change a file elsewhere.
    EditOutside,
    /// Run a command, which could do anything.
    Execute,
    /// Change nothing but a plan: the model's own, or the one of the client's plan tools.
    Plan,
    /// Bring the session into the mode with this id.
    SwitchMode(String),
    /// A tool of an MCP server that says of itself that it only reads (`readOnlyHint`).
    ForeignRead,
    /// Any other tool of an MCP server.
    Foreign,
}

impl Effect {
    /// Looking at what lies there.
    pub(crate) fn reading(located: &Located) -> Self {
        if located.inside {
            Self::Read
        } else {
            Self::ReadOutside
        }
    }

    /// Changing what lies there.
    pub(crate) fn editing(located: &Located) -> Self {
        if located.inside {
            Self::Edit
        } else {
            Self::EditOutside
        }
    }
}

/// What a call changes about the session itself. Tools cannot see the session, so the turn does
/// it, once the call is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChange {
    /// This is the whole plan now.
    Plan(Vec<PlanEntry>),
    /// Switch to the mode with this id.
    Mode(String),
}
