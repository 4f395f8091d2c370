//! From what people write to what the API knows: workspaces by name, sessions by the beginning of
//! their id.

use super::{CliError, arguments::SessionPrefix};
use crate::{
    api::{SessionId, SessionsQuery, Workspace},
    client::Client,
    limits, workspace_name,
};

/// The workspace of this name; without a name the only one there is.
pub(super) async fn workspace(
    client: &Client,
    name: Option<&str>,
    command: &'static str,
) -> Result<Workspace, CliError> {
    let workspaces = client.workspaces(limits::request_timeout()).await?;
    if let (None, [only]) = (name, workspaces.as_slice()) {
        return Ok(only.clone());
    }
    let found = workspace_name::choose(name, &workspaces);
    found
        .cloned()
        .map_err(|refused| CliError::Workspace { command, refused })
}

/// The session whose id this is, or begins so.
pub(super) async fn session(
    client: &Client,
    prefix: &SessionPrefix,
) -> Result<SessionId, CliError> {
    let SessionPrefix(prefix) = prefix;
    if let Ok(id) = prefix.parse() {
        return Ok(id);
    }
    let sessions = client.sessions(&SessionsQuery::default()).await?;
    let mut found: Vec<_> = sessions
        .into_iter()
        .map(|session| session.id)
        .filter(|id| id.as_str().starts_with(prefix.as_str()))
        .collect();
    match (found.pop(), found.is_empty()) {
        (None, _) => Err(CliError::NoSession(prefix.clone())),
        (Some(only), true) => Ok(only),
        (Some(last), false) => Err(CliError::ManySessions {
            prefix: prefix.clone(),
            ids: found
                .iter()
                .chain([&last])
                .map(ToString::to_string)
                .collect(),
        }),
    }
}
