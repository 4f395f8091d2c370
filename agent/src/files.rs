//! How many files may be open, and how many sessions that is enough for.
//!
//! An open session holds one file, its log with its lock. Systems start programs with a soft limit
//! of 1,024 files for the sake of old ones that use select(2), and let each program raise it up to
//! a hard limit. The agent does; its children get back what it was started with, see [`crate::proc`].
//!
//! Man pages: getrlimit(2).

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Most sessions that are open at once, however many files there may be: each takes a few
/// kilobytes of memory too.
const MOST_SESSIONS: u64 = 16_384;

/// Raises the soft limit as far as the hard one. Call it behind `proc::init`, which remembers the
/// limit for children.
pub fn raise_limit() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE)
        .and_then(|(_, hard)| setrlimit(Resource::RLIMIT_NOFILE, hard, hard));
    if let Err(error) = raised {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

/// How many sessions may be open at once.
#[must_use]
pub fn sessions() -> usize {
    let (files, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((256, 256));
    usize::try_from(sessions_with(files)).unwrap_or(usize::MAX)
}

/// A quarter of the files is left for commands, tool servers and the files that tools open.
fn sessions_with(files: u64) -> u64 {
    (files - files / 4).min(MOST_SESSIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_left_for_commands() {
        for (files, sessions) in [
            (0, 0),
            (256, 192),
            (1_024, 768),
            (20_000, 15_000),
            (u64::MAX, MOST_SESSIONS),
        ] {
            assert_eq!(sessions_with(files), sessions, "{files}");
        }
    }
}
