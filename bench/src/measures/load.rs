//! Loading a stored session in a process that has just started.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions>

use std::time::{Duration, Instant};

use super::start::millis;
use crate::{
    connection::Connection,
    fault::Fault,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session,
};

/// What making the session may take.
const BUDGET: Duration = Duration::from_secs(120);

/// Sessions of four lengths.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    [
        (10, 50, Target::None),
        (100, 50, Target::None),
        (1_000, 20, Target::None),
        (10_000, 10, Target::TimesFloor(4.0)),
    ]
    .into_iter()
    .flat_map(|(turns, rounds, target)| of(field, turns, rounds, target))
    .collect()
}

fn of(field: &Field, turns: usize, rounds: usize, target: Target) -> Vec<Series> {
    let what = format!("load of {turns} turns");
    field.alternate(
        [
            Row::time(&what, target),
            Row::memory(format!("{what}: peak memory"), Target::None),
        ],
        field.effort.rounds(rounds),
        |contender| session::store(contender, field.folders.in_memory()?, turns, BUDGET),
        |contender, (place, id)| {
            let mut connection = Connection::start(contender, place)?;
            session::initialize(&mut connection)?;
            let start = Instant::now();
            session::load(&mut connection, place, id)?;
            let time = millis(start);
            // Each turn is at least the user's message and the agent's.
            if connection.updates < 2 * turns as u64 {
                return Err(Fault::Unexpected {
                    what: "the replay",
                    expected: format!("at least {} updates", 2 * turns),
                    got: connection.updates.to_string(),
                });
            }
            Ok([time, machine::memory(connection.pid())?.peak])
        },
    )
}
