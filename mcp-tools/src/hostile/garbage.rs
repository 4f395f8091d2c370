//! Answers every message with something that is no JSON-RPC, in turns of every kind.
//!
//! A client must give the start up at its own deadline, and must not answer garbage with more of it.

use std::io;

use super::peer::Peer;

const GARBAGE: [&[u8]; 8] = [
    b"this is no JSON\n",
    b"{\"jsonrpc\":\"2.0\",\"id\":\n",
    b"[]\n",
    b"null\n",
    b"{\"id\":{}}\n",
    b"\xff\xfe\x00\n",
    b"{\"jsonrpc\":\"1.0\",\"result\":7}\n",
    b"\n\r\n\n",
];

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    while peer.read()?.is_some() {
        for garbage in GARBAGE {
            peer.raw(garbage)?;
        }
    }
    Ok(())
}
