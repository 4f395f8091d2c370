//! What `leaves-daemon` leaves: a process in a session of its own, whose parent has ended.
//!
//! It holds the three streams of the server that started it, and nobody waits for it. A client must
//! find it all the same.

use std::io;

use super::{honest, peer::Peer};

/// The parent: starts the daemon and ends, so that the daemon is an orphan.
pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    peer.command("daemon-itself")?.spawn()?;
    Ok(())
}

/// The daemon.
pub(super) fn itself(_: &mut Peer) -> io::Result<()> {
    nix::unistd::setsid()?;
    honest::stay()
}
