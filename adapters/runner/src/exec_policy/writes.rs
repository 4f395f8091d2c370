//! Where a command writes, as far as its words tell, and what kind of place that is.

use std::path::{Path, PathBuf};

use super::{
    Ground,
    words::{Command, Segment, outside_quotes},
};
use crate::files::confine::lexical;

/// Programs whose every argument is a place that changes. Sources count too: which is which depends
/// on flags.
const WRITERS: [&str; 8] = [
    "cp", "mv", "rm", "touch", "mkdir", "tee", "truncate", "install",
];

/// Places that are meant to be written, beside the workspace.
const FREE: [&str; 8] = [
    "/tmp",
    "/var/tmp",
    "/dev/null",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/fd",
    "/run/user",
    "/harness/out",
];

/// Folders that the colony mounts read-only. What lies above them counts too.
const READ_ONLY: [&str; 2] = ["/colonizer", "/opt/colonizer"];
/// And files.
const READ_ONLY_FILES: [&str; 2] = ["/opt/claude/bin/claude", "/opt/node/bin/node"];

/// The kind of place that is written, from the mildest to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Written {
    /// Thrown away with the machine.
    VmLocal,
    /// Shared with the host, outside the workspace.
    Host,
    /// A mount that cannot be written, so the command would fail half way.
    ReadOnly,
    /// The repository's own data.
    Git,
}

impl Written {
    /// For a person.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::VmLocal => "it writes outside the workspace, to what is thrown away",
            Self::Host => "it writes to a host-backed path outside the workspace",
            Self::ReadOnly => "it writes to a read-only mount of the colony",
            Self::Git => "it writes to the repository's .git folder",
        }
    }
}

/// The worst place that a command writes to; nothing if all are fine.
pub(super) fn worst(command: &Command, ground: &Ground) -> Option<Written> {
    let segments = command.segments.iter();
    segments
        .flat_map(targets)
        .filter_map(|target| classify(&target, ground))
        .max()
}

/// The places that a segment writes to, as typed.
fn targets(segment: &Segment) -> Vec<String> {
    let mut targets = redirections(&segment.text);
    let program = segment.program();
    if program == "dd" {
        let files = segment
            .arguments()
            .filter_map(|word| word.strip_prefix("of="));
        targets.extend(files.map(str::to_owned));
    }
    if WRITERS.contains(&program) {
        let files = segment.arguments().filter(|word| !word.starts_with('-'));
        targets.extend(files.map(str::to_owned));
    }
    targets
}

/// The files that output is redirected to.
pub(super) fn redirections(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for (at, _) in outside_quotes(text).filter(|(_, character)| *character == '>') {
        let rest = text[at + 1..]
            .trim_start_matches('>')
            .trim_start_matches('|');
        // Another descriptor, or the first `>` of two, which the second tells.
        if rest.starts_with('&') || text[at + 1..].starts_with('>') {
            continue;
        }
        let rest = rest.trim_start();
        let word = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].split(quote).next(),
            _ => rest
                .split(|c: char| c.is_whitespace() || ";|&<>()".contains(c))
                .next(),
        };
        if let Some(word) = word.filter(|word| !word.is_empty()) {
            targets.push(word.replace("${HOME}", "$HOME"));
        }
    }
    targets
}

fn classify(target: &str, ground: &Ground) -> Option<Written> {
    let target = PathBuf::from(ground.expand(target));
    let path = lexical(&ground.cwd.join(&target));
    if path.starts_with(ground.cwd.join(".git")) {
        return Some(Written::Git);
    }
    // A relative path may start anywhere, after a `cd`.
    if target.is_relative() || path.starts_with(&ground.cwd) {
        return None;
    }
    if FREE.iter().any(|free| path.starts_with(free)) {
        return None;
    }
    let is_near = |other: &Path| path.starts_with(other) || other.starts_with(&path);
    let mounts = ground.host_mounts.as_deref();
    if mounts.is_some_and(|mounts| mounts.iter().any(|mount| is_near(mount))) {
        return Some(Written::Host);
    }
    if READ_ONLY.iter().any(|mount| is_near(Path::new(mount)))
        || READ_ONLY_FILES.iter().any(|file| path.starts_with(file))
    {
        return Some(Written::ReadOnly);
    }
    Some(if mounts.is_some() {
        Written::VmLocal
    } else {
        Written::Host
    })
}
