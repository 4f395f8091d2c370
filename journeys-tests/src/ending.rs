//! The end of an agent's process, the same way after every journey: close the input, wait, look for what
//! is left, end that, reap.
//!
//! What must stay true: when this returns, no process of the agent is alive, and the agent itself is
//! reaped only after the last look, so that its id cannot have been given away.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

use std::time::{Duration, Instant};

use crate::{
    connection::{Connection, LAST_OUTPUT, milliseconds},
    leftovers::Watch,
    limits::Limits,
    recording::{Ending, Event, Look, StderrTail, When},
};

/// Whether the process had already ended is asked this long before its input is closed.
const LAST_LOOK: Duration = Duration::from_millis(5);

/// What the end added to a recording.
#[derive(Debug)]
pub struct Ended {
    /// The events of the pipes, all of them.
    pub events: Vec<Event>,
    /// The end of standard error.
    pub stderr: StderrTail,
    /// The looks, with those after the end.
    pub looks: Vec<Look>,
    /// How it ended.
    pub ending: Ending,
}

/// Ends a process and everything below it.
#[must_use]
pub fn end(mut connection: Connection, watch: &Watch, limits: &Limits, looks: Vec<Look>) -> Ended {
    let mut looks = looks;
    let ending = close_and_wait(&mut connection, limits.end);
    let mut note = |when, processes| {
        let t_ms = connection.t_ms();
        looks.push(Look {
            t_ms,
            when,
            processes,
            zombies: 0,
        });
    };
    note(When::AtEnd, watch.look());
    if matches!(ending, Ending::Killed { .. }) {
        // What is left by a process that was killed says nothing about how it would have ended.
        connection.kill();
    } else {
        note(
            When::AfterEnd,
            watch.look_until_none(limits.settle, |_| true),
        );
    }
    watch.end_all();
    connection.drain_until(Instant::now() + LAST_OUTPUT, Connection::is_drained);
    let (events, stderr) = connection.into_events();
    Ended {
        events,
        stderr,
        looks,
        ending,
    }
}

/// Kills a process in the middle of its work and ends everything below it.
#[must_use]
pub fn kill(mut connection: Connection, watch: &Watch, limits: &Limits, looks: Vec<Look>) -> Ended {
    let mut looks = looks;
    connection.kill();
    let has_exited = |connection: &Connection| connection.exited().is_some();
    connection.drain_until(Instant::now() + LAST_OUTPUT, has_exited);
    connection.drop_input();
    let t_ms = connection.t_ms();
    let processes = watch.look_until_none(limits.settle, |_| true);
    looks.push(Look {
        t_ms,
        when: When::AfterKill,
        processes,
        zombies: 0,
    });
    watch.end_all();
    connection.drain_until(Instant::now() + LAST_OUTPUT, Connection::is_drained);
    let (events, stderr) = connection.into_events();
    Ended {
        events,
        stderr,
        looks,
        ending: Ending::KilledByJourney,
    }
}

/// Closes the input and waits for the process to end by itself.
fn close_and_wait(connection: &mut Connection, limit: Duration) -> Ending {
    let has_exited = |connection: &Connection| connection.exited().is_some();
    connection.drain_until(Instant::now() + LAST_LOOK, has_exited);
    if let Some((_, status)) = connection.exited() {
        connection.drop_input();
        return Ending::BeforeInputClosed { status };
    }
    let closed = Instant::now();
    connection.close_input();
    connection.drain_until(closed + limit, has_exited);
    match connection.exited() {
        Some((at, status)) => Ending::AfterInputClosed {
            status,
            after_ms: milliseconds(at.saturating_duration_since(closed)),
        },
        None => Ending::Killed {
            after_ms: milliseconds(closed.elapsed()),
        },
    }
}
