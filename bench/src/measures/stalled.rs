//! What happens while a client does not read: does the agent wait, or does it pile up?
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation>

use std::{
    thread,
    time::{Duration, Instant},
};

use super::start::millis;
use crate::{
    deadline::Deadline,
    fault::Fault,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session::{PATIENCE, Session, count_to},
    stop,
};

/// How many lines the model prints in each session: as many as the agent's model does at most.
const LINES: usize = 100_000;

/// How often it is looked whether the agent still works.
const LOOK: Duration = Duration::from_millis(100);

/// An agent that has used no CPU for so many looks waits for its client.
const QUIET: usize = 5;

/// How long an agent may go on working with nobody reading.
const AT_MOST: Duration = Duration::from_secs(20);

/// The peak of memory when nothing is read until the agent does nothing any more; then how long a
/// cancel takes from there.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    let mut series = of(field, 1);
    series.extend(of(field, 10));
    series
}

fn of(field: &Field, sessions: usize) -> Vec<Series> {
    let what = format!("{} lines to a stalled reader:", sessions * LINES);
    field.alternate(
        [
            Row::memory(format!("{what} peak memory"), Target::AtMost(16.0)),
            Row::time(
                format!("{what} cancel and read, to the answer"),
                Target::None,
            ),
        ],
        field.effort.rounds(5),
        |_| Ok(()),
        |contender, ()| {
            let mut session = Session::start(contender, field.folders.in_memory()?)?;
            let sample = stall(&mut session, sessions);
            // It may hang in its output, where it does not see that its input has ended.
            session.connection.kill();
            sample
        },
    )
}

/// Has all sessions stream, and cancels the last one once nothing moves any more.
fn stall(session: &mut Session, sessions: usize) -> Result<[f64; 2], Fault> {
    let mut request = session.send_prompt(&count_to(LINES))?;
    for _ in 1..sessions {
        session.renew()?;
        request = session.send_prompt(&count_to(LINES))?;
    }
    until_quiet(session)?;
    let peak = machine::memory(session.connection.pid())?.peak;
    let start = Instant::now();
    session.cancel()?;
    let deadline = Deadline::after("answer to a cancelled prompt", PATIENCE);
    session
        .connection
        .answer(request, "session/prompt", deadline)?;
    Ok([peak, millis(start)])
}

/// Waits, without reading, until the contender does nothing any more.
fn until_quiet(session: &Session) -> Result<(), Fault> {
    let deadline = Instant::now() + AT_MOST;
    let mut before = machine::cpu_time(session.connection.pid())?;
    let mut quiet = 0;
    while quiet < QUIET && Instant::now() < deadline {
        thread::sleep(LOOK);
        stop::check()?;
        let now = machine::cpu_time(session.connection.pid())?;
        quiet = if now == before { quiet + 1 } else { 0 };
        before = now;
    }
    Ok(())
}
