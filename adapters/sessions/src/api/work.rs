//! What a session has done to its repositories.

use serde::{Deserialize, Serialize};

/// The query of `GET /sessions/{id}/diff`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffQuery {
    /// Against this revision instead of the session's base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// A [`Diff`] as JSON instead of the plain text of the diff.
    #[serde(default)]
    pub json: bool,
}

/// The work of a session in its primary repository, committed or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Diff {
    /// As `git diff` writes it.
    pub diff: String,
    /// The commit compared with; none if there is no commit yet.
    pub base: Option<String>,
    /// The commit that is checked out; none if there is no commit yet.
    pub head: Option<String>,
    /// Whether the base is an ancestor of the head; if not, the diff also shows work of others.
    pub head_descends_from_base: bool,
}

/// `POST /sessions/{id}/export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {
    /// As what.
    pub kind: ExportKind,
}

/// What can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExportKind {
    /// A git bundle of the commits of the primary repository that its base does not have.
    Bundle,
}

/// An export, in a file beside the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Exported {
    /// The file, on the machine of the daemon.
    pub path: std::path::PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// The digest of its bytes, lower-case hexadecimal.
    pub sha256: String,
}
