//! Has one tool more after each call, and says so; the tool that was called is gone.
//!
//! A client must offer the new list in the next step of its model.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, text, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut generation = 1;
    honest::serve(peer, |peer, request| {
        match honest::method(request) {
            "tools/list" => {
                let name = format!("work{generation}");
                peer.answer(request, json!({"tools": [tool(&name)]}))?;
            }
            "tools/call" => {
                generation += 1;
                peer.send(json!({"method": "notifications/tools/list_changed"}))?;
                peer.answer(request, text(format!("now there is work{generation}")))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })
}
