//! `workspaces`: list them, or make one.

use super::{
    CliError,
    arguments::{Workspaces, WorkspacesAction},
    output,
};
use crate::{client::Client, limits};

pub(super) async fn workspaces(client: &Client, flags: Workspaces) -> Result<(), CliError> {
    if let Some(WorkspacesAction::Create { name }) = flags.action {
        let workspace = client.create_workspace(&name).await?;
        return match flags.format.json {
            true => output::print_json(&workspace),
            false => output::print_line(&output::one_line(&workspace.name)),
        };
    }
    let workspaces = client.workspaces(limits::request_timeout()).await?;
    if flags.format.json {
        return output::print_json(&workspaces);
    }
    if workspaces.is_empty() {
        output::complain(
            &"there is no workspace yet; make one with: acp-sessions workspaces create NAME",
        );
        return Ok(());
    }
    let rows = workspaces.into_iter().map(|workspace| {
        let sessions = workspace.session_count.to_string();
        vec![workspace.name, sessions, workspace.opened_at]
    });
    output::print_table(&["NAME", "SESSIONS", "OPENED"], rows)
}
