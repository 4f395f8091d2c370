//! What waits to be written: one buffer of whole lines, with two bounds.
//!
//! Apart from the peer because order and memory are decided here. Every message of
//! this side is serialised straight into one `Vec<u8>`; the writer swaps that buffer
//! for its empty one and writes all of it. So many small messages cost one write
//! without any timer, and the order of pushing is the order on the wire.
//!
//! - [`Outbox::send`] waits while more than `soft` bytes are waiting. Waiters take
//!   turns, first come first served, one message each.
//! - [`Outbox::push`] never waits: an answer must not block whoever reads. More than
//!   `hard` bytes of such messages, the largest not counted, end the connection.
//!
//! What must stay true: the buffer holds whole lines only, and a line has no newline
//! but its last byte. After the end nothing is kept.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::{Notify, watch};
use tokio::task::coop::consume_budget;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::error::End;
use crate::limits::Limits;

/// The queue between everyone who says something and the writer.
pub(crate) struct Outbox {
    state: Mutex<State>,
    soft: usize,
    hard: usize,
    /// The writer waits here for bytes.
    ready: Notify,
    /// Whoever holds the turnstile waits here for room.
    room: Notify,
    turnstile: tokio::sync::Mutex<()>,
    /// How many bytes were written and flushed since the beginning.
    written: watch::Sender<u64>,
    closed: CancellationToken,
    end: OnceLock<End>,
}

#[derive(Default)]
struct State {
    phase: Phase,
    bytes: Vec<u8>,
    /// Where the last whole line ends. Bytes behind it are of a message whose
    /// serialisation failed or panicked.
    whole: usize,
    /// Bytes in `bytes` that were pushed without waiting, and the largest such message.
    unwaited: usize,
    largest: usize,
    /// Senders that wait for their turn.
    waiting: usize,
    /// How many bytes were accepted since the beginning.
    pushed: u64,
}

#[derive(Default, PartialEq)]
enum Phase {
    #[default]
    Open,
    /// Nobody is left to say anything; the rest is written.
    Finishing,
    /// Nothing is written any more.
    Closed,
}

/// Why a message was not sent.
#[derive(Debug)]
pub(crate) enum SendError {
    Closed,
    Unserialisable(serde_json::Error),
}

impl Outbox {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            state: Mutex::default(),
            soft: limits.outbox_soft,
            hard: limits.outbox_hard,
            ready: Notify::new(),
            room: Notify::new(),
            turnstile: tokio::sync::Mutex::new(()),
            written: watch::Sender::new(0),
            closed: CancellationToken::new(),
            end: OnceLock::new(),
        }
    }

    /// Sends a message as soon as there is room and all earlier waiters had their turn.
    /// Dropped before it is ready, nothing was sent.
    pub(crate) async fn send(&self, message: &impl Serialize) -> Result<(), SendError> {
        // With a fast reader there is always room: without this a long stream of messages
        // would never let another task run on its thread.
        consume_budget().await;
        if let Some(done) = self.try_send(message, Turn::Newcomer) {
            return done;
        }
        let _waiting = Waiting::new(self);
        let _turn = self.turnstile.lock().await;
        loop {
            if let Some(done) = self.try_send(message, Turn::Mine) {
                return done;
            }
            self.room.notified().await;
        }
    }

    /// `None`: there is no room, or it is somebody else's turn.
    fn try_send(&self, message: &impl Serialize, turn: Turn) -> Option<Result<(), SendError>> {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            return Some(Err(SendError::Closed));
        }
        let overtakes = turn == Turn::Newcomer && state.waiting > 0;
        if overtakes || state.whole > self.soft {
            return None;
        }
        let was_empty = state.whole == 0;
        let appended = state.append(message);
        drop(state);
        self.wake_writer(was_empty);
        Some(appended.map(drop).map_err(SendError::Unserialisable))
    }

    /// Sends a message at once, whatever is waiting. Nothing happens after the end.
    pub(crate) fn push(&self, message: &impl Serialize) -> Result<(), serde_json::Error> {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            return Ok(());
        }
        let was_empty = state.whole == 0;
        let size = state.append(message)?;
        state.unwaited += size;
        state.largest = state.largest.max(size);
        let (unread, backlog) = (state.unwaited - state.largest, state.whole);
        drop(state);
        self.wake_writer(was_empty);
        if unread > self.hard {
            self.close(End::GivenUp { backlog });
        }
        Ok(())
    }

    /// The writer waits for nothing but an empty outbox: when there were bytes in it before, it has
    /// been told already.
    fn wake_writer(&self, was_empty: bool) {
        if was_empty {
            self.ready.notify_one();
        }
    }

    /// Waits until everything pushed before this call is written and flushed.
    /// `false` when that did not happen in time, or never will.
    pub(crate) async fn drain(&self, deadline: Duration) -> bool {
        let target = self.state().pushed;
        let mut written = self.written.subscribe();
        let drained = async {
            tokio::select! {
                biased;
                reached = written.wait_for(|written| *written >= target) => reached.is_ok(),
                () = self.closed.cancelled() => false,
            }
        };
        timeout(deadline, drained).await.unwrap_or(false)
    }

    /// For the writer: swaps `batch`, which is empty, for what is waiting, as soon as
    /// something is. `false` at the end.
    pub(crate) async fn next_batch(&self, batch: &mut Vec<u8>) -> bool {
        loop {
            if let Some(more) = self.take(batch) {
                self.room.notify_one();
                return more;
            }
            self.ready.notified().await;
        }
    }

    fn take(&self, batch: &mut Vec<u8>) -> Option<bool> {
        let mut state = self.state();
        if state.phase == Phase::Closed {
            return Some(false);
        }
        if state.whole == 0 {
            return (state.phase == Phase::Finishing).then_some(false);
        }
        let whole = std::mem::take(&mut state.whole);
        std::mem::swap(&mut state.bytes, batch);
        (state.unwaited, state.largest) = (0, 0);
        drop(state);
        batch.truncate(whole);
        Some(true)
    }

    /// For the writer: `count` more bytes are written and flushed.
    pub(crate) fn wrote(&self, count: usize) {
        self.written.send_modify(|written| *written += count as u64);
    }

    /// Nobody is left to say anything: the writer ends when all is written.
    pub(crate) fn finish(&self) {
        let mut state = self.state();
        if state.phase == Phase::Open {
            state.phase = Phase::Finishing;
        }
        drop(state);
        self.ready.notify_one();
    }

    /// Ends the output. What is waiting is dropped, and everyone who waits is told.
    pub(crate) fn close(&self, end: End) {
        // The first reason stays; it is there before anyone can see the flip.
        let _ = self.end.set(end);
        let mut state = self.state();
        state.phase = Phase::Closed;
        state.bytes = Vec::new();
        state.whole = 0;
        drop(state);
        self.closed.cancel();
        self.ready.notify_one();
        self.room.notify_one();
    }

    /// Flipped by [`Outbox::close`].
    pub(crate) fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// Why the output ended, if it did.
    pub(crate) fn end(&self) -> Option<&End> {
        self.end.get()
    }

    /// A panic in somebody's `Serialize` leaves at most an incomplete line, which
    /// `whole` excludes: a poisoned lock is still good.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds one line and returns its size.
    fn append(&mut self, message: &impl Serialize) -> Result<usize, serde_json::Error> {
        let start = self.whole;
        self.bytes.truncate(start);
        serde_json::to_writer(&mut self.bytes, message)?;
        keep_one_line(&mut self.bytes[start..]);
        self.bytes.push(b'\n');
        self.whole = self.bytes.len();
        let size = self.whole - start;
        self.pushed += size as u64;
        Ok(size)
    }
}

/// A raw value may have been written over several lines by whoever made it. A newline in
/// JSON is only ever space between tokens (in strings it is escaped), so it may become one.
fn keep_one_line(mut json: &mut [u8]) {
    while let Some(found) = memchr::memchr(b'\n', json) {
        json[found] = b' ';
        json = &mut json[found + 1..];
    }
}

#[derive(PartialEq)]
enum Turn {
    Newcomer,
    Mine,
}

/// Counts a sender that waits, so that newcomers line up behind it.
struct Waiting<'a>(&'a Outbox);

impl<'a> Waiting<'a> {
    fn new(outbox: &'a Outbox) -> Self {
        outbox.state().waiting += 1;
        Self(outbox)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

#[cfg(test)]
#[path = "outbox_tests.rs"]
mod outbox_tests;
