//! What the daemon knows, in one SQLite file.
//!
//! All writing is done by one thread (see `worker`), which commits as many writes together as are
//! waiting; all reading by another one, which never waits for a writer. What a caller was told is
//! written is on the disk.
//!
//! What must stay true: only the daemon that holds the owner lock opens the store for writing;
//! a client may look into it read-only ([`saved_workspaces`]).

mod items;
mod receipts;
mod saved;
mod schema;
mod search;
mod sessions;
mod turns;
mod worker;
mod workspaces;

use std::{
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::Connection;

pub use items::{ItemWrite, NewItem};
pub use saved::saved_workspaces;
pub use sessions::{Checkpoint, NewSession, SessionRow};
pub use turns::{Accepted, TurnEnd, TurnRow};
use worker::Worker;

/// The daemon's handle of the store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    writer: Worker,
    reader: Worker,
}

/// What can go wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// It cannot be opened, or brought to the newest schema.
    #[error("cannot open the store {path}: {source}", path = path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// A newer version of the program has written it.
    #[error(
        "the store {path} has schema {found}, this program knows up to {known}: use the newer program",
        path = path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// A thread for it cannot be started.
    #[error("cannot start a thread for the store: {0}")]
    Thread(std::io::Error),
    /// A statement failed.
    #[error("the store could not {what}: {cause}")]
    Failed {
        /// What it should do.
        what: &'static str,
        /// Why not.
        cause: String,
    },
    /// Its thread has ended.
    #[error("the store is closed; it could not {0}")]
    Closed(&'static str),
}

impl Store {
    /// Opens the store, and makes or migrates it where needed.
    ///
    /// # Errors
    /// [`StoreError::Open`], [`StoreError::Newer`], [`StoreError::Thread`].
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Open {
            path: path.to_owned(),
            source,
        };
        let mut writer = Connection::open(path).map_err(failed)?;
        schema::prepare(&writer).map_err(failed)?;
        schema::migrate(&mut writer, path)?;
        let reader = Connection::open(path).map_err(failed)?;
        schema::prepare(&reader).map_err(failed)?;
        reader
            .pragma_update(None, "query_only", true)
            .map_err(failed)?;
        Ok(Self {
            writer: Worker::start("store-writer", writer)?,
            reader: Worker::start("store-reader", reader)?,
        })
    }

    /// Waits until everything that was asked for is done, and closes the file. What is asked for
    /// afterwards fails.
    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    async fn write<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.run(what, job).await
    }

    async fn read<T: Send + 'static>(
        &self,
        what: &'static str,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.reader.run(what, job).await
    }
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}

/// A stored time as it stands in answers: RFC 3339.
pub fn timestamp(millis: i64) -> String {
    jiff::Timestamp::from_millisecond(millis)
        .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
        .to_string()
}

/// A number of the store as a counter; they are never negative.
fn counter(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A counter as the store takes it; none is ever that large.
fn number(counter: u64) -> i64 {
    i64::try_from(counter).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
