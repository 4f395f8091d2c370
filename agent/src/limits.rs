//! Every limit and deadline of the agent that is not private to one module.
//!
//! They stand together because they must fit together: the steps of a shutdown have to fit into
//! its budget, which a test below holds.
//!
//! ```text
//! input ends | LAST_WORDS | TURNS_END | SERVERS_END, SAVING | LAST_WRITE | LAST_SWEEP | LAST_THREADS
//!            |<------------- SAVED_BY --------------------->|                                      |
//!            |<------------------------------ SHUTDOWN_BUDGET ------------------------------------>|
//! ```

use std::time::Duration;

use crate::proc;

/// Everything between the end of the input (or a signal) and the end of the process.
/// Clients give an agent about ten seconds before they kill it; half of that leaves room.
pub const SHUTDOWN_BUDGET: Duration = Duration::from_secs(5);

/// How long a turn that only waits for its model may go on after the input has ended, so that
/// `printf … | acp-agent --acp` gets its answer. Turns that wait for a tool or a permission are
/// cancelled at once: nobody is there to answer, and a command may run for hours.
pub const LAST_WORDS: Duration = Duration::from_millis(250);

/// How long cancelled turns may take to end: the grace of their commands, and saving what they did.
pub const TURNS_END: Duration = Duration::from_millis(1_700);

/// How long tool servers may take to end once their input is closed.
pub const SERVERS_END: Duration = Duration::from_millis(1_800);

/// What is left at least for saving, after turns and tool servers that took all of their time.
pub const SAVING: Duration = Duration::from_millis(100);

/// How long the last answers may take to reach a client that still reads.
pub const LAST_WRITE: Duration = Duration::from_millis(500);

/// How long the last look for processes that somebody has left behind may take.
pub const LAST_SWEEP: Duration = proc::SWEEP_DEADLINE;

/// How long threads that hang in the kernel may hold up the exit.
pub const LAST_THREADS: Duration = Duration::from_millis(100);

/// When turns and tool servers have ended and all is saved, or is given up: a disk may hang, and
/// the process must end all the same.
pub const SAVED_BY: Duration = SHUTDOWN_BUDGET
    .saturating_sub(LAST_WRITE)
    .saturating_sub(LAST_SWEEP)
    .saturating_sub(LAST_THREADS);

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
        let saved = LAST_WORDS + TURNS_END + SERVERS_END + SAVING;
        assert!(saved <= SAVED_BY);
        assert!(saved + LAST_WRITE + LAST_SWEEP + LAST_THREADS <= SHUTDOWN_BUDGET);
        assert!(LAST_SWEEP <= Duration::from_secs(1));
        assert_eq!(SHUTDOWN_BUDGET, Duration::from_secs(5));
    }

    #[test]
    fn a_turn_may_wait_for_its_command_and_still_be_answered() {
        let answer = Duration::from_millis(100);
        assert!(proc::Supervisor::new().longest_end() + answer <= TURNS_END);
    }
}
