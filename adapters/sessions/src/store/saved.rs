//! A look into the store without a daemon.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{StoreError, workspaces};
use crate::api::Workspace;

/// The workspaces in a store, the most recently opened first; none if there is no store. Nothing is
/// written, and no daemon is needed; one that runs is not disturbed.
///
/// # Errors
/// The store is there but cannot be read.
pub fn saved_workspaces(path: &Path) -> Result<Vec<Workspace>, StoreError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let failed = |source| StoreError::Open {
        path: path.to_owned(),
        source,
    };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    workspaces::list(&connection).map_err(failed)
}
