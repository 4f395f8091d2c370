//! Some lines out of a file of any size.
//!
//! It reads as far as it must and keeps only what was asked for, so that the last lines of a file
//! of many gigabytes cost time but no memory.
//!
//! Must stay true: no more than `most` bytes are kept, also of a file that is one endless line.

use std::io::{self, BufRead};

use tokio_util::sync::CancellationToken;

/// Which lines are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// The first line; lines are counted from 1.
    pub(crate) first: u64,
    /// How many lines at most.
    pub(crate) lines: u64,
    /// How many bytes at most.
    pub(crate) most: usize,
}

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The lines, with their ends. Invalid UTF-8 is replaced.
    pub(crate) text: String,
    /// The number of the last line that was looked at; 0 for an empty file.
    pub(crate) last: u64,
    /// What stopped the reading.
    pub(crate) end: End,
}

/// What stopped the reading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The end of the file.
    File,
    /// The number of lines; there are more.
    Lines,
    /// The number of bytes; the last line may be cut.
    Bytes,
    /// The cancel.
    Cancelled,
}

/// Reads an excerpt.
pub(crate) fn read(
    mut reader: impl BufRead,
    wanted: Wanted,
    cancel: &CancellationToken,
) -> io::Result<Excerpt> {
    let mut kept = Vec::new();
    let mut line = 1;
    let mut at_line_start = true;
    let end = loop {
        if cancel.is_cancelled() {
            break End::Cancelled;
        }
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break End::File;
        }
        if line >= wanted.first.saturating_add(wanted.lines) {
            break End::Lines;
        }
        let newline = chunk.iter().position(|byte| *byte == b'\n');
        let piece = newline.map_or(chunk, |at| &chunk[..=at]);
        if line >= wanted.first {
            let room = wanted.most - kept.len();
            kept.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.len() > room {
                at_line_start = kept.ends_with(b"\n");
                break End::Bytes;
            }
        }
        let length = piece.len();
        reader.consume(length);
        at_line_start = newline.is_some();
        line += u64::from(at_line_start);
    };
    if end == End::Bytes {
        drop_half_character(&mut kept);
    }
    Ok(Excerpt {
        text: String::from_utf8_lossy(&kept).into_owned(),
        last: line - u64::from(at_line_start),
        end,
    })
}

/// Takes the beginning of a character off the end.
pub(crate) fn drop_half_character(bytes: &mut Vec<u8>) {
    let tail = bytes.utf8_chunks().last().map_or(0, |last| {
        let invalid = last.invalid();
        // Only a sequence that could still become a character is a half one.
        match std::str::from_utf8(invalid) {
            Err(error) if error.error_len().is_none() => invalid.len(),
            _ => 0,
        }
    });
    bytes.truncate(bytes.len() - tail);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn excerpt(content: &[u8], first: u64, lines: u64, most: usize) -> (String, u64, End) {
        let wanted = Wanted { first, lines, most };
        let cancel = CancellationToken::new();
        // A tiny buffer, so that lines and characters are split.
        let reader = io::BufReader::with_capacity(3, content);
        let Excerpt { text, last, end } = read(reader, wanted, &cancel).unwrap();
        (text, last, end)
    }

    #[test]
    fn the_lines_that_were_asked_for() {
        type Row<'a> = (&'a [u8], u64, u64, usize, &'a str, u64, End);
        let rows: Vec<Row<'_>> = vec![
            (b"", 1, 9, 99, "", 0, End::File),
            (b"a\nb\nc", 1, 9, 99, "a\nb\nc", 3, End::File),
            (b"a\nb\nc\n", 1, 9, 99, "a\nb\nc\n", 3, End::File),
            (b"a\nb\nc\n", 1, 3, 99, "a\nb\nc\n", 3, End::File),
            (b"a\nb\nc\n", 2, 1, 99, "b\n", 2, End::Lines),
            (b"a\nb\nc\n", 9, 1, 99, "", 3, End::File),
            (b"long line", 1, 9, 4, "long", 1, End::Bytes),
            (b"a\nb\n", 1, 9, 2, "a\n", 1, End::Bytes),
            ("aé".as_bytes(), 1, 9, 2, "a", 1, End::Bytes),
            (
                b"a\xff\xfeb\n",
                1,
                9,
                99,
                "a\u{fffd}\u{fffd}b\n",
                1,
                End::File,
            ),
        ];
        for (content, first, lines, most, text, last, end) in rows {
            let shown = String::from_utf8_lossy(content);
            let expected = (text.to_owned(), last, end);
            assert_eq!(excerpt(content, first, lines, most), expected, "{shown:?}");
        }
    }

    #[test]
    fn a_cancel_ends_an_endless_file() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let wanted = Wanted {
            first: u64::MAX,
            lines: 1,
            most: 1,
        };
        let read = read(io::BufReader::new(io::repeat(b'x')), wanted, &cancel).unwrap();
        assert_eq!(read.end, End::Cancelled);
    }
}
