//! Answers every page of its tools with the same cursor and no tools: the next page is this page.
//!
//! A client must notice that it comes no further.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            let first = request["params"]["cursor"].is_null();
            let tools = if first {
                vec![tool("work")]
            } else {
                Vec::new()
            };
            peer.answer(request, json!({"tools": tools, "nextCursor": "again"}))?;
            return Ok(true);
        }
        Ok(false)
    })
}
