//! The look at a front's workspace before it serves anybody.
//!
//! A name that is wrong is refused at once and on stderr, where whoever configured it looks. No
//! daemon is started for that: one that runs is asked, else the store is read.

use crate::{
    api::Workspace,
    client::Connector,
    limits, store,
    workspace_name::{self, WorkspaceRefused},
};

/// Refuses a name that no workspace has. If nobody can say which there are, a name passes: it is
/// looked up again for each session.
pub(super) async fn check(
    connector: &Connector,
    name: Option<&str>,
) -> Result<(), WorkspaceRefused> {
    match (existing(connector).await, name) {
        (Some(workspaces), name) => workspace_name::choose(name, &workspaces).map(drop),
        (None, Some(name)) if !name.trim().is_empty() => Ok(()),
        (None, _) => Err(workspace_name::unnamed()),
    }
}

async fn existing(connector: &Connector) -> Option<Vec<Workspace>> {
    match connector.running().await {
        Ok(Some(client)) => match client.workspaces(limits::probe_timeout()).await {
            Ok(workspaces) => return Some(workspaces),
            Err(error) => tracing::warn!(%error, "the daemon does not tell its workspaces"),
        },
        Ok(None) => {}
        Err(error) => tracing::warn!(%error, "the daemon cannot be asked for its workspaces"),
    }
    let store = connector.instance().store_file();
    store::saved_workspaces(&store)
        .inspect_err(|error| tracing::warn!(%error, "the store cannot be read"))
        .ok()
}
