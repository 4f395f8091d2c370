//! Starts a daemon that holds its pipes, and ends as it should.
//!
//! A client must not wait for the end of the output, and must end the daemon too.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    // The child is a daemon's parent, and is gone when the daemon runs.
    peer.command("daemon")?.status()?;
    honest::serve(peer, |_, _| Ok(false))
}
