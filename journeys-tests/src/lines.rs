//! Bytes to lines, with a bound.
//!
//! Text is decoded line by line, never read by read: a character may arrive in two reads. A line over
//! the bound is dropped while it is read, so that 300 MB without a newline cost a few KiB. The last
//! line counts also without its newline.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::io::{self, BufRead};

/// The longest line that is read as a message. Agents send images and whole files in one line; the
/// bound is far above that, and far below what would hurt a small machine.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// How much of an unreadable line is kept to show it.
pub const HEAD_BYTES: usize = 2 * 1024;

/// One line of output, without its newline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// UTF-8 within the bound.
    Text {
        /// The line.
        text: String,
        /// False for a last line that had no newline.
        terminated: bool,
    },
    /// Over [`MAX_LINE_BYTES`].
    TooLong {
        /// The beginning of it.
        head: String,
        /// Its whole length.
        bytes: u64,
    },
    /// Not UTF-8.
    NotUtf8 {
        /// The beginning of it, with replacement characters.
        head: String,
        /// Its whole length.
        bytes: u64,
    },
}

/// Reads the next line; `None` at the end of the stream.
///
/// # Errors
/// What the reader says.
pub fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut kept = Vec::new();
    let mut bytes = 0_u64;
    loop {
        let available = match reader.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok((bytes > 0).then(|| finish(kept, bytes, false)));
        }
        let newline = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..newline.unwrap_or(available.len())];
        let room = (MAX_LINE_BYTES + 1).saturating_sub(kept.len());
        kept.extend_from_slice(&part[..part.len().min(room)]);
        bytes += part.len() as u64;
        let consumed = part.len() + usize::from(newline.is_some());
        reader.consume(consumed);
        if newline.is_some() {
            return Ok(Some(finish(kept, bytes, true)));
        }
    }
}

fn finish(kept: Vec<u8>, bytes: u64, terminated: bool) -> Line {
    if kept.len() > MAX_LINE_BYTES {
        let head = head_of(&kept);
        return Line::TooLong { head, bytes };
    }
    match String::from_utf8(kept) {
        Ok(text) => Line::Text { text, terminated },
        Err(error) => Line::NotUtf8 {
            head: head_of(error.as_bytes()),
            bytes,
        },
    }
}

/// The first [`HEAD_BYTES`] as text.
fn head_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD_BYTES)]).into_owned()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn text(text: &str, terminated: bool) -> Line {
        Line::Text {
            text: text.to_owned(),
            terminated,
        }
    }

    fn all(bytes: impl Read) -> Vec<Line> {
        // One byte a read: every character and every line end is split.
        let mut reader = BufReader::with_capacity(1, bytes);
        std::iter::from_fn(|| read_line(&mut reader).unwrap()).collect()
    }

    #[test]
    fn characters_split_over_reads_stay_whole() {
        let lines = all("日本語😀\nlast".as_bytes());
        assert_eq!(lines, [text("日本語😀", true), text("last", false)]);
    }

    #[test]
    fn empty_lines_count_and_an_empty_stream_has_none() {
        assert_eq!(all("\n\n".as_bytes()), [text("", true), text("", true)]);
        assert_eq!(all("".as_bytes()), []);
    }

    #[test]
    fn a_line_over_the_bound_is_cut_and_the_next_one_is_read() {
        let length = 3 * MAX_LINE_BYTES as u64;
        let stream = io::repeat(b'x').take(length).chain("\nnext\n".as_bytes());
        let mut reader = BufReader::new(stream);
        let long = read_line(&mut reader).unwrap().unwrap();
        let Line::TooLong { head, bytes } = long else {
            panic!("not too long")
        };
        assert_eq!((head.len(), bytes), (HEAD_BYTES, length));
        assert_eq!(read_line(&mut reader).unwrap(), Some(text("next", true)));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_said_to_be_so() {
        let lines = all(&b"a\xffb\n"[..]);
        let wanted = Line::NotUtf8 {
            head: "a\u{fffd}b".to_owned(),
            bytes: 3,
        };
        assert_eq!(lines, [wanted]);
    }
}
