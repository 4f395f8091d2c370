//! What this agent says it is to a tool server: an MCP client that offers nothing.
//!
//! It declares no capability (no sampling, no roots, no elicitation), so a server has nothing to
//! ask for; who asks anyway is answered by the [transport](super::transport).
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#capability-negotiation>

use rmcp::model::{ClientConfig, Implementation};

/// The client side of the handshake.
pub(super) fn config() -> ClientConfig {
    let own = Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    ClientConfig::new(Default::default(), own)
}
