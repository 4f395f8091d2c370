//! Lists a tool whose schema is nested a thousand deep.
//!
//! A client must not overflow its stack over it, nor wait for another list.

use std::io;

use super::{honest, peer::Peer};

const LEVELS: usize = 1_000;

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            // As text: a value of that depth could not even be dropped everywhere.
            let open = r#"{"type":"object","properties":{"a":"#.repeat(LEVELS);
            let (id, close) = (&request["id"], "}}".repeat(LEVELS));
            peer.raw(format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{{\"name\":\"work\",\"inputSchema\":{open}{{}}{close}}}]}}}}\n"
            ))?;
            return Ok(true);
        }
        Ok(false)
    })
}
