//! From a command line to a harness that is ready for its first prompt: started, initialised, its
//! runtime known, its session loaded or made.
//!
//! Must stay true: the runtime is checked behind `initialize` and before any session of the harness
//! is made or loaded; no `authenticate` is ever sent, since signing in needs a person.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup>

use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use serde_json::{Value, json};
use tokio::time::timeout;
use wire::{Call, Incoming, Limits, Peer, RequestError};

use super::{
    identity,
    stderr::{LAST_WORDS, Tail},
};
use crate::{
    api::SessionId,
    config::ProfileConfig,
    limits,
    store::{Store, StoreError},
    target::{Ended, Handle, Place, Process, TargetCommand, TargetError},
};

/// The version of ACP that the daemon speaks.
const PROTOCOL_VERSION: u64 = 1;

/// The longest line of a harness. Its messages are text for a transcript.
const MAX_LINE: usize = 32 * 1024 * 1024;

/// How much may wait for the daemon. With many sessions it counts many times.
const MAX_WAITING: usize = 16 * 1024 * 1024;

/// The code of "authentication required".
const AUTH_REQUIRED: i32 = -32_000;

/// What a harness is started with.
pub(crate) struct Wanted<'a> {
    pub(crate) session: &'a SessionId,
    pub(crate) profile: &'a ProfileConfig,
    pub(crate) profile_id: &'a str,
    pub(crate) place: &'a Place,
    /// Where it works.
    pub(crate) cwd: &'a Path,
    /// Where else.
    pub(crate) others: &'a [PathBuf],
    /// Its session to go on with.
    pub(crate) native_id: Option<&'a str>,
    /// The runtime without which nothing may run.
    pub(crate) expected: Option<&'a str>,
}

/// A harness that is ready.
pub(crate) struct Connected {
    pub(super) handle: Handle,
    pub(super) peer: Peer,
    pub(super) incoming: Incoming,
    pub(super) complaints: Tail,
    /// Its own id of the session.
    pub(crate) native_id: String,
    /// Whether it began anew although there was something to go on with.
    pub(crate) has_forgotten: bool,
}

/// Why a harness is not there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConnectError {
    #[error("the harness could not be started: {0}")]
    Start(#[source] TargetError),
    #[error("the harness ended before it was ready ({how}){said}")]
    Died { how: String, said: String },
    #[error("the harness did not answer {what} within {seconds} seconds{said}")]
    Silent {
        what: &'static str,
        seconds: u64,
        said: String,
    },
    #[error("the harness refused {method}: {why}")]
    Refused { method: &'static str, why: String },
    #[error(
        "the harness wants somebody to sign in ({0}); sign in where it runs, or give profile \
         {1} what it needs, and resume the session"
    )]
    SignIn(String, String),
    #[error("the harness speaks ACP version {0}, this daemon speaks version 1")]
    Version(String),
    #[error("{0}")]
    Runtime(String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Starts a harness and shakes hands with it. If it cannot be had, none of its processes is left.
pub(crate) async fn connect(store: &Store, wanted: &Wanted<'_>) -> Result<Connected, ConnectError> {
    let mut command = TargetCommand::new(&wanted.profile.command).cwd(wanted.cwd);
    for (name, value) in &wanted.profile.env {
        command = command.env(name, value);
    }
    let (process, inspected) = tokio::join!(
        wanted.place.spawn(&command),
        identity::inspect(wanted.place, wanted.profile, wanted.cwd),
    );
    let Process {
        stdin,
        stdout,
        stderr,
        mut handle,
    } = process.map_err(ConnectError::Start)?;
    let limits = Limits {
        max_line: MAX_LINE,
        incoming_bytes: MAX_WAITING,
        ..Limits::default()
    };
    let (peer, mut incoming) = wire::connect_streams(stdout, stdin, limits);
    let complaints = Tail::read(stderr);
    let shaken = tokio::select! {
        shaken = shake(store, wanted, &peer, inspected) => shaken,
        () = ignore(&mut incoming) => Err(closed()),
    };
    let (native_id, has_forgotten) = match shaken {
        Ok(session) => session,
        Err(error) => return Err(give_up(error, &mut handle, &complaints).await),
    };
    // What it told of the history of a loaded session is no part of the first turn.
    while let Some(Some(call)) = incoming.next().now_or_never() {
        refuse(call);
    }
    Ok(Connected {
        handle,
        peer,
        incoming,
        complaints,
        native_id,
        has_forgotten,
    })
}

/// Ends a harness that cannot be used, and says all that is known about why.
async fn give_up(error: ConnectError, handle: &mut Handle, complaints: &Tail) -> ConnectError {
    // One that has ended by itself tells how, if it is waited for.
    let by_itself = match error {
        ConnectError::Died { .. } => timeout(LAST_WORDS, handle.wait()).await.ok(),
        _ => None,
    };
    if by_itself.is_none() {
        handle.end().await;
    }
    match error {
        ConnectError::Died { how: known, .. } => ConnectError::Died {
            how: by_itself.as_ref().map_or(known, how),
            said: complaints.clause().await,
        },
        ConnectError::Silent { what, seconds, .. } => ConnectError::Silent {
            what,
            seconds,
            said: complaints.clause().await,
        },
        other => other,
    }
}

/// The connection ended; how the process did is found out later.
fn closed() -> ConnectError {
    ConnectError::Died {
        how: "it closed the connection".to_owned(),
        said: String::new(),
    }
}

/// How a process ended, for messages.
pub(super) fn how(ended: &Ended) -> String {
    match ended {
        Ended::Exited(status) => format!("status {status}"),
        Ended::Signaled(signal) => format!("signal {signal}"),
        Ended::Lost(why) => why.clone(),
        Ended::TimedOut | Ended::Cancelled => "it was ended".to_owned(),
    }
}

/// Takes what comes before there is a turn. Ready when the connection has ended.
async fn ignore(incoming: &mut Incoming) {
    while let Some(call) = incoming.next().await {
        refuse(call);
    }
}

/// Answers a request that cannot be served now.
pub(super) fn refuse(call: Call) {
    if let Call::Request(request) = call {
        let error = wire::Error::method_not_found(&request.method);
        request.responder.error(error);
    }
}

async fn shake(
    store: &Store,
    wanted: &Wanted<'_>,
    peer: &Peer,
    inspected: identity::Inspected,
) -> Result<(String, bool), ConnectError> {
    let agent = ask(wanted, peer, "initialize", &initialize()).await?;
    if agent["protocolVersion"].as_u64() != Some(PROTOCOL_VERSION) {
        return Err(ConnectError::Version(agent["protocolVersion"].to_string()));
    }
    let receipt = identity::receipt(wanted.profile, inspected, &agent);
    let runtime = store
        .append_receipt(wanted.session.clone(), receipt)
        .await?;
    identity::check(wanted.expected, Some(&runtime)).map_err(ConnectError::Runtime)?;
    if let Some(id) = wanted.native_id
        && go_on(wanted, peer, &agent, id).await?
    {
        return Ok((id.to_owned(), false));
    }
    let made = ask(wanted, peer, "session/new", &session(wanted, &agent, None)).await?;
    let Some(id) = made["sessionId"].as_str() else {
        let (method, why) = ("session/new", "its answer has no sessionId".to_owned());
        return Err(ConnectError::Refused { method, why });
    };
    Ok((id.to_owned(), wanted.native_id.is_some()))
}

fn initialize() -> Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION,
        "clientInfo": {"name": "acp-sessions", "version": env!("CARGO_PKG_VERSION")},
        // Files and terminals are the harness's own: it runs where they are.
        "clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
    })
}

fn session(wanted: &Wanted<'_>, agent: &Value, id: Option<&str>) -> Value {
    let mut params = json!({"cwd": wanted.cwd, "mcpServers": []});
    if let Some(id) = id {
        params["sessionId"] = id.into();
    }
    let capabilities = &agent["agentCapabilities"]["sessionCapabilities"];
    if !wanted.others.is_empty() && capabilities["additionalDirectories"].is_object() {
        params["additionalDirectories"] = json!(wanted.others);
    }
    params
}

/// Goes on with a session of the harness; false if it cannot, and a new one must do.
async fn go_on(
    wanted: &Wanted<'_>,
    peer: &Peer,
    agent: &Value,
    id: &str,
) -> Result<bool, ConnectError> {
    let capabilities = &agent["agentCapabilities"];
    // Resuming tells no history again, which nobody here would listen to.
    let method = if capabilities["sessionCapabilities"]["resume"].is_object() {
        "session/resume"
    } else if capabilities["loadSession"] == true {
        "session/load"
    } else {
        return Ok(false);
    };
    match ask(wanted, peer, method, &session(wanted, agent, Some(id))).await {
        Ok(_) => Ok(true),
        Err(ConnectError::Refused { method, why }) => {
            tracing::warn!(session = %wanted.session, method, why, "the harness begins anew");
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

async fn ask(
    wanted: &Wanted<'_>,
    peer: &Peer,
    method: &'static str,
    params: &Value,
) -> Result<Value, ConnectError> {
    let limit = limits::handshake();
    match timeout(limit, peer.request::<Value>(method, params)).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(RequestError::Closed)) => Err(closed()),
        Ok(Err(RequestError::Answer(error))) if error.code == AUTH_REQUIRED => Err(
            ConnectError::SignIn(error.message, wanted.profile_id.to_owned()),
        ),
        Ok(Err(RequestError::Answer(error))) => {
            let why = error.message;
            Err(ConnectError::Refused { method, why })
        }
        Ok(Err(error)) => {
            let why = error.to_string();
            Err(ConnectError::Refused { method, why })
        }
        Err(_) => Err(ConnectError::Silent {
            what: method,
            seconds: limit.as_secs(),
            said: String::new(),
        }),
    }
}
