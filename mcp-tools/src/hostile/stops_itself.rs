//! Stops itself with SIGSTOP in a call: it lives, but nothing that it is asked ever happens.
//!
//! A client must be able to cancel the call and to end the server: a process that is stopped does
//! not hear SIGTERM.

use std::io;

use nix::sys::signal::{Signal, raise};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |_, request| {
        if honest::method(request) == "tools/call" {
            raise(Signal::SIGSTOP)?;
        }
        Ok(false)
    })
}
