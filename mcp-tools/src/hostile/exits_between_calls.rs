//! Answers its first call and ends.
//!
//! A client must fail the next call at once and say how the server ended, not wait for an answer.

use std::{io, process};

use super::{
    honest,
    peer::{Peer, text},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" {
            peer.answer(request, text("my last words"))?;
            process::exit(5);
        }
        Ok(false)
    })
}
