//! The bounds of what a tool server may cost: time, memory, and the model's attention.
//!
//! A server is a foreign program. It may never answer, flood, or describe ten thousand tools; none
//! of it may hold up the session or the other servers.

use std::time::Duration;

/// Servers of one session. Each is at least two processes.
pub const MAX_SERVERS: usize = 32;

/// Tools of one server that are offered.
pub const MAX_TOOLS: usize = 512;

/// Pages of the list of tools of one server. One tool a page is the worst that makes sense.
pub const MAX_PAGES: usize = MAX_TOOLS;

/// Bytes of descriptions and schemas of one server that are offered: a model reads all of it in
/// every step.
pub const MAX_SPECS: usize = 1024 * 1024;

/// Blocks of one result.
pub const MAX_BLOCKS: usize = 1_000;

/// Bytes of text in one result, for the model and for the client each.
pub const MAX_TEXT: usize = 256 * 1024;

/// Bytes of one result in all, with its images, as it goes on to the client.
pub const MAX_RESULT: usize = 8 * 1024 * 1024;

/// Bytes of one line of a server: more than what is kept of the largest result.
pub const MAX_LINE: usize = 12 * 1024 * 1024;

/// Bytes of stderr that are kept, to tell why a server failed.
pub const MAX_STDERR: usize = 4 * 1024;

/// Between two looks at the tools of a server that says again and again that they have changed.
pub const LIST_PAUSE: Duration = Duration::from_millis(100);

/// The deadlines of one server.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// From the spawn to the list of tools. Some servers are fetched by a package runner first, but
    /// a user who waits longer than this for a first answer believes that nothing works.
    pub start: Duration,
    /// One call. Tools may build and test; longer than this they hang.
    pub call: Duration,
    /// A new list of tools after the server said that it has changed.
    pub refresh: Duration,
    /// What is still in the pipe when a server has ended.
    pub last_words: Duration,
    /// From the end of its input to the signals, for a server that is asked to end.
    pub grace: Duration,
    /// From the first signal to the last process, for a server that could not be started.
    pub end: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            call: Duration::from_secs(10 * 60),
            refresh: Duration::from_secs(2),
            last_words: Duration::from_millis(250),
            grace: Duration::from_millis(750),
            end: Duration::from_secs(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_ignores_everything_fits_into_the_shutdown() {
        // From SIGTERM to SIGKILL in the supervisor, and time to see that it has worked.
        let kill = Duration::from_millis(400 + 400);
        let Deadlines {
            last_words, grace, ..
        } = Deadlines::default();
        assert!(last_words + grace + kill <= crate::limits::SERVERS_END);
    }
}
