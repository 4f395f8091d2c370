//! Says a hundred thousand times in a call that its tools have changed.
//!
//! A client must not ask for the list a hundred thousand times: the server counts, and tells it in the
//! answer to the next call.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, text, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut lists = 0;
    let change = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n";
    honest::serve(peer, |peer, request| {
        match (honest::method(request), honest::called(request)) {
            ("tools/list", _) => {
                lists += 1;
                peer.answer(request, json!({"tools": [tool("flood"), tool("count")]}))?;
            }
            ("tools/call", "flood") => {
                peer.raw(change.repeat(100_000))?;
                peer.answer(request, text("flooded"))?;
            }
            ("tools/call", _) => peer.answer(request, text(format!("{lists} lists")))?,
            _ => return Ok(false),
        }
        Ok(true)
    })
}
