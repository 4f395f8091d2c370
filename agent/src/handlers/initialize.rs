//! `initialize`: the version, and what this agent can do.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization>

use std::sync::Arc;

use wire::Params;

use super::{Handled, authenticate};
use crate::{acp, agent::Agent};

/// Answers with version 1, whatever version was asked for: it is the only one that is spoken here,
/// and a client that cannot speak it closes the connection. What the client offers the first time
/// holds for the connection.
pub(super) fn initialize(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::InitializeRequest = params.parse()?;
    let offers = agent
        .offers
        .get_or_init(|| Arc::new(request.client_capabilities));
    let mut answer = answer();
    answer.auth_methods = authenticate::methods(agent, offers);
    answer.agent_capabilities.auth = authenticate::capabilities(agent);
    Ok(Box::new(move |responder, _| responder.respond(&answer)))
}

/// Advertises what is built, and nothing else.
fn answer() -> acp::InitializeResponse {
    let prompts = acp::PromptCapabilities::new()
        .image(true)
        .embedded_context(true);
    let sessions = acp::SessionCapabilities::new()
        .list(acp::SessionListCapabilities::new())
        .resume(acp::SessionResumeCapabilities::new())
        .close(acp::SessionCloseCapabilities::new())
        .delete(acp::SessionDeleteCapabilities::new())
        .additional_directories(acp::SessionAdditionalDirectoriesCapabilities::new());
    let capabilities = acp::AgentCapabilities::new()
        .load_session(true)
        .session_capabilities(sessions)
        .prompt_capabilities(prompts)
        .mcp_capabilities(acp::McpCapabilities::new().http(true));
    let info = acp::Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"))
        .title("ACP reference agent".to_owned());
    acp::InitializeResponse::new(agent_client_protocol_schema::ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_number_one() {
        let json = serde_json::to_value(answer()).unwrap();
        assert_eq!(json["protocolVersion"], serde_json::json!(1));
        assert_eq!(json["agentCapabilities"]["loadSession"], true);
        assert_eq!(
            json["agentCapabilities"]["promptCapabilities"]["image"],
            true
        );
    }
}
