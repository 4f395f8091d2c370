//! Making sessions, and finding one among many.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session>
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-list>

use std::time::Instant;

use super::start::millis;
use crate::{
    connection::Connection,
    contender::Contender,
    fault::Fault,
    folders::Place,
    row::{Row, Series, Target},
    series::Field,
    session::{self, PATIENCE, Session},
};

/// How many sessions one process makes for the list; more would measure its memory.
const SESSIONS_EACH: usize = 1_000;

/// `session/new`, one after the other in one process.
pub(super) fn new(field: &Field) -> Vec<Series> {
    field.alternate(
        [Row::time("session/new", Target::None)],
        field.effort.rounds(200),
        |contender| Session::start(contender, field.folders.in_memory()?),
        |_, session| {
            let start = Instant::now();
            session.renew()?;
            Ok([millis(start)])
        },
    )
}

/// The first page of `session/list`, in a process that has just started.
pub(super) fn list(field: &Field) -> Vec<Series> {
    let (sessions, what) = if field.effort.quick {
        (10_000, "session/list of 10,000 sessions, a page")
    } else {
        (100_000, "session/list of 100,000 sessions, a page")
    };
    field.alternate(
        [
            Row::time(what, Target::AtMost(300.0)),
            Row::memory("session/list: peak memory", Target::None),
        ],
        field.effort.rounds(10),
        |contender| many(contender, field.folders.in_memory()?, sessions),
        |contender, place| {
            let mut connection = Connection::start(contender, place)?;
            session::initialize(&mut connection)?;
            let start = Instant::now();
            let page = connection.request("session/list", "{}", PATIENCE)?;
            let time = millis(start);
            if !page.contains("\"sessionId\"") {
                return Err(Fault::Unexpected {
                    what: "the answer to session/list",
                    expected: "sessions".to_owned(),
                    got: page,
                });
            }
            Ok([time, crate::machine::memory(connection.pid())?.peak])
        },
    )
}

/// Makes many sessions, in as many processes as it takes.
fn many(contender: &Contender, place: Place, mut count: usize) -> Result<Place, Fault> {
    while count > 0 {
        let mut connection = Connection::start(contender, &place)?;
        let offer = session::initialize(&mut connection)?;
        // The floor and many products have no list.
        if !offer.contains("\"list\"") {
            return Err(Fault::Unexpected {
                what: "initialize",
                expected: "the capability session/list".to_owned(),
                got: "none".to_owned(),
            });
        }
        for _ in 0..count.min(SESSIONS_EACH) {
            session::new(&mut connection, &place)?;
        }
        count = count.saturating_sub(SESSIONS_EACH);
    }
    Ok(place)
}
