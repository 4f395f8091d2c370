//! How long a model server may take, and how much it may send.
//!
//! They stand together because they are one promise: a server that never answers, drips or floods
//! ends the turn with an error, in bounded time and memory. A user who does not want to wait that
//! long cancels, which works at once.

use std::time::Duration;

/// Bytes of one event. Some servers send all arguments of a call at once, a file's text among them.
pub(super) const MAX_EVENT: usize = 8 * 1024 * 1024;

/// Bytes of one reply as it comes over the wire: with some two hundred bytes for each token, more
/// tokens than any model says at once.
pub(super) const MAX_REPLY: usize = 64 * 1024 * 1024;

/// Tool calls of one reply.
pub(super) const MAX_CALLS: usize = 128;

/// Bytes of an error's text that are read.
pub(super) const MAX_ERROR: usize = 64 * 1024;

/// Characters of a server's own words that are passed on in an error.
pub(super) const MAX_WORDS: usize = 500;

/// How often a server may pause a reply and be asked to go on.
pub(super) const MAX_PAUSES: u32 = 16;

/// How long a server may take, and how often it is asked again.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// To be connected.
    pub connect: Duration,
    /// To answer: servers on small machines read a long prompt for minutes before they do.
    pub answer: Duration,
    /// Between two pieces of a reply: models think without a word.
    pub piece: Duration,
    /// For a whole reply, however alive it looks.
    pub whole: Duration,
    /// How often one reply is asked for, the first time included.
    pub tries: u32,
    /// The pause before the second try. Each further one is twice as long.
    pub pause: Duration,
    /// The longest pause, also where the server asks for a longer one: then the turn fails, and
    /// says so, because nobody wants to watch a turn that does nothing.
    pub longest_pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(5 * 60),
            piece: Duration::from_secs(5 * 60),
            whole: Duration::from_secs(60 * 60),
            tries: 4,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
        }
    }
}
