//! Answers `initialize` with an error.
//!
//! A client must show the error's text as the cause.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "initialize" {
            peer.refuse(request, -32000, "the licence has expired")?;
            return Ok(true);
        }
        Ok(false)
    })
}
