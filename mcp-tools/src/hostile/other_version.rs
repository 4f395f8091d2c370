//! Answers `initialize` with a version of MCP that nobody has asked for.
//!
//! A client that does not know the version should end the connection; one that goes on must survive
//! it. It must not hang.
//!
//! MCP: <https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation>

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "initialize" {
            peer.answer(request, honest::welcome("1999-01-01"))?;
            return Ok(true);
        }
        Ok(false)
    })
}
