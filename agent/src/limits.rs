//! Every limit and deadline of the agent that is not private to one module.
//!
//! They stand together because they must fit together: the steps of a shutdown have to fit into
//! its budget, which a test below holds.

use std::time::Duration;

/// Everything between the end of the input (or a signal) and the end of the process.
/// Clients give an agent about ten seconds before they kill it; half of that leaves room.
pub const SHUTDOWN_BUDGET: Duration = Duration::from_secs(5);

/// How long a turn that only waits for its model may go on after the input has ended, so that
/// `printf … | acp-agent --acp` gets its answer. Turns that wait for a tool or a permission are
/// cancelled at once: nobody is there to answer, and a command may run for hours.
pub const LAST_WORDS: Duration = Duration::from_millis(250);

/// How long cancelled turns may take to end: the grace of their commands, and saving what they did.
pub const TURNS_END: Duration = Duration::from_millis(2_000);

/// How long tool servers may take to end once their input is closed.
pub const SERVERS_END: Duration = Duration::from_millis(1_800);

/// How long the last answers may take to reach a client that still reads.
pub const LAST_WRITE: Duration = Duration::from_millis(500);

/// Loads that read at once. A load holds a thread that may block until its client has read all of
/// it; the other threads are for saving and for tools.
pub const LOADS_AT_ONCE: usize = 8;

/// How much may be worked on at once for requests that are no prompts, in KiB of their params: many
/// more requests than a client has open, and a bound for one that sends a hundred thousand.
pub const REQUESTS_AT_ONCE: u32 = 64 * 1024;

/// What a request counts at least, in KiB: so 2,048 small ones are worked on at once.
pub const REQUEST_COUNTS: u32 = 32;

/// How long a request waits for those before it when too much is being worked on. Then it is
/// refused, because what stands behind it may be the cancel that would make room.
pub const PACE: Duration = Duration::from_millis(50);

/// Model steps in one turn. A model that has called tools this often without an end is going
/// round in circles.
pub const MAX_TURN_STEPS: usize = 200;

/// The longest description of a live command that is sent while it runs. The whole output comes
/// once, with the end; a client that wants more of a running command has a terminal.
pub const LIVE_OUTPUT: usize = 4 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_a_shutdown_fit_into_its_budget() {
        assert!(LAST_WORDS + TURNS_END + SERVERS_END + LAST_WRITE < SHUTDOWN_BUDGET);
    }
}
