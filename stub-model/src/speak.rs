//! Cuts an answer into the pieces that are streamed.
//!
//! Apart from composing the answer, so that composing works on whole texts.
//!
//! Must stay true: the pieces joined are exactly the text.

use crate::conversation::Event;

/// About how long a piece is, in bytes: a few words, as models stream them.
const PIECE_BYTES: usize = 16;

/// The most pieces of one answer that is not counted line by line; longer answers come in longer
/// pieces.
const MAX_PIECES: usize = 2_000;

/// The text in pieces that end behind a blank.
pub(crate) fn pieces(text: &str) -> Vec<Event> {
    let least = PIECE_BYTES.max(text.len() / MAX_PIECES);
    cut(text, |piece, c| {
        c.is_whitespace() && piece >= least || piece >= 16 * least
    })
}

/// The text line by line.
pub(crate) fn lines(text: &str) -> Vec<Event> {
    cut(text, |_, c| c == '\n')
}

fn cut(text: &str, ends: impl Fn(usize, char) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if ends(end - start, c) {
            events.push(Event::Text(text[start..end].to_owned()));
            start = end;
        }
    }
    if start < text.len() {
        events.push(Event::Text(text[start..].to_owned()));
    }
    events
}
