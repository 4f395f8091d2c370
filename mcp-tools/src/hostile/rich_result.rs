//! Answers calls with every kind of content, and with one that nobody knows.
//!
//! A client must pass on what its own protocol can carry, and must not lose the rest over what it
//! does not know.

use std::io;

use serde_json::json;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/call" {
            let content = json!([
                {"type": "text", "text": "some text"},
                {"type": "image", "mimeType": "image/png", "data": "AAAA"},
                {"type": "audio", "mimeType": "audio/wav", "data": "BBBB"},
                {"type": "resource", "resource": {"uri": "x:text", "text": "embedded text"}},
                {"type": "resource", "resource": {"uri": "x:blob", "blob": "CCCC"}},
                {"type": "resource_link", "uri": "x:link", "name": "a link"},
                {"type": "hologram", "beams": [1, 2, 3]},
                {"type": "text", "text": "the end"},
            ]);
            peer.answer(request, json!({ "content": content }))?;
            return Ok(true);
        }
        Ok(false)
    })
}
