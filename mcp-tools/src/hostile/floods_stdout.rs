//! Writes lines that are no messages to stdout without end, and reads nothing.
//!
//! A client must keep none of it, give the start up at its own deadline, and end the server.

use std::io;

use super::peer::Peer;

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let lines = "this is no message\n".repeat(1_000);
    loop {
        peer.raw(&lines)?;
    }
}
