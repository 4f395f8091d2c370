//! The bounds of one connection, and why each has its value.
//!
//! They are apart from the code that obeys them so that a reader can answer one
//! question at one place: how much memory can the other side make us hold?

/// How much of everything one connection may hold. All sizes are bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest line that is read, without its newline. A longer one is skipped
    /// and answered with an error; the connection lives.
    ///
    /// 256 MiB: a prompt with several images is tens of MiB, and no honest line is larger.
    pub max_line: usize,
    /// A notifier waits while more than this is waiting to be written.
    ///
    /// 256 KiB: four full pipes, enough to keep a fast reader busy, and little
    /// enough that a cancel is not heard minutes late by a slow one.
    pub outbox_soft: usize,
    /// How many bytes of answers may wait to be written, the largest one not counted.
    /// Beyond it the peer is given up.
    ///
    /// 16 MiB: an answer may not wait (whoever reads would have to), so a peer that
    /// asks and never reads must be stopped in another way. The largest is exempt so
    /// that one huge answer cannot end the connection of a peer that does read.
    pub outbox_hard: usize,
    /// How many messages may wait for the handler. Above it the reader stops reading.
    ///
    /// 256: any burst of a real peer, while a flood is held back in its own pipe.
    pub incoming: usize,
    /// How many bytes of messages may wait for the handler. A single larger message passes alone.
    ///
    /// 64 MiB: 256 messages of `max_line` would be 64 GiB.
    pub incoming_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_line: 256 * MIB,
            outbox_soft: 256 * KIB,
            outbox_hard: 16 * MIB,
            incoming: 256,
            incoming_bytes: 64 * MIB,
        }
    }
}

/// A buffer that grew beyond this is given back after use, so that one huge message
/// does not stay in memory for the life of the connection.
pub(crate) const BUFFER_KEPT: usize = 512 * KIB;

/// How much is read at a time: the size of a Linux pipe.
pub(crate) const READ_CHUNK: usize = 64 * KIB;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
