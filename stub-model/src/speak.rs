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

/// A text that is cut while it is told.
#[derive(Debug)]
pub(crate) struct Pieces {
    text: String,
    /// Where the rest of it starts.
    start: usize,
    cut: Cut,
}

/// Where a piece ends.
#[derive(Debug, Clone, Copy)]
enum Cut {
    /// Behind a blank, when it is at least that long.
    Words(usize),
    /// With its line.
    Lines,
}

/// The text in pieces that end behind a blank.
pub(crate) fn pieces(text: String) -> Pieces {
    let cut = Cut::Words(PIECE_BYTES.max(text.len() / MAX_PIECES));
    let start = 0;
    Pieces { text, start, cut }
}

/// The text line by line.
pub(crate) fn lines(text: String) -> Pieces {
    let (start, cut) = (0, Cut::Lines);
    Pieces { text, start, cut }
}

impl Cut {
    /// Whether a piece of this length, with `c` at its end, is whole.
    fn ends(self, piece: usize, c: char) -> bool {
        match self {
            Self::Words(least) => c.is_whitespace() && piece >= least || piece >= 16 * least,
            Self::Lines => c == '\n',
        }
    }
}

impl Iterator for Pieces {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let rest = &self.text[self.start..];
        let mut ends = rest.char_indices().map(|(at, c)| (at + c.len_utf8(), c));
        let whole = ends.find(|(end, c)| self.cut.ends(*end, *c));
        let piece = &rest[..whole.map_or(rest.len(), |(end, _)| end)];
        self.start += piece.len();
        (!piece.is_empty()).then(|| Event::Text(piece.to_owned()))
    }
}
