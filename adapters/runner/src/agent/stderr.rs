//! The end of what the agent complained about.
//!
//! It is read all the time, or a full pipe would stop the agent; it is bounded, whatever the agent
//! writes; and it is shown only when the agent has died, because it may hold anything.

use std::sync::{Arc, Mutex, PoisonError};

use process_tree::Capture;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::watch,
    time::timeout,
};

use super::LAST_WORDS;

/// How many bytes are kept: 2 000 characters, all but the strangest.
const KEPT: usize = 4_000;

/// How many characters of it an error shows.
const SHOWN: usize = 500;

/// The tail of a stream.
#[derive(Debug, Clone)]
pub(super) struct Tail {
    kept: Arc<Mutex<Capture>>,
    /// Whether the stream has ended.
    ended: watch::Receiver<bool>,
}

impl Tail {
    /// Reads a stream to its end, in a task of its own.
    pub(super) fn read(mut stream: impl AsyncRead + Send + Unpin + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Capture::new(0, KEPT)));
        let (end, ended) = watch::channel(false);
        let tail = Arc::clone(&kept);
        tokio::spawn(async move {
            let mut buffer = vec![0; 8 * 1024];
            // A stream that cannot be read says no more than one that has ended.
            while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
                tail.push(&buffer[..length]);
            }
            end.send_replace(true);
        });
        Self { kept, ended }
    }

    /// The last characters, on one line, after waiting shortly for the end of the stream.
    pub(super) async fn last_words(&self) -> String {
        let mut ended = self.ended.clone();
        let _ = timeout(LAST_WORDS, ended.wait_for(|ended| *ended)).await;
        let text = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.text()
        };
        // A tail that was cut begins with a line that says so, which is no word of the agent.
        let text = text.strip_prefix("\n[... ").map_or(text.as_str(), |cut| {
            cut.split_once('\n').map_or("", |(_, rest)| rest)
        });
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let skip = text.chars().count().saturating_sub(SHOWN);
        text.chars().skip(skip).collect()
    }
}
