//! Workspaces: named groups of sessions.

use serde::{Deserialize, Serialize};

/// A named group of sessions. Every session belongs to exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Workspace {
    /// Random; never reused.
    pub id: String,
    /// Trimmed, 1 to 64 characters, unique when letter case is ignored.
    pub name: String,
    /// How many sessions it has.
    pub session_count: usize,
    /// When a session was last made in it, or it was made itself; RFC 3339.
    pub opened_at: String,
}

/// `GET /workspaces`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Workspaces {
    /// The most recently opened first.
    pub workspaces: Vec<Workspace>,
}

/// `POST /workspaces`: makes a workspace, or finds the one that has this name already. 200 with a
/// [`Workspace`] either way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWorkspace {
    /// The name.
    pub name: String,
}
