//! How far the handler is behind the reader.
//!
//! Apart from the queue because of one question that crosses it: calls wait in the queue, and an
//! answer does not, so an answer may be seen before a call that was written before it. Whoever
//! must not overtake, such as a question whose turn may just have been cancelled, waits here.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

/// Counts calls, on their way in and when they are done with.
pub(crate) struct Progress {
    read: AtomicU64,
    handled: watch::Sender<u64>,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            read: AtomicU64::new(0),
            handled: watch::Sender::new(0),
        }
    }
}

impl Progress {
    /// One more call is in the queue. Only the reader says this, and before it looks at the next
    /// line.
    pub(crate) fn one_read(&self) {
        self.read.fetch_add(1, Ordering::Release);
    }

    /// So many calls have been handled.
    pub(crate) fn all_handled(&self, count: u64) {
        self.handled.send_if_modified(|handled| {
            let more = count > *handled;
            *handled = count.max(*handled);
            more
        });
    }

    /// Waits until every call that was read before this moment has been handled, or nobody will.
    pub(crate) async fn caught_up(&self) {
        let read = self.read.load(Ordering::Acquire);
        let mut handled = self.handled.subscribe();
        // It fails only when the connection is gone, with nobody left to wait for.
        let _ = handled.wait_for(|handled| *handled >= read).await;
    }
}
