//! `authenticate` and `logout`, and what `initialize` says of them.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/authentication>

use std::sync::Arc;

use wire::Params;

use super::{Handled, Reply, later};
use crate::{acp, agent::Agent, error::RequestError};

/// The method that goes over the connection.
const AGENT_LOGIN: &str = "agent-login";

/// The method that goes over a terminal.
const TERMINAL_LOGIN: &str = "terminal-login";

/// The ways to log in that this client can go; none where none is needed.
pub(super) fn methods(agent: &Agent, client: &acp::ClientCapabilities) -> Vec<acp::AuthMethod> {
    if !agent.login.is_required() {
        return Vec::new();
    }
    let over_the_wire = acp::AuthMethodAgent::new(AGENT_LOGIN, "Log in")
        .description("The stub model lets everybody in".to_owned());
    let mut methods = vec![acp::AuthMethod::Agent(over_the_wire)];
    if client.auth.terminal {
        let in_terminal = acp::AuthMethodTerminal::new(TERMINAL_LOGIN, "Log in from the terminal")
            .description("Asks once and ends".to_owned())
            .args(vec!["--login".to_owned()]);
        methods.push(acp::AuthMethod::Terminal(in_terminal));
    }
    methods
}

/// What is advertised beside the methods.
pub(super) fn capabilities(agent: &Agent) -> acp::AgentAuthCapabilities {
    let logout = agent.login.is_required().then(acp::LogoutCapabilities::new);
    acp::AgentAuthCapabilities::new().logout(logout)
}

/// Logs in. What was written behind the request is allowed already.
pub(super) fn authenticate(agent: &Arc<Agent>, params: &Params) -> Handled {
    let request: acp::AuthenticateRequest = params.parse()?;
    if !agent.login.is_required() || &*request.method_id.0 != AGENT_LOGIN {
        let reason = match &*request.method_id.0 {
            TERMINAL_LOGIN => "this method runs in a terminal; connect again after it",
            _ => "there is no authentication method with this id; see initialize",
        };
        return Err(RequestError::InvalidParams(reason.to_owned()).into());
    }
    agent.login.set(true);
    Ok(keep(agent, acp::AuthenticateResponse::new()))
}

/// Logs out. Turns that run go on to their end; the next prompt needs a login.
pub(super) fn logout(agent: &Arc<Agent>, params: &Params) -> Handled {
    if !agent.login.is_required() {
        let name = acp::AGENT_METHOD_NAMES.logout;
        return Err(wire::Error::method_not_found(name));
    }
    let _: acp::LogoutRequest = params.parse()?;
    agent.login.set(false);
    Ok(keep(agent, acp::LogoutResponse::new()))
}

fn keep<A: serde::Serialize + Send + 'static>(agent: &Arc<Agent>, answer: A) -> Reply {
    let keeping = Arc::clone(agent);
    later(agent, move |_| async move {
        tokio::task::spawn_blocking(move || keeping.login.keep())
            .await
            .map_err(|error| error.to_string())
            .and_then(|kept| kept.map_err(|error| error.to_string()))
            .map_err(|error| RequestError::Internal(format!("keeping the login: {error}")))?;
        Ok(answer)
    })
}
