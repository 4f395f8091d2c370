//! Works, and writes to stderr without end.
//!
//! A client must read stderr all the time, or the server stops, and keep only the end of it.

use std::{
    io::{self, Write},
    thread,
};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    thread::spawn(|| {
        let lines = "a line of a log that nobody reads\n".repeat(1_000);
        // Ends with the client's end of the pipe.
        while io::stderr().write_all(lines.as_bytes()).is_ok() {}
    });
    honest::serve(peer, |_, _| Ok(false))
}
