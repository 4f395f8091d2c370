//! Making a session.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::SessionId;

/// `POST /sessions`. 201 with a [`SessionCreated`] when the session is stored and its environment is
/// being made; whether that worked is seen at `GET /sessions/{id}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSession {
    /// The workspace; may be left out only while exactly one exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// The harness; the saved default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile_id: Option<String>,
    /// The place; the saved default if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// The repositories to clone, instead of a project directory; needed on some targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle_id: Option<String>,
    /// An absolute directory of the user's own to work in, instead of a bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_directory: Option<ProjectDirectory>,
    /// The full object id of the commit at which the primary repository starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// With `at` the name of a new branch, else of one that exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Against what the work is compared; `at` if left out. It never moves the checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The runtime identity without which nothing may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_runtime_identity: Option<String>,
    /// For people; the first words of the first prompt if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Chosen by the client, 1 to 128 printable ASCII characters without blanks. A second request
    /// with the same one makes no second session but gets the first one's id, so that a client that
    /// lost the reply can ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// A directory as it stands in a request.
pub type ProjectDirectory = PathBuf;

/// The session is stored, so it is never lost; its environment is being made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SessionCreated {
    /// Its id.
    pub session_id: SessionId,
}
