//! Lists its tools in pages without end: there is always one more.
//!
//! A client must stop at its own bound.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut page = 0;
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            page += 1;
            let (tools, next) = ([tool(&format!("tool{page}"))], page.to_string());
            peer.answer(request, json!({"tools": tools, "nextCursor": next}))?;
            return Ok(true);
        }
        Ok(false)
    })
}
