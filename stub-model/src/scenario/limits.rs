//! How large a scenario and what comes of it may be.
//!
//! A file is written by people and read at the start; what it leads to is made while the agent
//! runs, from results of any size. Both have bounds, and going over one is said, not done silently.

use std::time::Duration;

/// The largest file, in bytes. The largest that people write has some hundred lines.
pub(super) const FILE_BYTES: usize = 1 << 20;

/// The most rules of a file; each may be tried for each prompt.
pub(super) const RULES: usize = 1_000;

/// The most steps of a rule, with those that it holds inside.
pub(super) const STEPS: usize = 1_000;

/// The most questions of a rule. So many turns back one has to look for its beginning.
pub(super) const QUESTIONS: usize = 16;

/// How deep lists of steps stand in one another.
pub(super) const DEPTH: usize = 8;

/// The most calls in one reply, like those of `/parallel`.
pub(super) const CALLS: usize = 100;

/// The most chunks that the `stream` steps of a rule make together, like those of `/stream`.
pub(super) const CHUNKS: u64 = 100_000;

/// The longest `wait`. Whoever wants a longer one wants `hang`.
pub(super) const WAIT: Duration = Duration::from_secs(10 * 60);

/// Longer than anybody waits.
pub(super) const FOR_EVER: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The size of a compiled pattern, in bytes. Patterns over it repeat something thousands of times.
pub(super) const PATTERN_BYTES: usize = 1 << 20;

/// How much of a prompt patterns are tried on, in bytes: what a rule looks for stands in it.
pub(super) const PROMPT_BYTES: usize = 256 << 10;

/// How much of one value is put in for its name, in bytes.
pub(super) const VALUE_BYTES: usize = 64 << 10;

/// How much all texts of one reply hold, in bytes.
pub(super) const REPLY_BYTES: usize = 16 << 20;

/// The longest side of a drawn image, in pixels.
pub(super) const SIDE: u32 = 4_096;
