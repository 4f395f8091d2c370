//! Writes what belongs on stderr to stdout: a banner, log lines, blank lines, a byte order mark, and
//! ends its lines with CR LF.
//!
//! A client should skip what is no message, and work.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, text},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    peer.raw("\u{feff}Hostile MCP server v1.0\r\n\r\nlistening on stdio ...\n\n")?;
    honest::serve(peer, |peer, request| {
        peer.raw(format!("[debug] got {}\r\n\n", honest::method(request)))?;
        if honest::method(request) == "tools/call" {
            let answer = json!({"jsonrpc": "2.0", "id": request["id"], "result": text("worked")});
            peer.raw(format!("{answer}\r\n"))?;
            return Ok(true);
        }
        Ok(false)
    })
}
