//! How long a client waits for an agent that it has just started.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/initialization>

use std::{fs, time::Instant};

use crate::{
    connection::Connection,
    effort::Rounds,
    fault::Fault,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session,
};

/// Bytes in a mebibyte.
const MIB: f64 = 1_048_576.0;

/// From the start of the process to the answer to `initialize`.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    let mut series = field.alternate(
        [
            Row::time("spawn to initialize answered", Target::TimesFloor(2.0)),
            Row::time("spawn to initialize answered: CPU", Target::None),
        ],
        field.effort.rounds(200),
        |_| field.folders.in_memory(),
        |contender, place| {
            let start = Instant::now();
            let mut connection = Connection::start(contender, place)?;
            session::initialize(&mut connection)?;
            let time = millis(start);
            Ok([time, machine::cpu_time(connection.pid())?])
        },
    );
    series.extend(field.alternate(
        [Row::memory(
            "size of the program's file",
            Target::AtMost(8.0),
        )],
        Rounds {
            warm_up: 0,
            counted: 1,
        },
        |_| Ok(()),
        |contender, ()| {
            let file = fs::metadata(contender.program())
                .map_err(Fault::machine("looking at the program"))?;
            Ok([file.len() as f64 / MIB])
        },
    ));
    series
}

/// Milliseconds since then.
pub(super) fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
