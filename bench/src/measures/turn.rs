//! A prompt's round trip.
//!
//! An agent that promises that what it has answered is saved has to wait for the disk in each
//! turn. So there are two numbers: with sessions in memory, what the agent itself costs; with
//! sessions on the disk, what a user sees.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn>

use std::time::{Duration, Instant};

use super::start::millis;
use crate::{
    deadline::Deadline,
    effort::Rounds,
    fault::Fault,
    folders::Place,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session::{SHORT, Session},
};

/// So many turns are had in one session before a new one is made, as conversations are.
/// A model reads the whole conversation in each turn, so a longer one is another measurement.
const TURNS_OF_A_SESSION: usize = 20;

/// The turns of a long conversation.
const LONG: usize = 1_000;

/// What having them may take.
const BUDGET: Duration = Duration::from_secs(60);

/// Short turns, by where sessions are kept.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    let folders = &field.folders;
    let mut series = short_turns(
        field,
        "prompt round trip, sessions in memory",
        Target::TimesFloor(3.0),
        field.effort.rounds(2_000),
        || folders.in_memory(),
    );
    series.extend(short_turns(
        field,
        "prompt round trip, sessions on the disk",
        Target::None,
        field.effort.rounds(500),
        || folders.on_disk(),
    ));
    series.extend(field.alternate(
        [
            Row::time("prompt round trip behind 1,000 turns", Target::None),
            Row::time("prompt round trip behind 1,000 turns: CPU", Target::None),
        ],
        field.effort.rounds(500),
        |contender| {
            let mut session = Session::start(contender, folders.in_memory()?)?;
            let deadline = Deadline::after("turns", BUDGET);
            for _ in 0..LONG {
                deadline.left()?;
                session.turn(SHORT)?;
            }
            Ok(session)
        },
        |_, session| timed_turn(session),
    ));
    series
}

fn short_turns(
    field: &Field,
    what: &str,
    target: Target,
    rounds: Rounds,
    place: impl Fn() -> Result<Place, Fault>,
) -> Vec<Series> {
    field.alternate(
        [
            Row::time(what, target),
            Row::time(format!("{what}: CPU"), Target::None),
        ],
        rounds,
        |contender| Ok((Session::start(contender, place()?)?, 0)),
        |_, (session, turns)| {
            if *turns == TURNS_OF_A_SESSION {
                session.renew()?;
                *turns = 0;
            }
            *turns += 1;
            timed_turn(session)
        },
    )
}

/// The time that a turn takes, and the CPU time.
fn timed_turn(session: &mut Session) -> Result<[f64; 2], Fault> {
    let pid = session.connection.pid();
    let before = machine::cpu_time(pid)?;
    let start = Instant::now();
    session.turn(SHORT)?;
    let time = millis(start);
    Ok([time, machine::cpu_time(pid)? - before])
}
