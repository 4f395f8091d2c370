//! The marks in front of list items.
//!
//! Must stay true: a number at the end of a sentence is no list item.

use super::Lexer;
use crate::text::words::{Gap, Kind, Token};

/// Marks that stand at the start of a line only.
const PLAIN: [&str; 10] = [
    "- ", "* ", "• ", "+ ", "– ", "> ", "[ ] ", "# ", "## ", "### ",
];

/// A number or a letter in front of an item: `1.`, `b)`, `(3)`.
struct Number {
    number: u32,
    mark: char,
    lettered: bool,
    /// How long it is, brackets and all.
    length: usize,
}

impl Lexer<'_> {
    /// `- `, `* `, `# `, `1. `, `2) `, `(3) ` at the start of a line, or the next number of a list
    /// that runs on within the line.
    pub(super) fn bullet(&mut self) -> bool {
        let rest = self.rest();
        let starts_line = self.gap != Gap::None;
        let plain = PLAIN.iter().find(|mark| rest.starts_with(**mark));
        let length = match (plain, number_at(rest)) {
            (Some(mark), _) if starts_line => mark.len() - 1,
            (_, Some(number)) if self.is_item(&number) => {
                self.list = Some((number.number, number.mark, number.lettered));
                number.length
            }
            _ => return false,
        };
        let end = self.at + length;
        self.push(Kind::Bullet, self.at..end, end..end);
        true
    }

    /// Whether a number counts here: at the start of a line or of a list, or as the next one.
    fn is_item(&self, item: &Number) -> bool {
        let Number {
            number,
            mark,
            lettered,
            ..
        } = *item;
        let rest = self.rest();
        let starts_line = self.gap != Gap::None;
        let last = self.tokens.last().map(|last: &Token| last.kind);
        let after_colon = matches!(last, Some(Kind::Mark(':' | ',')));
        let bracketed = rest.starts_with('(');
        let goes_on = self.list == Some((number.wrapping_sub(1), mark, lettered));
        if lettered {
            // A letter alone may be anything: `a.` counts where a list of letters begins or goes on.
            let begins = number == 1 && (starts_line || after_colon || bracketed);
            let bordered = starts_line || after_colon || bracketed || mark == ')';
            return bordered && (goes_on || begins);
        }
        let in_brackets = rest.starts_with("(1) ") && !rest.starts_with("(1) the ");
        starts_line || goes_on || number <= 1 && (after_colon || in_brackets)
    }
}

/// The number that a text begins with, when a blank follows it.
fn number_at(text: &str) -> Option<Number> {
    let body = text.strip_prefix('(').unwrap_or(text);
    let (number, length) = item_number(body)?;
    let mark = body[length..].chars().next();
    let mark = mark.filter(|mark| matches!(mark, '.' | ')'))?;
    let behind = &body[length + 1..];
    behind.starts_with([' ', '\n', '\t']).then(|| Number {
        number,
        mark,
        lettered: body.starts_with(|c: char| c.is_ascii_alphabetic()),
        length: text.len() - behind.len(),
    })
}

/// The number of a list item, in digits or as a letter, and how long it is.
fn item_number(body: &str) -> Option<(u32, usize)> {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let number = match body.bytes().next() {
        Some(letter) if letter.is_ascii_alphabetic() => {
            return Some((u32::from(letter.to_ascii_lowercase() - b'a') + 1, 1));
        }
        _ => body[..digits].parse::<u32>().ok()?,
    };
    (number < 100).then_some((number, digits))
}
