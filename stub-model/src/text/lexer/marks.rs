//! Bare words, and the punctuation around them.

use super::{Lexer, is_blank};
use crate::text::words::Kind;

/// Fields of plans: `title=Foo` is a label and what it labels, and no assignment.
const FIELDS: [&str; 2] = ["title", "description"];

/// How many punctuation characters are taken off a word; nobody writes more.
const MAX_MARKS: usize = 6;

impl Lexer<'_> {
    /// Brackets and marks of emphasis in front of a word.
    pub(super) fn opening(&mut self) -> bool {
        let rest = self.rest();
        if rest.starts_with("**") && rest[2..].starts_with(char::is_alphanumeric) {
            self.at += 2;
            return true;
        }
        match rest.chars().next() {
            Some(c @ ('(' | '—' | '–' | ',' | ';' | '…' | '→')) => {
                self.push(
                    Kind::Mark(c),
                    self.at..self.at + c.len_utf8(),
                    self.at..self.at,
                );
                true
            }
            Some('<') if rest[1..].starts_with(char::is_alphabetic) => {
                self.push(Kind::Mark('<'), self.at..self.at + 1, self.at..self.at);
                true
            }
            Some(c @ ('.' | '!' | '?' | ')' | ']')) if self.follows_quotation() => {
                self.push(Kind::Mark(c), self.at..self.at + 1, self.at..self.at);
                true
            }
            Some(c @ (':' | '='))
                if rest[1..].starts_with(|c: char| is_blank(c) || "`'\"“<".contains(c))
                    || c == '=' && self.follows_field() =>
            {
                self.push(Kind::Mark(c), self.at..self.at + 1, self.at..self.at);
                true
            }
            _ => false,
        }
    }

    /// Whether the last token names a field of a plan and ends right here: `title=`.
    fn follows_field(&self) -> bool {
        let last = self.tokens.last();
        last.is_some_and(|last| {
            last.outer.end == self.at && FIELDS.contains(&&self.text[last.inner.clone()])
        })
    }

    /// A bare word, then the punctuation behind it.
    pub(super) fn word(&mut self) {
        let rest = self.rest();
        let length = rest.find(is_blank).unwrap_or(rest.len());
        let length = rest[..length]
            .find("</")
            .filter(|tag| *tag > 0 && self.closes(&rest[*tag + 2..]))
            .unwrap_or(length);
        let length = label(&rest[..length]).unwrap_or(length);
        let run = &rest[..length];
        let emphasis = run.trim_end_matches("**");
        let core = trim_marks(emphasis);
        let start = self.at;
        self.push(
            Kind::Word,
            start..start + core.len(),
            start..start + core.len(),
        );
        let mut at = start + core.len();
        for c in emphasis[core.len()..].chars() {
            if c != '*' {
                self.push(Kind::Mark(c), at..at + c.len_utf8(), at..at);
            }
            at += c.len_utf8();
        }
        self.at = start + length;
    }
}

/// `title:Foo` and `run:"ls"` are a label and what it labels: the length up to behind the colon.
/// So is a word that a quotation follows: `say"hi"`, `text='a b'`.
fn label(run: &str) -> Option<usize> {
    let name = run
        .bytes()
        .take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
        .count();
    if run[name..].starts_with('(') && name > 2 && run[..name].contains('_') {
        return Some(name);
    }
    if run[name..].starts_with('=') && FIELDS.contains(&&run[..name]) {
        return Some(name);
    }
    let mut after = run[name..].chars();
    match (after.next(), after.next()) {
        (Some(':'), Some(next))
            if (2..=16).contains(&name) && next.is_alphanumeric() && is_lower(&run[1..name]) =>
        {
            Some(name + 1)
        }
        (Some(':' | '='), Some('"' | '\'' | '`' | '“' | '<')) if name > 0 => Some(name),
        _ => None,
    }
}

fn is_lower(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

/// Takes the punctuation off the end of a word, but not from `..`, `$(x)`, `f()` or `$?`.
fn trim_marks(run: &str) -> &str {
    let mut core = run;
    for _ in 0..MAX_MARKS {
        let Some(last) = core.chars().next_back() else {
            break;
        };
        let shorter = &core[..core.len() - last.len_utf8()];
        let unopened = |open: char| !shorter.contains(open);
        let strip = match last {
            ')' => unopened('('),
            ']' => unopened('['),
            '>' => unopened('<') && shorter.ends_with(|c: char| c.is_alphanumeric() || c == ')'),
            '.' | '?' | '!' => !shorter.ends_with(['.', '$']) && shorter != "~",
            ',' | ';' | ':' | '…' | '"' | '”' | '—' | '’' => true,
            _ => false,
        };
        if !strip || shorter.is_empty() {
            break;
        }
        core = shorter
            .strip_suffix("**")
            .filter(|inside| inside.ends_with(char::is_alphanumeric))
            .unwrap_or(shorter);
    }
    core
}
