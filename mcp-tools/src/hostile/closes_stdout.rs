//! Closes its output in a call and lives on, reading.
//!
//! A client must not wait for an answer that cannot come.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |_, request| {
        if honest::method(request) == "tools/call" {
            // The number stays used, so that nothing else can get it.
            nix::unistd::dup2_stdout(std::fs::File::open("/dev/null")?)?;
            return Ok(true);
        }
        Ok(false)
    })
}
