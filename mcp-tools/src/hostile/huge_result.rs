//! Answers calls with twelve megabytes of text, and with a hundred thousand blocks.
//!
//! A client must cut what it hands to its model and to its user, and say that it did.

use std::io;

use serde_json::{Value, json};

use super::{
    honest,
    peer::{Peer, text, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        match (honest::method(request), honest::called(request)) {
            ("tools/list", _) => {
                let tools = ["text", "blocks", "image"].map(tool);
                peer.answer(request, json!({ "tools": tools }))?;
            }
            ("tools/call", "text") => {
                peer.answer(request, text("y".repeat(12_000_000)))?;
            }
            ("tools/call", "blocks") => {
                let blocks: Vec<Value> = (0..100_000)
                    .map(|_| json!({"type": "text", "text": ""}))
                    .collect();
                peer.answer(request, json!({ "content": blocks }))?;
            }
            ("tools/call", "image") => {
                let image = json!({"type": "image", "mimeType": "image/png", "data": "A".repeat(12_000_000)});
                peer.answer(request, json!({"content": [image]}))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })
}
