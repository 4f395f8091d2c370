//! What is measured. One file for each question that somebody may have about an agent.

mod at_once;
mod cancel;
mod command;
mod ending;
mod load;
mod memory;
mod sessions;
mod stalled;
mod start;
mod stream;
mod turn;

use crate::{row::Series, series::Field};

/// One question, and how it is answered.
#[derive(Debug)]
pub struct Measure {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it asks, for people.
    pub about: &'static str,
    /// Asks all contenders.
    pub run: fn(&Field) -> Vec<Series>,
}

/// All of them, in the order of a session's life.
pub const ALL: &[Measure] = &[
    Measure {
        name: "start",
        about: "spawn to the answer to initialize; the program's size",
        run: start::measure,
    },
    Measure {
        name: "new",
        about: "making a session",
        run: sessions::new,
    },
    Measure {
        name: "turn",
        about: "a prompt's round trip, with sessions in memory and on the disk",
        run: turn::measure,
    },
    Measure {
        name: "stream",
        about: "small chunks to a client that reads",
        run: stream::measure,
    },
    Measure {
        name: "stalled",
        about: "a million chunks to a client that does not read",
        run: stalled::measure,
    },
    Measure {
        name: "command",
        about: "running a shell command",
        run: command::measure,
    },
    Measure {
        name: "at-once",
        about: "8 and 32 sessions at once",
        run: at_once::measure,
    },
    Measure {
        name: "cancel",
        about: "cancel to the stop reason and to the end of the processes",
        run: cancel::measure,
    },
    Measure {
        name: "load",
        about: "loading 10 to 10,000 turns, and the memory for it",
        run: load::measure,
    },
    Measure {
        name: "list",
        about: "a page of 100,000 sessions",
        run: sessions::list,
    },
    Measure {
        name: "memory",
        about: "memory when idle, and with 1,000 sessions",
        run: memory::measure,
    },
    Measure {
        name: "ending",
        about: "end of input or SIGTERM to the end of all processes",
        run: ending::measure,
    },
];
