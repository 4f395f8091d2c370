//! What a command reaches for, for the record of a boundary: a guess, and only shown.

use super::{
    words::{Command, Segment},
    writes::redirections,
};

/// Programs whose last argument is where they write.
const WITH_DESTINATION: [&str; 7] = ["cp", "mv", "tee", "install", "touch", "ln", "rsync"];

/// The file that output goes to, else a destination, else the first path.
pub(super) fn target(command: &Command) -> Option<String> {
    let segments = || command.segments.iter();
    segments()
        .find_map(|segment| redirections(&segment.text).into_iter().next())
        .or_else(|| segments().find_map(destination))
        .or_else(|| segments().find_map(first_path))
}

fn destination(segment: &Segment) -> Option<String> {
    let program = segment.program();
    if program == "dd" {
        let mut words = segment.arguments();
        return words
            .find_map(|word| word.strip_prefix("of="))
            .map(str::to_owned);
    }
    if !WITH_DESTINATION.contains(&program) {
        return None;
    }
    segment
        .arguments()
        .filter(|word| !word.starts_with('-'))
        .last()
        .map(str::to_owned)
}

fn first_path(segment: &Segment) -> Option<String> {
    if matches!(segment.program(), "cd" | "pushd" | "popd") {
        return None;
    }
    segment
        .arguments()
        .find(|word| word.starts_with(['/', '~', '.']) && *word != "..")
        .map(str::to_owned)
}
