//! What a tool server does without being asked, for those who wait for it.
//!
//! Many signals in a row wake once: a server that floods makes nobody work for each of them.

use tokio::sync::watch;

/// Why an answer may never come although the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It sent a message that is too long to be kept.
    TooLong,
    /// It sent a batch.
    Batch,
}

/// The signals of one server.
#[derive(Debug)]
pub(super) struct Signals {
    /// Counts how often the server said that its tools have changed.
    changes: watch::Sender<u64>,
    /// The trouble that came last.
    trouble: watch::Sender<Option<Trouble>>,
}

impl Signals {
    pub(super) fn new() -> Self {
        Self {
            changes: watch::Sender::new(0),
            trouble: watch::Sender::new(None),
        }
    }

    /// The tools have changed.
    pub(super) fn change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// To be woken by changes.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// A message was lost.
    pub(super) fn trouble(&self, trouble: Trouble) {
        self.trouble.send_replace(Some(trouble));
    }

    /// To be woken by trouble that comes from here on.
    pub(super) fn troubles(&self) -> watch::Receiver<Option<Trouble>> {
        self.trouble.subscribe()
    }
}
