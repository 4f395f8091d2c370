//! Dies of a signal in the middle of a call, with its last words on stderr.
//!
//! A client must fail the call at once, and name the signal.

use std::{
    io::{self, Write},
    process,
};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |_, request| {
        if honest::method(request) == "tools/call" {
            io::stderr().write_all(b"assertion failed\n")?;
            process::abort();
        }
        Ok(false)
    })
}
