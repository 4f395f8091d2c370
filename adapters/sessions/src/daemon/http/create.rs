//! `POST /sessions`: what is asked for is checked as far as it can be without a target, then the
//! session is stored, then its start begins.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use axum::{Json, extract::State, http::StatusCode};

use super::{Shared, extract::Body};
use crate::{
    api::{CreateSession, ErrorCode, SessionCreated, SessionId, State as Stored},
    config::Config,
    daemon::{
        Daemon,
        refusal::Refusal,
        session::{Request, Session, Turns, check_name},
    },
    git::Selection,
    store::{NewSession, SessionRow, now},
};

/// The longest name that a client may give a request.
const LONGEST_REQUEST_ID: usize = 128;

/// The longest runtime identity.
const LONGEST_IDENTITY: usize = 256;

/// The longest title, in characters.
const LONGEST_TITLE: usize = 200;

pub(super) async fn create(
    State(daemon): State<Shared>,
    Body(asked): Body<CreateSession>,
) -> Result<(StatusCode, Json<SessionCreated>), Refusal> {
    // A task: a client that goes now finds the session by its request id.
    let creating = tokio::spawn(admit(daemon, asked));
    let created = creating
        .await
        .map_err(|error| Refusal::fault(error.to_string()))?;
    created.map(|session_id| (StatusCode::CREATED, Json(SessionCreated { session_id })))
}

async fn admit(daemon: Shared, asked: CreateSession) -> Result<SessionId, Refusal> {
    let title = title(asked.title.as_deref())?;
    let config = Config::load(&daemon.instance.config_file());
    let config = config.map_err(|error| Refusal::conflict(error.to_string()))?;
    let workspace_id = workspace(&daemon, asked.workspace_id.clone()).await?;
    let asked = checked(&config, asked, workspace_id)?;
    let slot = daemon.slot()?;
    let time = now();
    let row = SessionRow {
        id: SessionId::random(),
        asked,
        title,
        state: Stored::Provisioning,
        error: None,
        native_id: None,
        locator: None,
        checkout: None,
        checkpoint: None,
        revision: 1,
        created_at: time,
        updated_at: time,
    };
    let (id, is_new) = daemon.store.create_session(row.clone()).await?;
    if is_new {
        let session = Arc::new(Session::new(row, Turns::default(), None));
        daemon.remember(Arc::clone(&session));
        session
            .request(&daemon, Request::Launch, || Ok(Some(slot)))
            .await?;
    }
    Ok(id)
}

async fn workspace(daemon: &Daemon, id: Option<String>) -> Result<String, Refusal> {
    if let Some(id) = id {
        let found = daemon.store.workspace(id.clone()).await?;
        return found
            .map(|workspace| workspace.id)
            .ok_or_else(|| Refusal::unknown_workspace(&id));
    }
    let all = daemon.store.workspaces().await?;
    match all.as_slice() {
        [only] => Ok(only.id.clone()),
        [] => Err(Refusal::conflict_because(
            ErrorCode::UnknownWorkspace,
            "there is no workspace yet; make one with acp-sessions workspaces create NAME",
        )),
        several => {
            let names: Vec<_> = several
                .iter()
                .map(|workspace| workspace.name.as_str())
                .collect();
            Err(Refusal::conflict_because(
                ErrorCode::UnknownWorkspace,
                format!(
                    "there are several workspaces, name one by workspace_id: {}",
                    names.join(", ")
                ),
            ))
        }
    }
}

/// What was asked for, with defaults filled in and every member checked.
fn checked(
    config: &Config,
    asked: CreateSession,
    workspace_id: String,
) -> Result<NewSession, Refusal> {
    let profile_id = asked
        .profile_id
        .unwrap_or_else(|| config.default_profile.clone());
    let target_id = asked
        .target_id
        .unwrap_or_else(|| config.default_target.clone());
    let profile = known("profile_id", &config.profiles, &profile_id)?;
    if !profile.enabled {
        return Err(Refusal::conflict(format!(
            "profile_id {profile_id:?} is disabled"
        )));
    }
    let target = known("target_id", &config.targets, &target_id)?;
    if let Some(id) = &asked.bundle_id {
        known("bundle_id", &config.bundles, id)?;
    }
    let bundle = asked.bundle_id.is_some();
    check_place(
        &target_id,
        target.needs_bundle(),
        bundle,
        asked.project_directory.as_ref(),
    )?;
    if !bundle && (asked.at.is_some() || asked.branch.is_some() || asked.base.is_some()) {
        return Err(Refusal::malformed("at, branch and base need a bundle_id"));
    }
    let selection = Selection {
        at: asked.at,
        branch: asked.branch,
        base: asked.base,
    };
    let selection = selection.checked();
    let selection = selection.map_err(|error| Refusal::malformed(error.to_string()))?;
    if let Some(identity) = &asked.expected_runtime_identity {
        check_name("expected_runtime_identity", identity, LONGEST_IDENTITY)?;
    }
    if let Some(request) = &asked.request_id {
        check_name("request_id", request, LONGEST_REQUEST_ID)?;
    }
    Ok(NewSession {
        workspace_id,
        request_id: asked.request_id,
        harness_kind: profile.harness_kind(),
        profile_id,
        target_id,
        bundle_id: asked.bundle_id,
        project_directory: asked.project_directory,
        at: selection.at,
        branch: selection.branch,
        base: selection.base,
        expected_runtime: asked.expected_runtime_identity,
    })
}

fn known<'a, T>(member: &str, all: &'a BTreeMap<String, T>, id: &str) -> Result<&'a T, Refusal> {
    all.get(id).ok_or_else(|| {
        let there: Vec<_> = all.keys().map(String::as_str).collect();
        let there = match there.as_slice() {
            [] => "there are none".to_owned(),
            some => format!("there are: {}", some.join(", ")),
        };
        Refusal::malformed(format!("unknown {member} {id:?}; {there}"))
    })
}

/// A session works either in its own clones or in a directory of the user's.
fn check_place(
    target: &str,
    needs_bundle: bool,
    bundle: bool,
    project: Option<&PathBuf>,
) -> Result<(), Refusal> {
    let refused = |error: String| Err(Refusal::malformed(error));
    match (bundle, project) {
        (true, Some(_)) => refused("bundle_id and project_directory exclude each other".to_owned()),
        (false, _) if needs_bundle => refused(format!(
            "target_id {target:?} is managed, so a session on it needs a bundle_id"
        )),
        (false, None) => refused(format!(
            "a session on target_id {target:?} needs a project_directory or a bundle_id"
        )),
        (false, Some(path)) if !path.is_absolute() => refused(format!(
            "project_directory {path:?} is not an absolute path"
        )),
        _ => Ok(()),
    }
}

fn title(title: Option<&str>) -> Result<String, Refusal> {
    let title = title.unwrap_or_default().trim();
    let is_allowed = title.chars().count() <= LONGEST_TITLE && !title.chars().any(char::is_control);
    match is_allowed {
        true => Ok(title.to_owned()),
        false => Err(Refusal::malformed(format!(
            "the title must have at most {LONGEST_TITLE} characters, none of them a control character"
        ))),
    }
}

#[cfg(test)]
#[path = "create_tests.rs"]
mod tests;
