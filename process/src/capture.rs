//! What is kept of an output that may be of any length: its beginning and its end.
//!
//! Bytes are bounded first, because a single line may be gigabytes long. Text is made only when it
//! is asked for, so a character that arrives in two reads stays whole, and a cut never falls into
//! a character. Bytes that are not UTF-8 become U+FFFD; everything else is kept as it is, also
//! control characters: JSON can carry them, and what to show of them is the client's choice.

use std::collections::VecDeque;

/// The bounded record of an output, in the order in which it arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    head: Vec<u8>,
    head_limit: usize,
    /// What came after the head, its last `tail_limit` bytes.
    tail: VecDeque<u8>,
    tail_limit: usize,
    total: u64,
}

impl Capture {
    /// Keeps the first `head` and the last `tail` bytes.
    pub const fn new(head: usize, tail: usize) -> Self {
        Self {
            head: Vec::new(),
            head_limit: head,
            tail: VecDeque::new(),
            tail_limit: tail,
            total: 0,
        }
    }

    /// Takes the next bytes of the output.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.head_limit - self.head.len();
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        // Of a long piece only the end can stay; the rest is not even copied.
        let rest = &rest[rest.len().saturating_sub(self.tail_limit)..];
        let over = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..over);
        self.tail.extend(rest);
    }

    /// How many bytes the output had so far, kept or not.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes are not kept. A cut [`text`](Self::text) may leave out up to three more on
    /// each side, to cut between characters, and counts them.
    pub fn omitted(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// The output as text. Where something was left out a line says how much.
    pub fn text(&self) -> String {
        self.render(|bytes| bytes)
    }

    /// Like [`text`](Self::text), for an output that still goes on: a character whose last bytes
    /// have not arrived yet is left out, and will be there next time.
    pub fn text_so_far(&self) -> String {
        self.render(without_half_end)
    }

    fn render(&self, end: impl Fn(&[u8]) -> &[u8]) -> String {
        let (front, back) = self.tail.as_slices();
        if self.omitted() == 0 {
            return String::from_utf8_lossy(end(&[&self.head, front, back].concat())).into_owned();
        }
        let head = without_half_end(&self.head);
        let tail = [front, back].concat();
        let tail = without_half_start(&tail);
        let omitted = self.total - (head.len() + tail.len()) as u64;
        format!(
            "{}\n[... {omitted} bytes omitted ...]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(end(tail)),
        )
    }
}

/// Cuts off a character at the end that is not whole.
fn without_half_end(bytes: &[u8]) -> &[u8] {
    // A character has at most four bytes, so its start is among the last three if it is not whole.
    let window = &bytes[bytes.len().saturating_sub(3)..];
    let half = (1..=window.len())
        .find(|length| {
            matches!(
                str::from_utf8(&window[window.len() - length..]),
                Err(error) if error.valid_up_to() == 0 && error.error_len().is_none()
            )
        })
        .unwrap_or(0);
    &bytes[..bytes.len() - half]
}

/// Cuts off the rest of a character at the start.
fn without_half_start(bytes: &[u8]) -> &[u8] {
    let is_rest = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    &bytes[bytes.iter().take(3).take_while(is_rest).count()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(head: usize, tail: usize, pieces: &[&[u8]]) -> Capture {
        let mut capture = Capture::new(head, tail);
        pieces.iter().for_each(|piece| capture.push(piece));
        capture
    }

    #[test]
    fn the_middle_is_left_out_and_counted() {
        let table: [(&[&[u8]], &str); 6] = [
            (&[], ""),
            (&[b"abcdef"], "abcdef"),
            (&[b"ab", b"cdefg", b"h"], "abcdefgh"),
            (&[b"abcdefghi"], "abcd\n[... 1 bytes omitted ...]\nfghi"),
            (
                &[b"abcdefgh", b"ijklmnopqrst", b"u"],
                "abcd\n[... 13 bytes omitted ...]\nrstu",
            ),
            (
                &[b"abcd", b"efgh", b"ijkl", b"mnop"],
                "abcd\n[... 8 bytes omitted ...]\nmnop",
            ),
        ];
        for (pieces, text) in table {
            assert_eq!(capture(4, 4, pieces).text(), text);
        }
    }

    #[test]
    fn a_character_in_two_reads_stays_whole() {
        let emoji = "😀".as_bytes();
        assert_eq!(capture(8, 8, &[&emoji[..1], &emoji[1..]]).text(), "😀");
        // Also across the border between head and tail, as long as nothing is left out.
        assert_eq!(capture(2, 8, &[emoji]).text(), "😀");
    }

    #[test]
    fn a_cut_falls_between_characters() {
        let text = "ééé".repeat(4);
        let cut = capture(5, 5, &[text.as_bytes()]).text();
        assert_eq!(cut, "éé\n[... 16 bytes omitted ...]\néé");
    }

    #[test]
    fn only_what_is_not_utf8_is_replaced() {
        assert_eq!(
            capture(9, 9, &[b"a\xffb\0\x1b[1m"]).text(),
            "a\u{fffd}b\0\u{1b}[1m"
        );
        assert_eq!(capture(9, 9, &[b"half \xf0\x9f"]).text(), "half \u{fffd}");
        // Rests of characters that no cut made are faults of the output.
        assert_eq!(
            capture(2, 6, &[b"abcd\xff\x80\x80\x80\x80\x80x"]).omitted(),
            3
        );
        assert!(
            capture(2, 6, &[b"abcd\xff\x80\x80\x80\x80\x80x"])
                .text()
                .contains('\u{fffd}')
        );
    }

    #[test]
    fn a_half_character_waits_for_its_rest_while_the_output_goes_on() {
        let emoji = "😀".as_bytes();
        assert_eq!(capture(9, 9, &[b"ab", &emoji[..3]]).text_so_far(), "ab");
        assert_eq!(capture(2, 9, &[b"ab", &emoji[..3]]).text_so_far(), "ab");
        assert_eq!(capture(9, 9, &[b"ab", emoji]).text_so_far(), "ab😀");
        assert_eq!(capture(9, 9, &[b"ab\xff"]).text_so_far(), "ab\u{fffd}");
        // Over the border of head and tail.
        assert_eq!(capture(3, 9, &[b"ab", &emoji[..3]]).text_so_far(), "ab");
    }

    #[test]
    fn memory_is_bounded_by_the_limits() {
        let mut capture = Capture::new(100, 100);
        for _ in 0..1_000 {
            capture.push(&[b'x'; 65_536]);
        }
        assert_eq!(capture.total(), 65_536_000);
        assert_eq!(capture.omitted(), 65_536_000 - 200);
        assert!(capture.head.capacity() + capture.tail.capacity() < 1_000);
    }
}
