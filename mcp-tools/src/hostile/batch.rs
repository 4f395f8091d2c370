//! Answers `tools/list` as a batch, which MCP had in one version and has no more.
//!
//! A client may take it or fail the start; it must not wait for another answer until its deadline.

use std::io;

use serde_json::json;

use super::{
    honest,
    peer::{Peer, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        if honest::method(request) == "tools/list" {
            let result = json!({"tools": [tool("work")]});
            let batch = json!([{"jsonrpc": "2.0", "id": request["id"], "result": result}]);
            peer.raw(format!("{batch}\n"))?;
            return Ok(true);
        }
        Ok(false)
    })
}
