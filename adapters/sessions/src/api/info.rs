//! Which daemon it is, and where.

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

/// `GET /info`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DaemonInfo {
    /// The version of the program.
    pub version: String,
    /// The version of the contract, see [`VERSION`](super::VERSION).
    pub api_version: String,
    /// Its process.
    pub pid: u32,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// How many sessions it owns.
    pub session_count: usize,
}

/// The content of the endpoint file, by which clients find the daemon. It is published when the
/// daemon answers, and removed when it ends; after a crash it is stale, so a client must ask. The
/// token is not in it, but in its own file, which survives restarts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// The process of the daemon.
    pub pid: u32,
    /// Loopback address and port.
    pub address: SocketAddr,
    /// The version of the program.
    pub version: String,
}
