//! The requests of the other side that are not answered yet, for `$/cancel_request`.
//!
//! Apart from the responder because the reader cancels by id while handlers hold the
//! responders. What must stay true: a cancel hits all unanswered requests of its id
//! and none that comes later, and an answered request leaves nothing here.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/cancellation>

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use crate::id::RequestId;

/// The unanswered requests, by id. The number tells apart those that share one.
#[derive(Default)]
pub(crate) struct Inflight(Mutex<State>);

#[derive(Default)]
struct State {
    last: u64,
    tokens: BTreeMap<(String, u64), CancellationToken>,
}

impl Inflight {
    /// Notes a request, until the ticket is dropped.
    pub(crate) fn begin(self: &Arc<Self>, id: &RequestId) -> Ticket {
        let token = CancellationToken::new();
        let mut state = self.state();
        state.last += 1;
        let key = (id.canonical(), state.last);
        state.tokens.insert(key.clone(), token.clone());
        drop(state);
        let inflight = Arc::clone(self);
        Ticket {
            inflight,
            key,
            token,
        }
    }

    /// Cancels all unanswered requests of this id. `false` if there is none.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let key = id.canonical();
        let all = (key.clone(), 0)..=(key, u64::MAX);
        let hit: Vec<_> = {
            let state = self.state();
            state
                .tokens
                .range(all)
                .map(|(_, token)| token.clone())
                .collect()
        };
        // Wakes others, so not under the lock.
        for token in &hit {
            token.cancel();
        }
        !hit.is_empty()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One unanswered request.
pub(crate) struct Ticket {
    inflight: Arc<Inflight>,
    key: (String, u64),
    token: CancellationToken,
}

impl Ticket {
    pub(crate) fn cancelled(&self) -> &CancellationToken {
        &self.token
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.inflight.state().tokens.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answered_request_leaves_nothing() {
        let inflight = Arc::new(Inflight::default());
        let tickets: Vec<_> = (0..3).map(|_| inflight.begin(&RequestId::null())).collect();
        assert!(inflight.cancel(&RequestId::null()));
        assert!(
            tickets
                .iter()
                .all(|ticket| ticket.cancelled().is_cancelled())
        );
        drop(tickets);
        assert!(!inflight.cancel(&RequestId::null()));
        assert!(inflight.state().tokens.is_empty());
    }
}
