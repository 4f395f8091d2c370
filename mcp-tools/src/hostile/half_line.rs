//! Writes half an answer to `initialize`, and nothing more.
//!
//! A client must not wait for the rest of the line beyond its deadline.

use std::io;

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    peer.read()?;
    peer.raw(br#"{"jsonrpc":"2.0","id":0,"result":{"protocolVer"#)?;
    honest::stay()
}
