//! The tables, and how an older store becomes a newer one.

use std::path::Path;

use rusqlite::Connection;

use super::StoreError;

/// Each brings the schema from the version of its index to the next one. None is ever changed once
/// it was released; what is new is appended.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE workspaces (
        id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL UNIQUE,
        opened_at INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE sessions (
        id TEXT PRIMARY KEY,
        workspace_id TEXT NOT NULL REFERENCES workspaces(id),
        request_id TEXT UNIQUE,
        title TEXT NOT NULL,
        harness_kind TEXT NOT NULL,
        profile_id TEXT NOT NULL,
        target_id TEXT NOT NULL,
        bundle_id TEXT,
        project_directory TEXT,
        at TEXT,
        branch TEXT,
        base TEXT,
        expected_runtime TEXT,
        state TEXT NOT NULL,
        error TEXT,
        error_kind TEXT,
        native_id TEXT,
        locator TEXT,
        checkout TEXT,
        checkpoint TEXT,
        revision INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX sessions_by_workspace ON sessions(workspace_id);

    CREATE TABLE turns (
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        command_id TEXT,
        text TEXT NOT NULL,
        accepted_at INTEGER NOT NULL,
        started_at INTEGER,
        ended_at INTEGER,
        outcome TEXT,
        stop_reason TEXT,
        message TEXT,
        final_message TEXT,
        PRIMARY KEY (session_id, ordinal),
        UNIQUE (session_id, command_id)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE items (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        turn INTEGER NOT NULL,
        role TEXT NOT NULL,
        text TEXT NOT NULL,
        at INTEGER NOT NULL,
        UNIQUE (session_id, seq)
    ) STRICT;

    CREATE TABLE runtime_receipts (
        session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (session_id, ordinal)
    ) STRICT, WITHOUT ROWID;

    -- What can be found, also of sessions that were destroyed.
    CREATE TABLE wiki (
        session_id TEXT PRIMARY KEY,
        tool TEXT NOT NULL,
        title TEXT NOT NULL
    ) STRICT;
    -- The rowid is that of the item; the line with title and directory has a negative one.
    CREATE VIRTUAL TABLE said USING fts5(text, session_id UNINDEXED);
"];

/// Settings of every connection.
pub(super) fn prepare(connection: &Connection) -> rusqlite::Result<()> {
    // WAL: readers do not wait for the writer. FULL: what was committed survives a power cut.
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(64);
    connection.busy_timeout(std::time::Duration::from_secs(5))
}

/// Brings the store to the newest schema, a step a transaction.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |source| StoreError::Open {
        path: path.to_owned(),
        source,
    };
    let known = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    let found = version(connection).map_err(failed)?;
    if found > known {
        let path = path.to_owned();
        return Err(StoreError::Newer { path, found, known });
    }
    for (version, migration) in (1..).zip(MIGRATIONS) {
        if version <= found {
            continue;
        }
        let transaction = connection.transaction().map_err(failed)?;
        transaction.execute_batch(migration).map_err(failed)?;
        transaction
            .pragma_update(None, "user_version", version)
            .map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
    Ok(())
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
