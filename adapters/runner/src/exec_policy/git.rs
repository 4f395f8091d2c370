//! Reading a `git` command, past its global options.

use super::words::Segment;

/// Global options whose value is the next word.
const WITH_VALUE: [&str; 2] = ["-C", "-c"];

/// The subcommand of a `git` command and what follows it.
fn subcommand(segment: &Segment) -> Option<(&str, Vec<&str>)> {
    if segment.program() != "git" {
        return None;
    }
    let mut words = segment.arguments();
    loop {
        let word = words.next()?;
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some((word, words.collect()));
        }
    }
}

/// Whether it changes the index, the history or the stash.
pub(super) fn changes_repository(segment: &Segment) -> bool {
    match subcommand(segment) {
        Some(("add" | "commit", _)) => true,
        Some(("stash", rest)) => !matches!(rest.first(), Some(&("list" | "show"))),
        _ => false,
    }
}
