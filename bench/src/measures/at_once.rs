//! Several sessions of one process at once.

use std::{collections::HashSet, time::Instant};

use super::start::millis;
use crate::{
    connection::Connection,
    contender::Contender,
    deadline::Deadline,
    fault::Fault,
    folders::Place,
    message::Message,
    row::{Row, Series, Target},
    series::Field,
    session::{self, PATIENCE, SHORT, expect_stop},
};

/// A process with several sessions.
struct Crowd {
    connection: Connection,
    sessions: Vec<String>,
    _place: Place,
}

/// Short turns, which contend for the process, and waiting ones, which should not.
pub(super) fn measure(field: &Field) -> Vec<Series> {
    let mut series = crowd(field, 8);
    series.extend(crowd(field, 32));
    series
}

fn crowd(field: &Field, size: usize) -> Vec<Series> {
    field.alternate(
        [
            Row::time(
                format!("{size} short turns at once: to the last answer"),
                Target::None,
            ),
            Row::time(
                format!("{size} turns of sleep 0.2 at once: to the last answer"),
                Target::None,
            ),
        ],
        field.effort.rounds(20),
        |contender| Crowd::start(contender, field.folders.in_memory()?, size),
        |_, crowd| Ok([crowd.all(SHORT)?, crowd.all(&session::run("sleep 0.2"))?]),
    )
}

impl Crowd {
    fn start(contender: &Contender, place: Place, size: usize) -> Result<Self, Fault> {
        let mut connection = Connection::start(contender, &place)?;
        session::initialize(&mut connection)?;
        let sessions = (0..size)
            .map(|_| session::new(&mut connection, &place))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            connection,
            sessions,
            _place: place,
        })
    }

    /// Prompts all sessions, and returns how long it takes until all have answered.
    fn all(&mut self, words: &str) -> Result<f64, Fault> {
        let start = Instant::now();
        let mut open = HashSet::new();
        for session in &self.sessions {
            open.insert(
                self.connection
                    .send("session/prompt", &session::prompt(session, words))?,
            );
        }
        let deadline = Deadline::after("answers to all prompts", PATIENCE);
        while !open.is_empty() {
            self.connection.wait(None, deadline)?;
            let Some(Message::Answer { id, result }) =
                self.connection.read("answers to all prompts")?
            else {
                continue;
            };
            if open.remove(&id) {
                let answer = result.map_err(|error| Fault::Refused {
                    method: "session/prompt",
                    error,
                })?;
                expect_stop(&answer, "end_turn")?;
            }
        }
        Ok(millis(start))
    }
}
