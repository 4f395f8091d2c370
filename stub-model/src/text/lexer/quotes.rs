//! What is quoted: between quotation marks, in backticks, in a fence.
//!
//! Must stay true: no stretch of text is searched twice for the same closing mark.

use std::ops::Range as Bytes;

use super::{LABELS, Lexer};
use crate::text::words::Kind;

/// Longest run of backticks that can open code; longer ones are plain characters, which keeps
/// the search for the closing run linear.
const MAX_TICKS: usize = 8;

impl Lexer<'_> {
    /// Code in backticks, inline or fenced.
    pub(super) fn ticks(&mut self) -> bool {
        let rest = self.rest();
        let (tick, shortest) = if rest.starts_with("~~~") {
            ('~', 3)
        } else {
            ('`', 1)
        };
        let count = rest.bytes().take_while(|byte| *byte == tick as u8).count();
        if count < shortest || count > MAX_TICKS {
            return false;
        }
        let fence = &rest[..count];
        let start = self.at + count;
        let found = self.closing(fence, start, |text, end| {
            !text[end..].starts_with(tick) && !text[..end - count].ends_with(tick)
        });
        if count < 3 {
            let Some(close) = found else { return false };
            let kind = self.kind_of(Kind::Code, start..close, close + count);
            self.push(kind, self.at..close + count, start..close);
            return true;
        }
        let close = found.unwrap_or(self.text.len());
        let inner = fence_body(self.text, start, close);
        self.push(
            Kind::Fence,
            self.at..(close + count).min(self.text.len()),
            inner,
        );
        true
    }

    /// Something between quotation marks. A straight mark opens only before a word and closes
    /// only behind one, so that apostrophes and inches stay what they are.
    pub(super) fn quotation(&mut self) -> bool {
        let Some(open) = self.rest().chars().next() else {
            return false;
        };
        let close = match open {
            '"' => "\"",
            '\'' => "'",
            '“' | '„' => "”",
            '‘' => "’",
            '«' => "»",
            _ => return false,
        };
        let start = self.at + open.len_utf8();
        if self.text[start..].starts_with(char::is_whitespace) && open == '\'' {
            return false;
        }
        let found = self.closing(close, start, |text, end| {
            let before = &text[..end - close.len()];
            let escaped = close == "\"" && before.ends_with('\\');
            !escaped && !text[end..].starts_with(char::is_alphanumeric)
        });
        let Some(found) =
            found.filter(|found| open != '\'' || !self.text[start..*found].contains("\n\n"))
        else {
            return false;
        };
        let kind = self.kind_of(Kind::Quoted, start..found, found + close.len());
        self.push(kind, self.at..found + close.len(), start..found);
        true
    }

    /// The name of a field in quotes, with a colon behind it, is a label and no quotation.
    fn kind_of(&self, kind: Kind, inner: Bytes<usize>, end: usize) -> Kind {
        let labels = self.text[end..]
            .trim_start_matches(' ')
            .starts_with([':', '=']);
        if labels && LABELS.contains(&&self.text[inner]) {
            Kind::Word
        } else {
            kind
        }
    }

    /// Where the next `mark` from `from` on begins for which `fits` holds of the text and the
    /// position behind the mark.
    pub(super) fn closing(
        &mut self,
        mark: &str,
        from: usize,
        fits: impl Fn(&str, usize) -> bool,
    ) -> Option<usize> {
        let known = self.closings.iter().position(|(known, _)| known == mark);
        if let Some((_, place)) = known.and_then(|index| self.closings.get(index))
            && place.is_none_or(|place| place >= from)
        {
            return *place;
        }
        let found = self.text[from..]
            .match_indices(mark)
            .map(|(offset, _)| from + offset)
            .find(|begin| fits(self.text, begin + mark.len()));
        self.closings.retain(|(known, _)| known != mark);
        self.closings.push((mark.to_owned(), found));
        found
    }

    /// Whether the last token is a quotation that ends right here.
    pub(super) fn follows_quotation(&self) -> bool {
        let last = self.tokens.last();
        last.is_some_and(|last| {
            matches!(last.kind, Kind::Quoted | Kind::Code | Kind::Fence)
                && last.outer.end == self.at
        })
    }
}

fn fence_body(text: &str, start: usize, close: usize) -> Bytes<usize> {
    let body = &text[start..close];
    let from = match body.find('\n') {
        Some(line_end) => line_end + 1,
        None => {
            let languages = [
                "sh ", "bash ", "shell ", "console ", "zsh ", "text ", "json ",
            ];
            languages
                .iter()
                .find(|name| body.starts_with(**name))
                .map_or(0, |name| name.len())
        }
    };
    let body = &body[from..];
    let body = body.strip_suffix('\n').unwrap_or(body);
    let body = body.strip_suffix('\r').unwrap_or(body);
    start + from..start + from + body.len()
}
