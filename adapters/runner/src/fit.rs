//! Keeping an event below the longest line that the host accepts.
//!
//! A longer line is lost as an event, so what is too long is cut here, visibly. Text that streams
//! is not cut but sent in several pieces. Pure.

use serde_json::{Map, Value};

use crate::event::Event;

/// The longest line that is sent, in bytes. The host loses one over 262 144; this leaves room for
/// what it adds itself.
pub const MAX_LINE: usize = 200_000;

/// The most characters of a tool's output, as the contract says. Counted in UTF-16 units, which is
/// the smaller measure of the two in use.
pub const MAX_OUTPUT: usize = 20_000;

/// What marks a cut.
const ELLIPSIS: char = '…';

/// Strings in an event that is too long are cut to these many bytes, one after the other, until it
/// fits. The last is still enough for a path or an id.
const STEPS: [usize; 5] = [150_000, 50_000, 10_000, 1_000, 200];

/// The event as one line, without its end.
pub fn line(event: &Event) -> Option<String> {
    let text = serde_json::to_string(event).ok()?;
    if text.len() <= MAX_LINE {
        return Some(text);
    }
    let mut value = serde_json::to_value(event).ok()?;
    for step in STEPS {
        shorten(&mut value, step);
        let text = value.to_string();
        if text.len() <= MAX_LINE {
            return Some(text);
        }
    }
    // Many small values. The two objects whose content is free are what can be that large.
    for name in ["input", "answers"] {
        if let Some(member) = value.get_mut(name) {
            *member = Value::Object(Map::new());
        }
    }
    let text = value.to_string();
    (text.len() <= MAX_LINE).then_some(text)
}

fn shorten(value: &mut Value, most: usize) {
    match value {
        Value::String(text) => {
            // Escapes are longer than what they stand for, and count.
            if json_len(text) > most {
                *text = cut_bytes(text, most);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, most)),
        Value::Object(members) => members.values_mut().for_each(|item| shorten(item, most)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// How many bytes a character takes inside a JSON string.
fn json_width(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        other => other.len_utf8(),
    }
}

fn json_len(text: &str) -> usize {
    text.chars().map(json_width).sum()
}

/// The beginning of a text that takes at most so many bytes inside a JSON string, and an ellipsis.
fn cut_bytes(text: &str, most: usize) -> String {
    let mut cut = pieces(text, most.saturating_sub(ELLIPSIS.len_utf8()))
        .next()
        .unwrap_or_default()
        .to_owned();
    cut.push(ELLIPSIS);
    cut
}

/// The text in pieces that each take at most so many bytes inside a JSON string, but at least one
/// character.
pub fn pieces(mut rest: &str, most: usize) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let mut width = 0;
        let end = rest
            .char_indices()
            .find(|(at, character)| {
                width += json_width(*character);
                width > most && *at > 0
            })
            .map_or(rest.len(), |(at, _)| at);
        let (piece, next) = rest.split_at(end);
        rest = next;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The text, or as much of it as fits into so many UTF-16 units, ending in an ellipsis.
pub fn cut_units(text: String, most: usize) -> String {
    // No text has more units than bytes.
    if text.len() <= most || text.encode_utf16().count() <= most {
        return text;
    }
    let mut units = 0;
    let end = text
        .char_indices()
        .find(|(_, character)| {
            units += character.len_utf16();
            units > most - 1
        })
        .map_or(text.len(), |(at, _)| at);
    let mut cut = text[..end].to_owned();
    cut.push(ELLIPSIS);
    cut
}

/// The text on one line: runs of spaces and control characters become one space, and what is more
/// than so many characters becomes an ellipsis.
pub fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(most) {
        Some(_) => {
            let end = line.char_indices().nth(most - 1).map_or(0, |(at, _)| at);
            format!("{}{ELLIPSIS}", &line[..end])
        }
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_is_cut_between_characters_and_counts_utf16() {
        let table = [
            ("a".repeat(20_000), 20_000, false),
            ("a".repeat(20_001), 20_000, true),
            ("😀".repeat(10_000), 20_000, false),
            // The ellipsis takes one unit, and half an astral character cannot stay.
            ("😀".repeat(10_001), 19_999, true),
            (format!("a{}", "😀".repeat(10_000)), 20_000, true),
        ];
        for (text, units, cut) in table {
            let result = cut_units(text, MAX_OUTPUT);
            assert_eq!(result.encode_utf16().count(), units);
            assert_eq!(result.ends_with(ELLIPSIS), cut);
        }
    }

    #[test]
    fn pieces_make_up_the_whole_text() {
        let text = "a\n😀\u{1}é".repeat(100);
        for most in [1, 2, 7, 1_000_000] {
            let all: Vec<_> = pieces(&text, most).collect();
            assert_eq!(all.concat(), text);
            assert!(
                all.iter()
                    .all(|piece| json_len(piece) <= most || piece.chars().count() == 1)
            );
        }
        assert_eq!(pieces("", 9).count(), 0);
    }

    #[test]
    fn whatever_is_in_an_event_its_line_fits() {
        let input = |value: Value| Event::ToolCall {
            message_id: "msg-1".to_owned(),
            tool_call_id: "c".to_owned(),
            name: "n".repeat(1_000_000),
            input: Map::from_iter([("x".to_owned(), value)]),
        };
        for value in [
            Value::String("\u{1}".repeat(1 << 20)),
            Value::Array(vec![Value::from(1); 1 << 20]),
            Value::Array(vec![Value::from("é".repeat(300)); 5_000]),
        ] {
            let line = line(&input(value)).unwrap();
            assert!(line.len() <= MAX_LINE, "{}", line.len());
            assert!(serde_json::from_str::<Value>(&line).unwrap()["input"].is_object());
        }
    }

    #[test]
    fn one_line_has_no_control_characters_and_a_most() {
        assert_eq!(one_line("a \n\t b\u{7}c", 300), "a b c");
        assert_eq!(one_line("abcdef", 6), "abcdef");
        assert_eq!(one_line("abcdefg", 6), "abcde…");
    }
}
