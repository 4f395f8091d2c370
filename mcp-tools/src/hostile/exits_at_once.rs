//! Ends at once, with status 3 and a reason on stderr.
//!
//! A client must tell its user both.

use std::{
    io::{self, Write},
    process,
};

use super::peer::Peer;

pub(super) fn run(_: &mut Peer) -> io::Result<()> {
    io::stderr().write_all(b"the config file is missing\n")?;
    process::exit(3)
}
