//! What really runs behind a session.

use serde::{Deserialize, Serialize};

/// A receipt of the runtime of a harness, made when it answered `initialize`. Never rewritten.
///
/// It holds no path, no home, no token and no environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Runtime {
    /// Equal ids mean the same bytes. Opaque. None if the runtime is not known.
    pub id: Option<String>,
    /// The harness.
    pub harness: String,
    /// Operating system and processor of the target, such as `linux-x86_64`.
    pub platform: String,
    /// Where the harness came from.
    pub provenance: Provenance,
    /// What was looked at, in order.
    pub components: Vec<Component>,
    /// Why there is no id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable_reason: Option<String>,
    /// Its place among the receipts of the session, from 1.
    pub event_ordinal: u64,
    /// Milliseconds since 1970.
    pub observed_at_ms: i64,
}

/// Where a harness came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The daemon put it there.
    ManagedInstallation,
    /// It was there.
    TargetInstallation,
}

/// A part of a runtime.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct Component {
    /// Its name, without a path.
    pub name: String,
    /// What it says of itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The digest of its bytes, lower-case hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}
