//! A log cut into lines.
//!
//! Apart from what the lines mean, because the rule of what counts as written is here alone: a
//! line is there when its newline is there. The newline is the last byte of the one write that
//! stores an item, so a line without one was never acknowledged to anybody.
//!
//! Must stay true: memory is bounded by the longest line allowed, whatever the file holds.

use std::io::{self, BufRead, Read};

/// A line buffer above this size is given back after use, so that one image in a log does not
/// cost its size for as long as the rest is read.
const KEEP_BUFFER: usize = 1 << 20;

/// What comes next in the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// A line, without its newline.
    Whole(&'a [u8]),
    /// Bytes at the end of the file that no newline follows.
    Torn(&'a [u8]),
    /// A line that is longer than allowed.
    TooLong,
    /// Nothing.
    End,
}

/// Reads lines up to a length, and knows where it is.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    max: usize,
    buffer: Vec<u8>,
    number: u64,
    start: u64,
    end: u64,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `max` bytes, not counting the newline.
    pub(super) fn new(input: R, max: usize) -> Lines<R> {
        Lines {
            input,
            max,
            buffer: Vec::new(),
            number: 0,
            start: 0,
            end: 0,
        }
    }

    /// Reads one line. After anything but [`Line::Whole`] there is nothing more to read.
    pub(super) fn read(&mut self) -> io::Result<Line<'_>> {
        if self.buffer.capacity() > KEEP_BUFFER {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        // Room for the newline too: one more byte than that tells "too long".
        let room = self.max as u64 + 1;
        let length = Read::take(&mut self.input, room).read_until(b'\n', &mut self.buffer)?;
        self.number += 1;
        self.start = self.end;
        self.end += length as u64;
        Ok(match self.buffer.strip_suffix(b"\n") {
            Some(line) => Line::Whole(line),
            None if length == 0 => Line::End,
            None if length as u64 == room => Line::TooLong,
            None => Line::Torn(&self.buffer),
        })
    }

    /// Whether nothing follows the line that was read last.
    pub(super) fn at_end(&mut self) -> io::Result<bool> {
        Ok(self.input.fill_buf()?.is_empty())
    }

    /// Changes how long a line may be from here on.
    pub(super) fn set_max(&mut self, max: usize) {
        self.max = max;
    }

    /// The number of the line that was read last, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Where that line begins, in bytes from the start.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Where it ends, its newline included.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The input, as far as it was read.
    pub(super) fn into_inner(self) -> R {
        self.input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_there_when_its_newline_is() {
        let table: [(&[u8], &[Line<'_>]); 9] = [
            (b"", &[Line::End]),
            (b"\n", &[Line::Whole(b""), Line::End]),
            (b"ab\n", &[Line::Whole(b"ab"), Line::End]),
            (b"ab", &[Line::Torn(b"ab")]),
            (b"ab\ncd", &[Line::Whole(b"ab"), Line::Torn(b"cd")]),
            (b"ab\n\0\0", &[Line::Whole(b"ab"), Line::Torn(b"\0\0")]),
            (b"abcd\n", &[Line::Whole(b"abcd"), Line::End]),
            (b"abcde\n", &[Line::TooLong]),
            (b"ab\nabcdefghi", &[Line::Whole(b"ab"), Line::TooLong]),
        ];
        for (bytes, expected) in table {
            let mut lines = Lines::new(bytes, 4);
            for line in expected {
                assert_eq!(&lines.read().unwrap(), line, "{bytes:?}");
            }
        }
    }

    #[test]
    fn it_knows_where_it_is() {
        let mut lines = Lines::new(&b"ab\ncde\nf"[..], 9);
        let place = |lines: &Lines<_>| (lines.number(), lines.start(), lines.end());
        assert_eq!(lines.read().unwrap(), Line::Whole(b"ab"));
        assert_eq!(place(&lines), (1, 0, 3));
        assert_eq!(lines.read().unwrap(), Line::Whole(b"cde"));
        assert_eq!(place(&lines), (2, 3, 7));
        assert!(!lines.at_end().unwrap());
        assert_eq!(lines.read().unwrap(), Line::Torn(b"f"));
        assert_eq!(place(&lines), (3, 7, 8));
        assert!(lines.at_end().unwrap());
    }
}
