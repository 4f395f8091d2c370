//! Memory when nothing is going on.

use crate::{
    connection::Connection,
    machine,
    row::{Row, Series, Target},
    series::Field,
    session::{self, SHORT, Session},
};

/// How many sessions are open.
const SESSIONS: usize = 1_000;

/// After `initialize`, after a turn, and with many sessions.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    let mut series = field.alternate(
        [
            Row::memory("memory after initialize", Target::AtMost(6.0)),
            Row::memory("memory after a turn", Target::None),
        ],
        field.effort.rounds(10),
        |_| Ok(()),
        |contender, ()| {
            let place = field.folders.in_memory()?;
            let mut connection = Connection::start(contender, &place)?;
            session::initialize(&mut connection)?;
            let idle = machine::memory(connection.pid())?.now;
            drop(connection);
            let mut session = Session::start(contender, place)?;
            session.turn(SHORT)?;
            Ok([idle, machine::memory(session.connection.pid())?.now])
        },
    );
    series.extend(field.alternate(
        [Row::memory(
            "memory with 1,000 sessions open",
            Target::AtMost(64.0),
        )],
        field.effort.rounds(3),
        |_| Ok(()),
        |contender, ()| {
            let mut session = Session::start(contender, field.folders.in_memory()?)?;
            for _ in 1..SESSIONS {
                session.renew()?;
            }
            Ok([machine::memory(session.connection.pid())?.now])
        },
    ));
    series
}
