//! `initialize`: version 1, and no capability beyond the plain ones.
//!
//! It never touches the daemon: a client may ask what we are without starting anything. What the
//! client offers is ignored, since its files and terminals are not where the sessions run.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization>

use agent_client_protocol_schema::{ProtocolVersion, v1 as acp};
use wire::{Error, Params};

/// Answers with version 1, whatever was proposed: it is the only one that is spoken here.
pub(super) fn answer(params: &Params) -> Result<acp::InitializeResponse, Error> {
    let _: acp::InitializeRequest = params.parse()?;
    let info = acp::Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .title("Durable sessions".to_owned());
    Ok(acp::InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(acp::AgentCapabilities::new())
        .agent_info(info))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_claimed() {
        let params = serde_json::json!({ "protocolVersion": 7 });
        let request: acp::InitializeRequest = serde_json::from_value(params).unwrap();
        assert_eq!(request.protocol_version, ProtocolVersion::from(7));
        let json = serde_json::to_value(acp::AgentCapabilities::new()).unwrap();
        assert_eq!(json["loadSession"], false);
        assert_eq!(json["promptCapabilities"]["image"], false);
        assert_eq!(json["mcpCapabilities"]["http"], false);
    }
}
