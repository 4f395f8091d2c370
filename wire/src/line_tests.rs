//! Lines come out the same however their bytes come in.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::io::ReadBuf;

use super::*;

/// A stream that gives one piece at a time, then ends.
struct Pieces(VecDeque<Vec<u8>>);

impl AsyncRead for Pieces {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(mut piece) = self.0.pop_front() {
            let rest = piece.split_off(piece.len().min(buffer.remaining()));
            buffer.put_slice(&piece);
            if !rest.is_empty() {
                self.0.push_front(rest);
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// All lines of a stream, each as text, or `None` if it was too long.
async fn lines(pieces: Vec<Vec<u8>>, max: usize) -> Vec<Option<String>> {
    let mut lines = Lines::new(Pieces(pieces.into()), max);
    let mut all = Vec::new();
    while let Some(line) = lines.next().await.unwrap() {
        all.push(match line {
            Line::Text(bytes) => Some(String::from_utf8(bytes.to_vec()).unwrap()),
            Line::TooLong => None,
        });
    }
    all
}

fn texts(all: &[&str]) -> Vec<Option<String>> {
    all.iter().map(|text| Some((*text).to_owned())).collect()
}

#[tokio::test]
async fn a_line_ends_at_its_newline_or_with_the_input() {
    let table: [(&str, &[&str]); 8] = [
        ("", &[]),
        ("\n", &[""]),
        ("a", &["a"]),
        ("a\n", &["a"]),
        ("a\nb", &["a", "b"]),
        ("\n\na\r\n", &["", "", "a\r"]),
        ("zwölf\n\u{1f980}\n", &["zwölf", "\u{1f980}"]),
        ("a\n\n\nb\n\n", &["a", "", "", "b", ""]),
    ];
    for (input, expected) in table {
        let whole = vec![input.as_bytes().to_vec()];
        assert_eq!(
            lines(whole, 100).await,
            texts(expected),
            "{input:?} in one read"
        );
        let bytes = input.bytes().map(|byte| vec![byte]).collect();
        assert_eq!(
            lines(bytes, 100).await,
            texts(expected),
            "{input:?} byte by byte"
        );
    }
}

#[tokio::test]
async fn a_line_above_the_bound_is_skipped_and_only_that() {
    let input = b"1234\n12345\n\n12345678901234567890\n1\n123456".to_vec();
    let mut expected = texts(&["1234", "", "", "", "1", ""]);
    for too_long in [1, 3, 5] {
        expected[too_long] = None;
    }
    assert_eq!(lines(vec![input.clone()], 4).await, expected);
    let bytes = input.iter().map(|byte| vec![*byte]).collect();
    assert_eq!(lines(bytes, 4).await, expected);
}

#[tokio::test]
async fn random_cuts_change_nothing() {
    for seed in 0..200 {
        let mut random = StdRng::seed_from_u64(seed);
        let words: Vec<String> = (0..random.random_range(0..20))
            .map(|_| {
                "aé漢\u{1f980}"
                    .chars()
                    .cycle()
                    .take(random.random_range(0..40))
                    .collect()
            })
            .collect();
        let mut rest: Vec<u8> = words
            .iter()
            .flat_map(|word| [word.as_bytes(), b"\n"].concat())
            .collect();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let tail = rest.split_off(random.random_range(1..=rest.len().min(60)));
            pieces.push(std::mem::replace(&mut rest, tail));
        }
        let max = 80;
        let expected: Vec<_> = words
            .into_iter()
            .map(|word| (word.len() <= max).then_some(word))
            .collect();
        assert_eq!(lines(pieces, max).await, expected, "seed {seed}");
    }
}

#[tokio::test]
async fn a_huge_line_passes_and_its_memory_is_given_back() {
    let size = 6 << 20;
    let input = [vec![b'x'; size], b"\nshort\n".to_vec()].concat();
    let mut lines = Lines::new(Pieces(VecDeque::from([input])), size);
    assert_eq!(
        lines.next().await.unwrap(),
        Some(Line::Text(&vec![b'x'; size]))
    );
    assert_eq!(lines.next().await.unwrap(), Some(Line::Text(b"short")));
    assert!(lines.partial.capacity() <= BUFFER_KEPT);
}

#[tokio::test]
async fn what_is_skipped_is_not_held() {
    let mut lines = Lines::new(Pieces(VecDeque::from([vec![b'x'; 6 << 20]])), 1 << 20);
    assert_eq!(lines.next().await.unwrap(), Some(Line::TooLong));
    assert_eq!(lines.partial.capacity(), 0);
    assert_eq!(lines.next().await.unwrap(), None);
}
