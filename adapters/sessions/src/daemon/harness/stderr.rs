//! The end of what a harness complained about.
//!
//! It is read all the time, or a full pipe would stop the harness; it is bounded; and it is shown
//! only when the harness has died, because it may hold anything.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use process_tree::Capture;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

/// How many bytes are kept.
const KEPT: usize = 2_000;

/// How long the last lines of a harness that has ended may take. They are in the pipe already.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);

/// The tail of a stream.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    kept: Arc<Mutex<Capture>>,
    ended: CancellationToken,
}

impl Tail {
    /// Reads a stream to its end, in a task of its own.
    pub(super) fn read(mut stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Capture::new(0, KEPT)));
        let ended = CancellationToken::new();
        let tail = Self {
            kept: Arc::clone(&kept),
            ended: ended.clone(),
        };
        tokio::spawn(async move {
            let _ended = ended.drop_guard();
            let mut buffer = vec![0; 8 * 1024];
            // A stream that cannot be read says no more than one that has ended.
            while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(&buffer[..length]);
            }
        });
        tail
    }

    /// The last lines, as a clause for the end of a sentence; empty if it said nothing.
    pub(super) async fn clause(&self) -> String {
        let _ = timeout(LAST_WORDS, self.ended.cancelled()).await;
        let text = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .text();
        match text.trim() {
            "" => String::new(),
            text => format!("; its last words: {text}"),
        }
    }
}
