//! The end of an output, as ACP wants it: the oldest bytes go, and never half a character stays.
//!
//! Pure. ACP: <https://agentclientprotocol.com/protocol/v1/terminals#creating-a-terminal>

use std::collections::VecDeque;

/// The last bytes of an output.
#[derive(Debug)]
pub(super) struct Output {
    kept: VecDeque<u8>,
    limit: usize,
    is_truncated: bool,
}

impl Output {
    /// Keeps the last `limit` bytes.
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            kept: VecDeque::new(),
            limit,
            is_truncated: false,
        }
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let over = (self.kept.len() + bytes.len()).saturating_sub(self.limit);
        self.is_truncated |= over > 0;
        let bytes = &bytes[bytes.len().saturating_sub(self.limit)..];
        self.kept.drain(..over.min(self.kept.len()));
        self.kept.extend(bytes);
    }

    /// Whether something was left out.
    pub(super) const fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The text. Bytes that are not UTF-8 are replaced, but the rest of a character that was cut is
    /// left out.
    pub(super) fn text(&self) -> String {
        let is_rest = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
        let skip = match self.is_truncated {
            true => self.kept.iter().take(3).take_while(is_rest).count(),
            false => 0,
        };
        let bytes: Vec<u8> = self.kept.iter().skip(skip).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f08_the_oldest_bytes_go_and_a_cut_falls_between_characters() {
        let table: [(usize, &[&[u8]], &str, bool); 7] = [
            (4, &[b"abcdefgh"], "efgh", true),
            (4, &[b"ab", b"cd"], "abcd", false),
            (4, &[b"ab", b"cde"], "bcde", true),
            (5, &["a😀".as_bytes()], "a😀", false),
            (4, &["a😀".as_bytes()], "😀", true),
            (5, &["😀😀".as_bytes()], "😀", true),
            (9, &[b"\xffx"], "\u{fffd}x", false),
        ];
        for (limit, pieces, text, is_truncated) in table {
            let mut output = Output::new(limit);
            pieces.iter().for_each(|piece| output.push(piece));
            assert_eq!(
                (output.text().as_str(), output.is_truncated()),
                (text, is_truncated)
            );
        }
    }

    #[test]
    fn f09_memory_is_bounded_by_the_limit() {
        let mut output = Output::new(1_000);
        for _ in 0..1_000 {
            output.push(&[b'x'; 200_000]);
        }
        assert!(output.kept.capacity() < 10_000);
    }
}
