//! What a server says on stderr: always read, the end of it kept.
//!
//! It must be read whether or not anyone wants it: a server that logs into a full pipe stops.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::task::AbortOnDropHandle;

use super::limits::MAX_STDERR;
use crate::proc::Capture;

/// Bytes that are read at once.
const CHUNK: usize = 4 * 1024;

/// Reads a server's stderr until its end, or until this is dropped.
#[derive(Debug)]
pub(super) struct Stderr {
    kept: Arc<Mutex<Capture>>,
    reader: AbortOnDropHandle<()>,
}

impl Stderr {
    pub(super) fn read(mut pipe: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Capture::new(0, MAX_STDERR)));
        let keep = Arc::clone(&kept);
        let reader = tokio::spawn(async move {
            let mut chunk = vec![0; CHUNK];
            while let Ok(length @ 1..) = pipe.read(&mut chunk).await {
                let mut kept = keep.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(&chunk[..length]);
            }
        });
        Self {
            kept,
            reader: AbortOnDropHandle::new(reader),
        }
    }

    /// The end of what was said so far.
    pub(super) fn tail(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.text()
    }

    /// The end of what was said, once the server has ended and all is read, or at the deadline.
    pub(super) async fn last_words(mut self, deadline: Duration) -> String {
        // Either way what is there is what counts.
        let _ = tokio::time::timeout(deadline, &mut self.reader).await;
        self.tail()
    }
}
