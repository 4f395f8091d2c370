//! `session/new`: an ordinary session of the daemon, answered when a prompt can run in it.
//!
//! Two halves with different ends. Until the daemon has told the id, the request survives the
//! client: a session of ours that we do not know of could never be retired. From then on it is a
//! wait that only reads, and ends as soon as the client is gone.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session>

use std::{path::PathBuf, sync::Arc, time::Duration};

use agent_client_protocol_schema::v1 as acp;
use serde::{Deserialize, Deserializer, de::IgnoredAny};
use tokio::time::{Instant, sleep};
use wire::{Error, Params, Responder};

use super::{
    Front,
    handlers::{closing, refusal},
};
use crate::{
    api::{CreateSession, SessionId},
    client::{Client, ClientError},
    flags::in_flags,
    limits,
    readiness::{Readiness, readiness},
    workspace_name::{self, WorkspaceRefused},
};

/// The first pause between two looks; the next are longer, up to a bound.
const FIRST_LOOK: Duration = Duration::from_millis(10);

/// What is read of the params. The servers and further directories of the client are not where the
/// session runs, so they are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewSession {
    cwd: PathBuf,
    #[serde(rename = "mcpServers", deserialize_with = "or_null")]
    _mcp_servers: Vec<IgnoredAny>,
}

fn or_null<'de, D: Deserializer<'de>>(value: D) -> Result<Vec<IgnoredAny>, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
enum CreateError {
    #[error("the daemon cannot be used: {0}")]
    Daemon(ClientError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceRefused),
    #[error("the session was refused: {}", in_flags(&.0.to_string()))]
    Refused(ClientError),
    #[error("{0} was cancelled while it was starting")]
    Cancelled(SessionId),
    #[error("session {id} {why}; see: acp-sessions sessions --session {id}")]
    NotReady { id: SessionId, why: String },
}

/// The working directory that the client wants.
pub(super) fn read(front: &Front, params: &Params) -> Result<PathBuf, Error> {
    let request: NewSession = params.parse()?;
    if !request.cwd.is_absolute() {
        return Err(Error::invalid_params("`cwd` must be an absolute path"));
    }
    if front.closing.is_cancelled() {
        return Err(closing());
    }
    Ok(request.cwd)
}

/// Makes the session in a task of its own.
pub(super) fn begin(front: &Arc<Front>, cwd: PathBuf, responder: Responder) {
    // Counted before anything else of the client is looked at, also the end of its input.
    let admission = front.creations.token();
    let front = Arc::clone(front);
    tokio::spawn(async move {
        let admitted = admit(&front, cwd).await;
        if let Ok(id) = &admitted {
            front.owned.add(id.clone());
        } else if let Err(error) = &admitted {
            front.owned.refused(&error.to_string());
        }
        drop(admission);
        let ready = match admitted {
            Ok(id) => wait_until_ready(&front, id, &responder).await,
            Err(error) => Err(error),
        };
        match ready {
            Ok(id) => responder.respond(&acp::NewSessionResponse::new(id.to_string())),
            Err(CreateError::Cancelled(id)) => {
                tracing::info!(%id, "session/new was cancelled; the session stays");
                responder.error(Error::request_cancelled());
            }
            Err(error) => {
                front.owned.refused(&error.to_string());
                responder.error(refusal(error));
            }
        }
    });
}

/// Asks the daemon for the session. It is stored, and ours, when its id is told.
async fn admit(front: &Front, cwd: PathBuf) -> Result<SessionId, CreateError> {
    let choice = &front.settings.choice;
    let list = |client: Client| async move { client.workspaces(limits::request_timeout()).await };
    let workspaces = front.daemon.follow(list).await;
    let workspaces = workspaces.map_err(CreateError::Daemon)?;
    let workspace = workspace_name::choose(choice.workspace.as_deref(), &workspaces)?;
    let request = CreateSession {
        workspace_id: Some(workspace.id.clone()),
        profile_id: choice.profile.clone(),
        target_id: choice.target.clone(),
        project_directory: choice.bundle.is_none().then_some(cwd),
        bundle_id: choice.bundle.clone(),
        at: choice.at.clone(),
        branch: choice.branch.clone(),
        base: choice.base.clone(),
        expected_runtime_identity: choice.expected_runtime_identity.clone(),
        title: None,
        // If the reply is lost, the session is found again by it.
        request_id: Some(format!("{:032x}", rand::random::<u128>())),
    };
    let created = front.daemon.create(&request).await;
    created.map_err(CreateError::Refused)
}

/// Looks at the session until it is ready, has failed, or took too long.
async fn wait_until_ready(
    front: &Front,
    id: SessionId,
    responder: &Responder,
) -> Result<SessionId, CreateError> {
    let cancelled = responder.cancelled();
    let ready = tokio::select! {
        biased;
        () = cancelled.cancelled() => return Err(CreateError::Cancelled(id)),
        () = front.closing.cancelled() => Err("is not ready, and the adapter ends".to_owned()),
        ready = tokio::time::timeout(limits::readiness_limit(), looks(front, &id)) => {
            ready.unwrap_or_else(|_| {
                let seconds = limits::readiness_limit().as_secs_f64();
                Err(format!("is not ready after {seconds} s and was left as it is"))
            })
        }
    };
    match ready {
        Ok(()) => Ok(id),
        Err(why) => Err(CreateError::NotReady { id, why }),
    }
}

async fn looks(front: &Front, id: &SessionId) -> Result<(), String> {
    let mut pause = FIRST_LOOK;
    loop {
        let began = Instant::now();
        let look = front.daemon.look(id).await;
        let look = look.map_err(|error| format!("cannot be looked at: {error}"))?;
        match readiness(look.as_ref()) {
            Readiness::Ready => return Ok(()),
            Readiness::Never(why) => return Err(why),
            Readiness::NotYet => {}
        }
        tracing::debug!(%id, looked_for = ?began.elapsed(), "the session is starting");
        sleep(pause).await;
        pause = (pause * 2).min(limits::readiness_poll());
    }
}
