//! From a started agent to a session: `initialize`, then a session loaded or made.
//!
//! It runs as a task beside the runner's loop, because commands must be served while the agent
//! takes its time. What it tells the host it sends itself, so that all of it comes before the first
//! turn.
//!
//! Must stay true: no `authenticate` is ever sent. A login would need a person, and there is none.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup>

use std::{path::PathBuf, time::Duration};

use serde_json::{Value, json};
use tokio::time::timeout;
use wire::{Peer, RequestError};

use crate::{
    event::Event,
    model::Model,
    named_error::{Code, NamedError},
    outlet::Outlet,
};

/// How long the choice of the model at the start may take, so that an agent that does not answer it
/// can still work with the model it has.
const MODEL_DEADLINE: Duration = Duration::from_secs(20);

/// The version of ACP that the runner speaks.
const PROTOCOL_VERSION: u64 = 1;

/// What a handshake needs to know.
#[derive(Debug)]
pub struct Wanted {
    /// The real path of the workspace.
    pub workspace: PathBuf,
    /// The MCP servers for the session.
    pub mcp_servers: Value,
    /// The session to go on with.
    pub resume: Option<String>,
    /// The model to use.
    pub model: Option<String>,
    /// How long all of it may take.
    pub deadline: Duration,
}

/// A session that is ready for its first prompt.
#[derive(Debug)]
pub struct Session {
    /// The agent's id of it.
    pub id: String,
    /// Its model.
    pub model: Model,
    /// Whether it began now, and has no history.
    pub is_fresh: bool,
}

/// Why there is no session.
#[derive(Debug)]
pub enum Failure {
    /// The agent answered with an error, or wrongly, or not in time.
    Refused(String),
    /// The connection ended, so the agent has. Its death tells more.
    Closed,
}

impl Failure {
    /// The named error. `credential` is the variable of the preset's credential, if it has one.
    pub fn named(self, credential: Option<&str>) -> NamedError {
        let Self::Refused(why) = self else {
            return NamedError::new(Code::AgentFailed, "the agent closed the connection");
        };
        let wants_login = why.to_lowercase().contains("authentication required");
        match credential {
            Some(variable) if wants_login => NamedError::new(
                Code::AuthFailed,
                format!("the agent refused the credential: check {variable}"),
            ),
            None if wants_login => NamedError::new(
                Code::AuthFailed,
                "the agent needs a login, and the colony runs none; give it a credential as a \
                 colony secret",
            ),
            _ => NamedError::new(
                Code::AgentFailed,
                format!("the ACP handshake failed: {why}"),
            ),
        }
    }
}

/// Shakes hands, within a deadline.
///
/// # Errors
/// Why there is no session.
pub async fn shake(peer: Peer, wanted: Wanted, outlet: Outlet) -> Result<Session, Failure> {
    match timeout(wanted.deadline, session(&peer, &wanted, &outlet)).await {
        Ok(session) => session,
        Err(_) => Err(Failure::Refused(format!(
            "the agent did not answer within {} seconds",
            wanted.deadline.as_secs_f32()
        ))),
    }
}

async fn session(peer: &Peer, wanted: &Wanted, outlet: &Outlet) -> Result<Session, Failure> {
    let agent: Value = ask(peer, "initialize", &initialize()).await?;
    let version = &agent["protocolVersion"];
    if version.as_u64() != Some(PROTOCOL_VERSION) {
        let warning = format!(
            "the agent speaks ACP protocol version {version}, this runner negotiates {PROTOCOL_VERSION}"
        );
        outlet.send(Event::warn(warning)).await;
    }
    let can_load = agent["agentCapabilities"]["loadSession"] == true;
    let resumed = match &wanted.resume {
        Some(id) => resume(peer, wanted, id, &agent, outlet).await?,
        None => None,
    };
    let is_fresh = resumed.is_none();
    let (id, result) = match resumed {
        Some(session) => session,
        None => {
            let params = json!({"cwd": wanted.workspace, "mcpServers": wanted.mcp_servers});
            let result = ask(peer, "session/new", &params).await?;
            let Some(id) = result["sessionId"].as_str() else {
                let why = "the answer to session/new has no sessionId".to_owned();
                return Err(Failure::Refused(why));
            };
            (id.to_owned(), result)
        }
    };
    if can_load || can_resume(&agent) {
        let session_id = id.clone();
        outlet.send(Event::AgentSession { session_id }).await;
    }
    let (mut model, announced) = Model::of_session(&result);
    if let Some(event) = announced {
        outlet.send(event).await;
    }
    if let Some(name) = &wanted.model {
        choose(peer, &id, &mut model, name, outlet).await?;
    }
    Ok(Session {
        id,
        model,
        is_fresh,
    })
}

fn initialize() -> Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION,
        "clientInfo": {"name": "acp-runner", "version": env!("CARGO_PKG_VERSION")},
        "clientCapabilities": {
            "fs": {"readTextFile": true, "writeTextFile": true},
            "terminal": true,
        },
    })
}

/// Whether the agent can go on with a session without telling its history again.
fn can_resume(agent: &Value) -> bool {
    agent["agentCapabilities"]["sessionCapabilities"]["resume"].is_object()
}

/// Goes on with a session: its id and what the agent said about it, or nothing if that failed and a
/// fresh one must do. `session/load` comes first because every agent that resumes has it longer.
async fn resume(
    peer: &Peer,
    wanted: &Wanted,
    id: &str,
    agent: &Value,
    outlet: &Outlet,
) -> Result<Option<(String, Value)>, Failure> {
    let method = if agent["agentCapabilities"]["loadSession"] == true {
        "session/load"
    } else if can_resume(agent) {
        "session/resume"
    } else {
        let warning = format!(
            "cannot resume session {id}: the agent does not advertise loadSession; a fresh session \
             starts instead"
        );
        outlet.send(Event::warn(warning)).await;
        return Ok(None);
    };
    let params = json!({
        "sessionId": id,
        "cwd": wanted.workspace,
        "mcpServers": wanted.mcp_servers,
    });
    match ask(peer, method, &params).await {
        Ok(result) => {
            let renamed = result["sessionId"].as_str().filter(|id| !id.is_empty());
            Ok(Some((renamed.unwrap_or(id).to_owned(), result)))
        }
        Err(Failure::Refused(why)) => {
            let warning =
                format!("could not resume session {id} ({why}); a fresh session starts instead");
            outlet.send(Event::warn(warning)).await;
            Ok(None)
        }
        Err(Failure::Closed) => Err(Failure::Closed),
    }
}

/// Chooses the model that the settings name. Without it the session works too, so nothing here is
/// fatal but the end of the connection.
async fn choose(
    peer: &Peer,
    session: &str,
    model: &mut Model,
    name: &str,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let Some((method, params)) = model.request(session, name) else {
        let warning = format!(
            "ignored COLONIZER_MODEL {name}: the agent did not advertise model selection at \
             session/new"
        );
        outlet.send(Event::warn(warning)).await;
        return Ok(());
    };
    let answer = match timeout(MODEL_DEADLINE, ask(peer, method, &params)).await {
        Ok(answer) => answer,
        Err(_) => Err(Failure::Refused("the agent did not answer".to_owned())),
    };
    let event = match answer {
        Ok(answer) => model.chosen(name, &answer),
        Err(Failure::Refused(why)) => Some(Event::warn(refused_model(name, &why))),
        Err(Failure::Closed) => return Err(Failure::Closed),
    };
    if let Some(event) = event {
        outlet.send(event).await;
    }
    Ok(())
}

/// The warning for a model that the agent does not take.
pub fn refused_model(name: &str, why: &str) -> String {
    format!("set_model {name} failed: {why}")
}

async fn ask(peer: &Peer, method: &str, params: &Value) -> Result<Value, Failure> {
    peer.request(method, params)
        .await
        .map_err(|error| match error {
            RequestError::Closed => Failure::Closed,
            RequestError::Answer(error) => Failure::Refused(error.message),
            error => Failure::Refused(format!("{method}: {error}")),
        })
}
