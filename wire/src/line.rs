//! Bytes into lines, however the bytes arrive.
//!
//! Apart from the messages because a line is only bytes here: it may be cut anywhere
//! between two reads, inside a character too, and may turn out too long before it is
//! complete. What must stay true: no more than `max` bytes of a line are ever held,
//! a line that lies within one read is not copied, and [`Lines::next`] may be dropped
//! at any await without losing a byte.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::limits::{BUFFER_KEPT, READ_CHUNK};

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Its bytes, without the newline.
    Text(&'a [u8]),
    /// It was longer than allowed and is gone.
    TooLong,
}

/// Reads lines.
pub(crate) struct Lines<R> {
    reader: R,
    /// What was read last; `at..end` of it is not looked at yet.
    chunk: Box<[u8]>,
    at: usize,
    end: usize,
    /// The beginning of a line whose newline has not been seen.
    partial: Vec<u8>,
    /// `partial` was handed out by the last call.
    used: bool,
    /// The rest of a line that is too long is being skipped.
    skipping: bool,
    max: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, max: usize) -> Self {
        Self {
            reader,
            chunk: vec![0; READ_CHUNK].into_boxed_slice(),
            at: 0,
            end: 0,
            partial: Vec::new(),
            used: false,
            skipping: false,
            max,
        }
    }

    /// The next line; `None` at the end of the input. What stands before the end without
    /// a newline is a line too.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.used {
            self.forget_partial();
        }
        let rest = loop {
            let unread = &self.chunk[self.at..self.end];
            if let Some(length) = memchr::memchr(b'\n', unread) {
                let rest = self.at..self.at + length;
                self.at = rest.end + 1;
                break rest;
            }
            self.keep(self.at..self.end);
            self.at = self.end;
            let count = self.reader.read(&mut self.chunk).await?;
            (self.at, self.end) = (0, count);
            if count == 0 {
                if self.partial.is_empty() && !self.skipping {
                    return Ok(None);
                }
                break 0..0;
            }
        };
        // A line inside one read is handed out where it lies.
        if self.partial.is_empty() && !self.skipping && rest.len() <= self.max {
            return Ok(Some(Line::Text(&self.chunk[rest])));
        }
        self.keep(rest);
        self.used = true;
        if self.skipping {
            return Ok(Some(Line::TooLong));
        }
        Ok(Some(Line::Text(&self.partial)))
    }

    /// Adds a piece of the chunk to the line that is not complete yet.
    fn keep(&mut self, piece: std::ops::Range<usize>) {
        if self.partial.len() + piece.len() > self.max {
            self.skipping = true;
            self.partial = Vec::new();
        }
        if !self.skipping {
            self.partial.extend_from_slice(&self.chunk[piece]);
        }
    }

    fn forget_partial(&mut self) {
        self.used = false;
        self.skipping = false;
        self.partial.clear();
        self.partial.shrink_to(BUFFER_KEPT);
    }
}

#[cfg(test)]
#[path = "line_tests.rs"]
mod line_tests;
