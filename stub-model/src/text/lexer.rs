//! Cuts a text into tokens.
//!
//! Apart from the reading rules, because what is quoted must never be taken for an instruction:
//! quotes, code fences, lists and punctuation are understood here and nowhere else.
//!
//! Must stay true: one pass, linear time whatever the text; every position is a character border.

use std::ops::Range as Bytes;

use super::words::{Gap, Kind, Token};

/// Longest run of backticks that can open code; longer ones are plain characters, which keeps
/// the search for the closing run linear.
const MAX_TICKS: usize = 8;

/// How many punctuation characters are taken off a word; nobody writes more.
const MAX_MARKS: usize = 6;

/// How many tags of different names are known; each is looked for through the whole text.
const MAX_TAGS: usize = 16;

/// The longest single word that a tag labels.
const MAX_LABELLED: usize = 200;

/// Names of fields: in quotes or as a tag they are labels.
const LABELS: &[&str] = &[
    "title",
    "description",
    "name",
    "content",
    "path",
    "file",
    "command",
    "cmd",
    "marker",
    "id",
];

pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    tokens: Vec<Token>,
    gap: Gap,
    /// Where each closing mark comes next, so that no stretch of text is searched twice.
    closings: Vec<(String, Option<usize>)>,
    list: Option<(u32, char, bool)>,
    /// The names of the tags that were opened.
    tags: Vec<&'t str>,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            tokens: Vec::new(),
            gap: Gap::Paragraph,
            closings: Vec::new(),
            list: None,
            tags: Vec::new(),
        }
    }

    pub(super) fn run(mut self) -> Vec<Token> {
        loop {
            self.blanks();
            if self.at >= self.text.len() {
                return self.tokens;
            }
            if self.tag() || self.bullet() || self.ticks() || self.quotation() || self.opening() {
                continue;
            }
            self.word();
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind, outer: Bytes<usize>, inner: Bytes<usize>) {
        self.at = outer.end;
        self.tokens.push(Token {
            kind,
            gap: self.gap,
            outer,
            inner,
        });
        self.gap = Gap::None;
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        let blank = rest.len() - rest.trim_start_matches(is_blank).len();
        match rest[..blank].bytes().filter(|byte| *byte == b'\n').count() {
            0 => {}
            1 if self.gap == Gap::None => self.gap = Gap::Line,
            _ => self.gap = Gap::Paragraph,
        }
        self.at += blank;
    }

    /// `- `, `* `, `# `, `1. `, `2) `, `(3) ` at the start of a line, or the next number of a list
    /// that runs on within the line.
    fn bullet(&mut self) -> bool {
        let rest = self.rest();
        let starts_line = self.gap != Gap::None;
        let plain = [
            "- ", "* ", "• ", "+ ", "– ", "> ", "[ ] ", "# ", "## ", "### ",
        ];
        if starts_line && let Some(mark) = plain.iter().find(|mark| rest.starts_with(**mark)) {
            let end = self.at + mark.len() - 1;
            self.push(Kind::Bullet, self.at..end, end..end);
            return true;
        }
        let body = rest.strip_prefix('(').unwrap_or(rest);
        let Some((number, length)) = item_number(body) else {
            return false;
        };
        let Some(mark @ ('.' | ')')) = body[length..].chars().next() else {
            return false;
        };
        if !body[length + 1..].starts_with([' ', '\n', '\t']) {
            return false;
        }
        let lettered = body.starts_with(|c: char| c.is_ascii_alphabetic());
        let after_colon = matches!(
            self.tokens.last(),
            Some(Token {
                kind: Kind::Mark(':' | ','),
                ..
            })
        );
        let in_brackets = rest.starts_with("(1) ") && !rest.starts_with("(1) the ");
        let opens = number <= 1 && (after_colon || in_brackets);
        let goes_on = self
            .list
            .is_some_and(|known| known == (number.wrapping_sub(1), mark, lettered));
        let sound = if lettered {
            // A letter alone may be anything: `a.` counts where a list of letters begins or goes on.
            let bordered = starts_line || after_colon || rest.starts_with('(') || mark == ')';
            bordered
                && (goes_on || number == 1 && (starts_line || after_colon || rest.starts_with('(')))
        } else {
            starts_line || opens || goes_on
        };
        if !sound {
            return false;
        }
        self.list = Some((number, mark, lettered));
        let end = self.at + (rest.len() - body.len()) + length + 1;
        self.push(Kind::Bullet, self.at..end, end..end);
        true
    }

    /// `<step>` at the start of a line, and `</step>`: borders, like those between list items. A tag
    /// around a single word, or with the name of a field, is a label too.
    fn tag(&mut self) -> bool {
        let rest = self.rest();
        let Some(body) = rest.strip_prefix("</").or_else(|| rest.strip_prefix('<')) else {
            return false;
        };
        let sign = rest.len() - body.len();
        let length = body
            .find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)))
            .unwrap_or(0);
        let name = &body[..length];
        if name.is_empty() || !body[length..].starts_with('>') {
            return false;
        }
        let end = self.at + sign + length + 1;
        if sign == 2 {
            let known = self.tags.contains(&name);
            if known {
                self.push(Kind::Bullet, self.at..end, end..end);
            }
            return known;
        }
        let border = self.gap != Gap::None
            || matches!(self.tokens.last(), Some(last) if last.kind == Kind::Bullet);
        if !border || self.tags.len() >= MAX_TAGS && !self.tags.contains(&name) {
            return false;
        }
        let Some(close) = self.closing(&format!("</{name}>"), end, |_, _| true) else {
            return false;
        };
        if !self.tags.contains(&name) {
            self.tags.push(name);
        }
        let start = self.at;
        self.push(Kind::Bullet, start..start + 1, end..end);
        let inside = &self.text[end..close];
        let single = inside.len() < MAX_LABELLED && !inside.trim().contains(char::is_whitespace);
        if LABELS.contains(&name) || single {
            self.push(Kind::Word, start + 1..end - 1, start + 1..end - 1);
            self.push(Kind::Mark(':'), end - 1..end, end..end);
        }
        self.at = end;
        true
    }

    /// Code in backticks, inline or fenced.
    fn ticks(&mut self) -> bool {
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
    fn quotation(&mut self) -> bool {
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
    fn closing(
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

    /// Brackets and marks of emphasis in front of a word.
    fn opening(&mut self) -> bool {
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
                if rest[1..].starts_with(|c: char| is_blank(c) || "`'\"“<".contains(c)) =>
            {
                self.push(Kind::Mark(c), self.at..self.at + 1, self.at..self.at);
                true
            }
            _ => false,
        }
    }

    /// Whether the last token is a quotation that ends right here.
    fn follows_quotation(&self) -> bool {
        let last = self.tokens.last();
        last.is_some_and(|last| {
            matches!(last.kind, Kind::Quoted | Kind::Code | Kind::Fence)
                && last.outer.end == self.at
        })
    }

    /// Whether a tag that was opened ends with what follows `</`.
    fn closes(&self, name: &str) -> bool {
        let closed = name.split_once('>').map(|(name, _)| name);
        closed.is_some_and(|name| self.tags.contains(&name))
    }

    /// A bare word, then the punctuation behind it.
    fn word(&mut self) {
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

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}' || c == '\u{200b}'
}
