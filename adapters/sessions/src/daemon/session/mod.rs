//! A session in the memory of the daemon.
//!
//! ```text
//! HTTP -- prompt, wait, interrupt --> Session (one lock, one watch) <-- harness::drive (turns)
//!      -- create, suspend, … ------->      one operation at a time  <-- operation (a task)
//! ```
//!
//! All that is known stands behind one lock that is held for a few lines; whoever waits for a change
//! waits on one watch. What must survive is written to the store before anybody is told of it.

mod admission;
mod checkpoint;
mod destroy;
mod interrupt;
mod launch;
mod operation;
mod place;
mod resume;
mod rules;
mod suspend;
mod turns;
mod view;
mod wait;
mod work;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

pub(crate) use admission::check_name;
pub(crate) use operation::{Request, Running};
pub(crate) use rules::{Facts, Operation};
pub(crate) use turns::{Queued, Turns};

use crate::{
    api::{Elicitation, LifecycleError, Runtime, SessionId, State},
    daemon::harness::Attached,
    store::{SessionRow, Store, StoreError, now},
    target::Place,
};

/// A session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    known: Mutex<Known>,
    changed: watch::Sender<()>,
    /// Held while a prompt is written to the store, and while an operation begins, so that no prompt
    /// is accepted behind the back of an operation.
    admission: tokio::sync::Mutex<()>,
}

/// Everything that is known about a session.
#[derive(Debug)]
pub(crate) struct Known {
    /// As it is stored, or about to be.
    pub(crate) row: SessionRow,
    pub(crate) operation: Option<Running>,
    /// Where its processes run, once that is known.
    pub(crate) place: Option<Place>,
    /// The harness, while it is there.
    pub(crate) harness: Option<Attached>,
    pub(crate) turns: Turns,
    /// How many prompts are held until it has started.
    pub(crate) held: usize,
    /// How often held prompts were withdrawn.
    pub(crate) withdrawals: u64,
    /// What the harness asks and nobody answers.
    pub(crate) questions: Vec<Elicitation>,
    /// The latest receipt.
    pub(crate) runtime: Option<Runtime>,
    /// How many suspensions and destructions have failed.
    pub(crate) close_failures: u64,
    /// It was destroyed.
    pub(crate) is_gone: bool,
}

impl Session {
    /// A session as it is stored, with nothing going on.
    pub(crate) fn new(row: SessionRow, turns: Turns, runtime: Option<Runtime>) -> Self {
        Self {
            id: row.id.clone(),
            known: Mutex::new(Known {
                row,
                operation: None,
                place: None,
                harness: None,
                turns,
                held: 0,
                withdrawals: 0,
                questions: Vec::new(),
                runtime,
                close_failures: 0,
                is_gone: false,
            }),
            changed: watch::Sender::new(()),
            admission: tokio::sync::Mutex::new(()),
        }
    }

    /// What is known. Never held over an await.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes something that is not stored, and tells whoever waits.
    pub(crate) fn update<R>(&self, change: impl FnOnce(&mut Known) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.send_replace(());
        result
    }

    /// Changes something that is stored, writes it, and then tells whoever waits.
    pub(crate) async fn save<R>(
        &self,
        store: &Store,
        change: impl FnOnce(&mut Known) -> R,
    ) -> Result<R, StoreError> {
        let (result, row) = {
            let mut known = self.lock();
            let result = change(&mut known);
            known.row.revision += 1;
            known.row.updated_at = now();
            (result, known.row.clone())
        };
        let saved = store.save_session(row).await;
        self.changed.send_replace(());
        saved.map(|()| result)
    }

    /// Goes to another state.
    pub(crate) async fn go(&self, store: &Store, state: State) -> Result<(), StoreError> {
        self.save(store, |known| known.row.state = state).await
    }

    /// Hears of every change from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Waits until `look` finds something.
    pub(crate) async fn until<R>(&self, mut look: impl FnMut(&Known) -> Option<R>) -> R {
        let mut watch = self.watch();
        loop {
            watch.borrow_and_update();
            if let Some(found) = look(&self.lock()) {
                return found;
            }
            // The sender is ours, so it is there.
            let _ = watch.changed().await;
        }
    }
}

impl Known {
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            state: self.row.state,
            operation: self.operation.as_ref().map(|running| running.operation),
            is_attached: self.harness.is_some(),
            is_running: self.turns.running.is_some(),
            is_queued: !self.turns.queue.is_empty(),
            has_checkpoint: self.row.checkpoint.is_some(),
            has_environment: self.row.checkout.is_some(),
        }
    }

    /// Records what failed.
    pub(crate) fn fail(&mut self, kind: LifecycleError, cause: &str) {
        if matches!(kind, LifecycleError::Suspend | LifecycleError::Destroy) {
            self.close_failures += 1;
        }
        self.row.error = Some((kind, kind.sentence(cause)));
    }
}
