//! The requests of this side that wait for an answer.
//!
//! Apart from the peer because the reader ends these waits, and because the rules are
//! few: an id is used once, an answer goes to whoever still waits for it, and when the
//! input ends nobody waits any longer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::error::Error;

/// What came back for a request.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(Box<RawValue>),
    Error(Error),
    /// Not an answer; says what is wrong with it.
    Malformed(String),
}

/// Who waits for which answer.
#[derive(Default)]
pub(crate) struct Pending(Mutex<State>);

#[derive(Default)]
struct State {
    last_id: u64,
    waiting: HashMap<u64, oneshot::Sender<Reply>>,
    /// No answer can come any more.
    ended: bool,
}

impl Pending {
    /// Takes an id and a place to wait, before the request is sent, so that no answer
    /// can be too early. `None` when no answer can come any more. The receiver fails
    /// when the input ends.
    pub(crate) fn register(&self) -> Option<(u64, oneshot::Receiver<Reply>)> {
        let mut state = self.state();
        if state.ended {
            return None;
        }
        state.last_id += 1;
        let id = state.last_id;
        let (sender, receiver) = oneshot::channel();
        state.waiting.insert(id, sender);
        Some((id, receiver))
    }

    /// Hands an answer to whoever waits for it. `false` if nobody does.
    pub(crate) fn settle(&self, id: u64, reply: Reply) -> bool {
        let waiting = self.state().waiting.remove(&id);
        waiting.is_some_and(|waiting| waiting.send(reply).is_ok())
    }

    /// Nobody waits for this answer any more. `false` if it was answered before.
    pub(crate) fn forget(&self, id: u64) -> bool {
        self.state().waiting.remove(&id).is_some()
    }

    /// The input ended: all waits end, and no new one begins.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
