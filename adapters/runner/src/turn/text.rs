//! What the agent says or thinks in a turn, without what it says twice.
//!
//! Some agents stream a message in pieces without an id, and send all of it again as one piece with
//! an id. Shown twice it would read as if the agent had said it twice. Only that very form is left
//! out: words that an agent repeats on purpose come in the same form as before, and stay.
//!
//! Pure. Must stay true: what is kept is bounded by what an event can carry.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use crate::fit::MAX_LINE;

/// How many bytes are kept for the end of the turn. An event cannot carry more; the pieces that
/// streamed are all there.
const MOST: usize = MAX_LINE;

/// The text of a turn.
#[derive(Debug, Default)]
pub(super) struct Text {
    kept: String,
    /// What came without an id and may come again: one text for each stretch between tool calls.
    unnamed: Vec<String>,
    unnamed_bytes: usize,
    /// Whether the next piece without an id begins a stretch.
    is_cut: bool,
    /// The id of the message that streams.
    message: Option<String>,
}

impl Text {
    /// Takes a piece, and says whether it is news.
    pub(super) fn take(&mut self, piece: &str, message: Option<&str>) -> bool {
        match message {
            None => self.unnamed(piece),
            Some(id) if self.message.as_deref() == Some(id) => {}
            Some(id) => {
                if let Some(place) = self.unnamed.iter().position(|before| before == piece) {
                    self.unnamed.drain(..=place);
                    return false;
                }
                // From here on it streams with ids.
                self.unnamed.clear();
                self.message = Some(id.to_owned());
            }
        }
        let room = MOST.saturating_sub(self.kept.len());
        self.kept
            .push_str(&piece[..piece.floor_char_boundary(room)]);
        true
    }

    fn unnamed(&mut self, piece: &str) {
        self.message = None;
        self.unnamed_bytes = self.unnamed_bytes.saturating_add(piece.len());
        if self.unnamed_bytes > MOST {
            // Whoever sends so much at once is not one of these agents.
            self.unnamed.clear();
        } else if let (false, Some(stretch)) = (self.is_cut, self.unnamed.last_mut()) {
            stretch.push_str(piece);
        } else if !piece.is_empty() {
            self.unnamed.push(piece.to_owned());
            self.is_cut = false;
        }
    }

    /// A tool call came between.
    pub(super) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// All of it, as much as is kept.
    pub(super) fn into_kept(self) -> String {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a091_a_message_that_comes_again_with_an_id_is_said_once() {
        const CUT: (&str, Option<&str>) = ("(cut)", None);
        let (none, one, two) = (None, Some("m1"), Some("m2"));
        type Pieces<'a> = &'a [(&'a str, Option<&'a str>)];
        let table: [(Pieces, &str); 11] = [
            (&[("Hel", none), ("lo", none), ("Hello", one)], "Hello"),
            (&[("ok", none), ("ok", none)], "okok"),
            (&[("ok", one), ("ok", one)], "okok"),
            (&[("ok", one), ("ok", two)], "okok"),
            // Two messages, each of them again.
            (&[("A", none), ("A", one), ("B", none), ("B", two)], "AB"),
            // A tool call between the parts of one message.
            (
                &[("A", none), CUT, ("B", none), ("A", one), ("B", one)],
                "AB",
            ),
            (&[("A", none), CUT, ("B", none), ("B", one)], "AB"),
            // The same words on purpose, in both forms.
            (
                &[("ok", none), ("ok", one), ("ok", none), ("ok", two)],
                "okok",
            ),
            // What only begins alike is no repetition.
            (&[("Hello", none), ("Hel", one), ("p", one)], "HelloHelp"),
            (&[("", none), ("", one), ("x", one)], "x"),
            (&[("a", none), ("b", one), ("a", two)], "aba"),
        ];
        for (pieces, expected) in table {
            let mut text = Text::default();
            let mut shown = String::new();
            for piece in pieces {
                if *piece == CUT {
                    text.cut();
                } else if text.take(piece.0, piece.1) {
                    shown.push_str(piece.0);
                }
            }
            assert_eq!(shown, expected, "{pieces:?}");
            assert_eq!(text.into_kept(), expected, "{pieces:?}");
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut text = Text::default();
        for _ in 0..1_000 {
            assert!(text.take(&"é".repeat(1_000), None));
        }
        assert!(text.unnamed.iter().map(String::len).sum::<usize>() <= MOST);
        assert!(text.into_kept().len() <= MOST);
    }
}
