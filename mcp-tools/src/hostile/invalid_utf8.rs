//! Answers calls with bytes that are no UTF-8, within valid JSON.
//!
//! A client must end the call: with the text as far as it can be read, or as a failure.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" {
            let id = request["id"].to_string();
            let head = br#"{"jsonrpc":"2.0","id":"#;
            let body = b",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"caf\xe9\"}]}}\n";
            peer.raw([head, id.as_bytes(), body].concat())?;
            return Ok(true);
        }
        Ok(false)
    })
}
