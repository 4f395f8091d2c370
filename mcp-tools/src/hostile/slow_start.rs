//! Takes two seconds to answer `initialize`: package runners do, which fetch the server first.
//!
//! A client must wait that long, and not hold up the session meanwhile.

use std::{io, thread, time::Duration};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    thread::sleep(Duration::from_secs(2));
    honest::serve(peer, |_, _| Ok(false))
}
