//! What a session can be made of.

use serde::{Deserialize, Serialize};

/// `GET /options`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Options {
    /// By id.
    pub profiles: Vec<ProfileOption>,
    /// By id.
    pub targets: Vec<TargetOption>,
    /// By id.
    pub bundles: Vec<BundleOption>,
    /// The profile of a session that names none.
    pub default_profile_id: String,
    /// The target of a session that names none.
    pub default_target_id: String,
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ProfileOption {
    /// Its id.
    pub id: String,
    /// What its harness is.
    pub harness_kind: String,
    /// Whether sessions may be made with it.
    pub enabled: bool,
}

/// A target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TargetOption {
    /// Its id.
    pub id: String,
    /// `local`, `container`, `ssh` or `kubernetes`.
    pub kind: String,
    /// Whether every session on it needs a bundle; elsewhere a project directory will do.
    pub needs_bundle: bool,
}

/// A bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BundleOption {
    /// Its id.
    pub id: String,
    /// The repository in which the agent works.
    pub primary_repo: String,
    /// All of them, by id.
    pub repositories: Vec<String>,
}
