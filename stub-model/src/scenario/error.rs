//! What is wrong with a scenario file, and where.
//!
//! Must stay true: one form for all of them, `FILE:LINE:COLUMN: what, and what is allowed`, with the
//! line below it, whether the YAML, a name or a number is wrong.

use std::{fmt, io};

use serde_saphyr::{DefaultMessageFormatter, Location, MessageFormatter};
use thiserror::Error;

/// Why a scenario cannot be used.
#[derive(Debug, Error)]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("{file} cannot be read: {error}")]
    Unreadable {
        /// The file, as it was named.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file is larger than scenarios may be.
    #[error("{file} has more than {most} bytes, which is the most that a scenario may have")]
    TooLarge {
        /// The file, as it was named.
        file: String,
        /// How many bytes it may have.
        most: usize,
    },
    /// Something in the file is wrong.
    #[error("{file}:{at}: {message}{excerpt}", at = Place(*line, *column))]
    Invalid {
        /// The file, as it was named.
        file: String,
        /// The line, counted from one; zero when it is the file as a whole.
        line: u64,
        /// The column, counted from one in characters.
        column: u64,
        /// What is wrong, and what is allowed.
        message: String,
        /// The line itself with a mark below it; empty when there is none.
        excerpt: String,
    },
}

struct Place(u64, u64);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("1:1"),
            line => write!(f, "{line}:{}", self.1),
        }
    }
}

/// Something that is wrong, before it is known in which file.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: Location,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(at: Location, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { at, message }
    }

    /// The error for people, with the line that it is about.
    pub(super) fn in_file(self, file: &str, text: &str) -> ScenarioError {
        let (line, column) = (self.at.line(), self.at.column());
        ScenarioError::Invalid {
            file: file.to_owned(),
            line,
            column,
            excerpt: excerpt(text, line, column).unwrap_or_default(),
            message: self.message,
        }
    }
}

impl From<serde_saphyr::Error> for Fault {
    fn from(error: serde_saphyr::Error) -> Self {
        let at = error.location().unwrap_or(Location::UNKNOWN);
        let message = DefaultMessageFormatter.format_message(error.without_snippet());
        Self::new(at, in_our_words(&message))
    }
}

/// What the parser says in the words of a parser, in those of people who write a file.
fn in_our_words(message: &str) -> String {
    const WORDS: [(&str, &str); 4] = [
        ("unknown variant", "there is nothing called"),
        ("unknown field", "there is no member"),
        (
            "expected mapping start",
            "members are expected here, each as `name: value`",
        ),
        (
            "expected sequence start",
            "a list is expected here, with `- ` before each item",
        ),
    ];
    WORDS
        .iter()
        .fold(message.to_owned(), |message, (parser, ours)| {
            message.replace(parser, ours)
        })
}

/// The longest part of a line that is shown, in characters.
const SHOWN: usize = 120;

fn excerpt(text: &str, line: u64, column: u64) -> Option<String> {
    let source = text
        .lines()
        .nth(usize::try_from(line.checked_sub(1)?).ok()?)?;
    let source: String = source.chars().take(SHOWN).collect();
    let column = usize::try_from(column.saturating_sub(1)).ok()?;
    let number = line.to_string();
    let mark = if column <= source.chars().count() {
        format!("\n  {:width$} | {:column$}^", "", "", width = number.len())
    } else {
        String::new()
    };
    Some(format!(
        "\n  {number} | {}{mark}",
        source.replace('\t', " ")
    ))
}
