//! `sessions`: list them, or show one.

use super::{CliError, arguments::Sessions, find, output, progress};
use crate::{
    api::{Session, SessionsQuery},
    client::Client,
    limits,
};

pub(super) async fn sessions(client: &Client, flags: Sessions) -> Result<(), CliError> {
    if let Some(prefix) = &flags.session {
        let id = find::session(client, prefix).await?;
        let session = client.session(&id).await?;
        let session = session.ok_or_else(|| CliError::NoSession(id.to_string()))?;
        return match flags.format.json {
            true => output::print_json(&session),
            false => show(&session),
        };
    }
    let workspace_id = match flags.workspace.as_deref() {
        Some(name) => Some(find::workspace(client, Some(name), "sessions").await?.id),
        None => None,
    };
    let query = SessionsQuery {
        workspace_id,
        request_id: None,
    };
    let sessions = client.sessions(&query).await?;
    if flags.format.json {
        return output::print_json(&sessions);
    }
    if sessions.is_empty() {
        output::complain(&"there is no session; make one with: acp-sessions new --workspace NAME");
        return Ok(());
    }
    list(client, sessions).await
}

async fn list(client: &Client, sessions: Vec<Session>) -> Result<(), CliError> {
    let workspaces = client.workspaces(limits::request_timeout()).await?;
    let name = |id: &str| {
        let found = workspaces.iter().find(|workspace| workspace.id == id);
        found.map_or(id, |workspace| &workspace.name).to_owned()
    };
    let rows = sessions.into_iter().map(|session| {
        vec![
            session.id.to_string(),
            name(&session.workspace_id),
            progress::doing(&session).to_owned(),
            session.profile_id,
            session.target_id,
            session.updated_at,
            session.title,
        ]
    });
    let head = [
        "SESSION",
        "WORKSPACE",
        "STATE",
        "PROFILE",
        "TARGET",
        "UPDATED",
        "TITLE",
    ];
    output::print_table(&head, rows)
}

/// All that is known of a session, a member a line.
fn show(session: &Session) -> Result<(), CliError> {
    let value = serde_json::to_value(session)?;
    let members = value.as_object().into_iter().flatten();
    let rows = members
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| {
            let text = match (value.as_str(), value["id"].as_str()) {
                (Some(text), _) => text.to_owned(),
                // Of the runtime its id is enough; all of it is in the JSON.
                (None, Some(id)) => id.to_owned(),
                (None, None) => value.to_string(),
            };
            vec![name.clone(), text]
        });
    output::print_table(&[], rows)?;
    output::print_line(&next_step(session))
}

/// What can be done with a session as it is.
fn next_step(session: &Session) -> String {
    use crate::api::Lifecycle::{Failed, Live, Starting, Suspended, Suspending};
    let id = &session.id;
    match session.lifecycle {
        Starting | Suspending => {
            format!("wait, and look again: acp-sessions sessions --session {id}")
        }
        Live if session.is_idle => format!("talk to it: acp-sessions prompt --session {id} TEXT"),
        Live => format!("wait for its turn: acp-sessions wait --session {id}"),
        Suspended if session.has_checkpoint => {
            format!("bring it back: acp-sessions resume --session {id}")
        }
        // What was saved or is still there comes back; only a person gives it up.
        Failed => format!(
            "bring it back: acp-sessions resume --session {id}; or remove it: acp-sessions destroy --session {id}"
        ),
        Suspended => format!("remove it: acp-sessions destroy --session {id}"),
    }
}
