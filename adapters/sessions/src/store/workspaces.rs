//! Workspaces in the store.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{Store, StoreError, now, timestamp};
use crate::api::Workspace;

const SELECT: &str = "SELECT id, name, opened_at,
    (SELECT count(*) FROM sessions WHERE workspace_id = workspaces.id) FROM workspaces";

impl Store {
    /// All workspaces, the most recently opened first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError> {
        self.read("list the workspaces", list).await
    }

    /// Makes a workspace, or finds the one whose name is the same but for letter case. `name` is
    /// trimmed and checked already.
    ///
    /// # Errors
    /// The store failed.
    pub async fn create_workspace(&self, name: String) -> Result<Workspace, StoreError> {
        self.write("make a workspace", move |connection| {
            let id = format!("{:032x}", rand::random::<u128>());
            connection
                .prepare_cached(
                    "INSERT INTO workspaces (id, name, name_key, opened_at) VALUES (?, ?, ?, ?)
                     ON CONFLICT (name_key) DO NOTHING",
                )?
                .execute(params![id, name, key(&name), now()])?;
            connection
                .prepare_cached(&format!("{SELECT} WHERE name_key = ?"))?
                .query_row([key(&name)], workspace)
        })
        .await
    }

    /// A workspace by its id.
    ///
    /// # Errors
    /// The store failed.
    pub async fn workspace(&self, id: String) -> Result<Option<Workspace>, StoreError> {
        self.read("find a workspace", move |connection| {
            connection
                .prepare_cached(&format!("{SELECT} WHERE id = ?"))?
                .query_row([id], workspace)
                .optional()
        })
        .await
    }
}

/// As names are compared.
fn key(name: &str) -> String {
    name.to_lowercase()
}

/// Ties are broken by what was made last.
pub(super) fn list(connection: &Connection) -> rusqlite::Result<Vec<Workspace>> {
    connection
        .prepare_cached(&format!("{SELECT} ORDER BY opened_at DESC, rowid DESC"))?
        .query_map([], workspace)?
        .collect()
}

fn workspace(row: &Row<'_>) -> rusqlite::Result<Workspace> {
    let count: i64 = row.get(3)?;
    Ok(Workspace {
        id: row.get(0)?,
        name: row.get(1)?,
        opened_at: timestamp(row.get(2)?),
        session_count: usize::try_from(count).unwrap_or(0),
    })
}
