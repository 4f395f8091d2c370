//! Taking a command line apart, as far as rules need it.
//!
//! Not a shell: it over-reads rather than under-reads. Quotes only keep separators from separating;
//! what is inside them is read as words too, because `sh -c 'cat .env'` reads `.env`.

use super::{Ground, name_only, scripts};

/// Commands that only start another one.
const PREFIXES: [&str; 4] = ["sudo", "env", "command", "exec"];

/// A command line, taken apart.
#[derive(Debug)]
pub(super) struct Command {
    /// As it was given.
    pub(super) text: String,
    pub(super) segments: Vec<Segment>,
    /// What its words reach for, as typed.
    pub(super) tokens: Vec<String>,
    pub(super) scripts: Vec<scripts::Script>,
}

/// A part that is one command.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) text: String,
    /// Without what only starts another command; the first is the program.
    pub(super) command: Vec<String>,
}

impl Segment {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            command: command_words(words(text)),
        }
    }

    /// The program's name, without its folder.
    pub(super) fn program(&self) -> &str {
        let first = self.command.first().map_or("", String::as_str);
        first.rsplit('/').next().unwrap_or(first)
    }

    /// Its arguments.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        self.command.iter().skip(1).map(String::as_str)
    }
}

impl Command {
    pub(super) fn read(text: &str, ground: &Ground) -> Self {
        let segments: Vec<Segment> = split(text).iter().map(|part| Segment::new(part)).collect();
        let scripts: Vec<_> = segments
            .iter()
            .filter_map(|segment| scripts::script(segment, ground))
            .collect();
        let mut tokens = Vec::new();
        if !name_only::is_name_only(text, ground) {
            segments
                .iter()
                .for_each(|segment| reach(segment, &mut tokens));
        }
        for script in &scripts {
            tokens.extend(words(&script.text));
        }
        Self {
            text: text.to_owned(),
            segments,
            tokens,
            scripts,
        }
    }
}

/// The words of a segment that may name files.
fn reach(segment: &Segment, tokens: &mut Vec<String>) {
    let leaves_out = matches!(segment.program(), "tar" | "rsync");
    let mut words = words(&segment.text).into_iter();
    while let Some(word) = words.next() {
        if leaves_out && word == "--exclude" {
            words.next();
        } else if !(leaves_out && word.starts_with("--exclude=")) {
            // `<rev>:<path>` is a file of the repository.
            if segment.program() == "git"
                && let Some((_, path)) = word.split_once(':')
            {
                tokens.push(path.to_owned());
            }
            tokens.push(word);
        }
    }
}

/// The words of a text, whatever quotes are in it.
pub(super) fn words(text: &str) -> Vec<String> {
    let is_border = |c: char| c.is_whitespace() || ";|&<>()\"'`[]{}".contains(c);
    text.replace("${HOME}", "$HOME")
        .split(is_border)
        .map(|word| {
            word.trim_start_matches(['@', ':', '=', '+'])
                .trim_end_matches([',', ';', ':'])
        })
        .filter(|word| word.chars().count() > 1 || *word == "/")
        .map(str::to_owned)
        .collect()
}

/// Without assignments and one command that only starts another.
fn command_words(words: Vec<String>) -> Vec<String> {
    let mut rest = &words[..];
    let mut is_prefix_left = true;
    while let Some((first, after)) = rest.split_first() {
        let is_prefix = is_prefix_left && PREFIXES.contains(&first.as_str());
        if !is_prefix && !is_assignment(first) {
            break;
        }
        is_prefix_left &= !is_prefix;
        rest = after;
    }
    rest.to_vec()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let mut letters = name.chars();
        letters
            .next()
            .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Splits at `;`, newlines, pipes and ampersands that no quotes enclose. The ampersands of `2>&1` and
/// `&>` belong to redirections.
pub(super) fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut begin = 0;
    for (at, character) in outside_quotes(text) {
        let is_redirection =
            character == '&' && (text[..at].ends_with('>') || text[at + 1..].starts_with('>'));
        if matches!(character, ';' | '\n' | '|' | '&') && !is_redirection {
            parts.push(&text[begin..at]);
            begin = at + 1;
        }
    }
    parts.push(&text[begin..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The characters that no quotes enclose, with their places. The quotes themselves are left out.
pub(super) fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    let mut is_escaped = false;
    text.char_indices().filter(move |(_, character)| {
        if std::mem::take(&mut is_escaped) {
            return false;
        }
        match (quote, character) {
            (Some(open), character) if open == *character => quote = None,
            (Some('"') | None, '\\') => is_escaped = true,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(*character),
            (None, _) => return true,
        }
        false
    })
}
