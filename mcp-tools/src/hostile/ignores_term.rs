//! Stays when its input ends, and ignores SIGTERM.
//!
//! A client must kill it: a polite request is not enough.

use std::io;

use nix::sys::signal::{SigSet, SigmaskHow, Signal, sigprocmask};

use super::{honest, peer::Peer};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    let mut deaf = SigSet::empty();
    deaf.add(Signal::SIGTERM);
    deaf.add(Signal::SIGINT);
    deaf.add(Signal::SIGHUP);
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&deaf), None)?;
    honest::serve(peer, |_, _| Ok(false))?;
    honest::stay()
}
