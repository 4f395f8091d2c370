//! The two streams of a command: results on stdout, everything else on stderr.

use std::{
    fmt,
    io::{self, Write},
};

use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use serde::Serialize;

use super::CliError;

/// Writes a result. A reader that went away has read enough, so that is no error.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(CliError::Output),
    }
}

/// Writes a result and a line break.
pub(super) fn print_line(text: &str) -> Result<(), CliError> {
    print(&format!("{text}\n"))
}

/// Writes a result as JSON, for programs.
pub(super) fn print_json(value: &impl Serialize) -> Result<(), CliError> {
    print_line(&serde_json::to_string_pretty(value)?)
}

/// Writes a table, for people: fitted to the terminal if there is one.
pub(super) fn print_table(
    head: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<(), CliError> {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    if !head.is_empty() {
        table.set_header(head.iter().copied());
    }
    for row in rows {
        table.add_row(row.iter().map(|cell| one_line(cell)));
    }
    // Ids stand there, and are copied from there: they are never broken.
    if let Some(first) = table.column_mut(0) {
        first.set_constraint(ColumnConstraint::ContentWidth);
    }
    print_line(&table.trim_fmt())
}

/// A text in which nothing moves the cursor: what others wrote ends up in a terminal.
pub(super) fn one_line(text: &str) -> String {
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(plain).collect()
}

/// A text of several lines in which nothing but the lines moves the cursor.
pub(super) fn lines(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\t' => c,
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(plain).collect()
}

/// Says something beside the result. What cannot be written has nobody to read it.
pub(super) fn complain(what: &dyn fmt::Display) {
    let _ = writeln!(io::stderr(), "acp-sessions: {what}");
}

#[cfg(test)]
mod tests {
    use super::{lines, one_line};

    #[test]
    fn nothing_of_others_moves_the_cursor() {
        assert_eq!(one_line("a\x1b[2Jb\nc"), "a [2Jb c");
        assert_eq!(lines("a\x1b[2J\n\tb\rc"), "a [2J\n\tb c");
    }
}
