//! Reads nothing once its tools are known: its input fills up.
//!
//! A client must not wait for room in the pipe beyond the cancel or the deadline of a call, and must
//! be able to end the server although it never sees the end of its input.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            let tools = serde_json::json!({"tools": [super::peer::tool("work")]});
            peer.answer(request, tools)?;
            honest::stay();
        }
        Ok(false)
    })
}
