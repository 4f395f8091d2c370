//! How fast small chunks come to a client that reads them as fast as it can.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output>

use std::time::Instant;

use crate::{
    fault::Fault,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session::{Session, count_to},
};

/// How many lines the model prints.
const LINES: usize = 100_000;

/// Chunks a second, from the prompt to its answer.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    field.alternate(
        [
            Row::rate(
                "stream of 100,000 lines, chunks",
                Target::AtLeastTimesFloor(1.0),
            ),
            Row::count("stream of 100,000 lines, chunks for a line", Target::None),
            Row::time("stream of 100,000 lines: CPU", Target::None),
        ],
        field.effort.rounds(10),
        |_| Ok(()),
        |contender, ()| {
            // A process and a session for each: the conversation must not grow by 100,000 lines.
            let mut session = Session::start(contender, field.folders.in_memory()?)?;
            let before = session.connection.updates;
            let start = Instant::now();
            session.turn(&count_to(LINES))?;
            let seconds = start.elapsed().as_secs_f64();
            let chunks = (session.connection.updates - before) as f64;
            if chunks < 2.0 {
                return Err(Fault::Unexpected {
                    what: "the stream",
                    expected: "many chunks".to_owned(),
                    got: format!("{chunks}"),
                });
            }
            let cpu = machine::cpu_time(session.connection.pid())?;
            Ok([chunks / seconds, chunks / LINES as f64, cpu])
        },
    )
}
