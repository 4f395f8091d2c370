//! What a session wants kept, on its way to the disk.
//!
//! A turn must not block a thread of the runtime on a disk, and the turn and a change of mode may
//! both have something to keep. So items are queued here without waiting, and written by whoever
//! needs them on the disk: the order of the queue is the order of the file.
//!
//! Must stay true: an item leaves the queue only when the log has taken it. When the disk fails,
//! the error goes to the request that waits for it, and the items wait for the next attempt. Only
//! what can never be stored is let go, with the error that says so.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{
    error::RequestError,
    store::{Item, SessionLog, Stopped, StoreError},
};

/// How far written items must have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Handed to the operating system: they survive the end of this process.
    Written,
    /// Synced: they survive the end of the machine. What an answer promises needs this.
    Synced,
}

/// The queue of one session and its log. Clones share both.
#[derive(Clone)]
pub struct Record {
    queue: Arc<Mutex<Vec<Item>>>,
    log: Arc<Mutex<Option<SessionLog>>>,
}

impl Record {
    /// A record that appends to this log.
    #[must_use]
    pub fn new(log: SessionLog) -> Self {
        Self {
            queue: Arc::default(),
            log: Arc::new(Mutex::new(Some(log))),
        }
    }

    /// Queues an item. Never waits.
    pub fn push(&self, item: Item) {
        lock(&self.queue).push(item);
    }

    /// Writes what is queued.
    ///
    /// # Errors
    /// The log could not take it; what it did not take stays queued.
    pub async fn write(&self, durability: Durability) -> Result<(), RequestError> {
        let record = self.clone();
        tokio::task::spawn_blocking(move || record.write_now(durability))
            .await
            .map_err(|error| RequestError::Internal(format!("saving the session: {error}")))?
    }

    /// Writes and syncs what is queued, and lets go of the file and its lock. Where there is
    /// nothing to save the disk is left alone: the end of a process with thousands of idle sessions
    /// must not wait for thousands of syncs.
    ///
    /// # Errors
    /// The log could not take everything. It is closed all the same.
    pub async fn close(&self) -> Result<(), RequestError> {
        let written = if self.is_saved() {
            Ok(())
        } else {
            self.write(Durability::Synced).await
        };
        let log = lock(&self.log).take();
        // Closing a file may wait for the disk.
        let _ = tokio::task::spawn_blocking(move || drop(log)).await;
        match written {
            Err(RequestError::Closed) => Ok(()),
            other => other,
        }
    }

    fn is_saved(&self) -> bool {
        let log = lock(&self.log);
        log.as_ref().is_none_or(SessionLog::is_synced) && lock(&self.queue).is_empty()
    }

    /// Starts writing what is queued, for a turn that has other things to do meanwhile. An error
    /// is not lost: the items stay queued, and the write that the turn ends with meets it again.
    pub fn start_writing(&self) {
        let record = self.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = record.write_now(Durability::Written) {
                tracing::warn!(%error, "the session could not be saved yet");
            }
        });
    }

    /// The log is locked before the queue is read, so that two writers cannot swap the order.
    fn write_now(&self, durability: Durability) -> Result<(), RequestError> {
        let mut log = lock(&self.log);
        let log = log.as_mut().ok_or(RequestError::Closed)?;
        let items = std::mem::take(&mut *lock(&self.queue));
        if let Err(Stopped { taken, error }) = log.append_all(&items) {
            // What can never be stored must not block what comes behind it.
            let let_go = usize::from(matches!(error, StoreError::Unstorable { .. }));
            let left = items.into_iter().skip(taken + let_go);
            lock(&self.queue).splice(0..0, left);
            return Err(error.into());
        }
        if durability == Durability::Synced {
            log.sync()?;
        }
        Ok(())
    }
}

/// A thread that panicked while it held one of these locks has left whole items behind.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{FORMAT, Header, Store};

    fn note(text: &str) -> Item {
        Item::Note { text: text.into() }
    }

    /// An item that is nested too deeply to be read again.
    fn unstorable() -> Item {
        let deep = (0..200).fold(serde_json::Value::Null, |inner, _| vec![inner].into());
        Item::ToolCall {
            call: crate::acp::ToolCall::new("t", "T"),
            request: stub_model::ToolCall {
                id: String::new(),
                name: String::new(),
                arguments: deep,
            },
            outcome: stub_model::Outcome::Completed,
            text: String::new(),
            structured: None,
        }
    }

    #[tokio::test]
    async fn what_cannot_be_stored_is_let_go_and_holds_nothing_up() {
        let state = tempfile::tempdir().unwrap();
        let store = Store::new(state.path().to_owned());
        let header = Header {
            format: FORMAT,
            session_id: "s".to_owned(),
            cwd: "/w".into(),
            additional_directories: Vec::new(),
            created: String::new(),
        };
        let record = Record::new(store.create(&header).unwrap());
        for item in [note("a"), unstorable(), note("b"), unstorable(), note("c")] {
            record.push(item);
        }
        record.write(Durability::Written).await.unwrap_err();
        record.write(Durability::Written).await.unwrap_err();
        record.close().await.unwrap();
        let mut kept = Vec::new();
        let opened = store.open("s").unwrap();
        let replayed = opened.replay(|item| {
            kept.push(item);
            Ok::<_, StoreError>(())
        });
        replayed.unwrap();
        assert_eq!(kept, ["a", "b", "c"].map(note));
    }
}
