//! Models of other makers: both wires, against servers on this machine.
//!
//! One program with a file for each theme, so that it is linked once. No test needs a network or a
//! key: a server is either a few scripted bytes (`server`) or the stub model over the wire.

#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod asking;
mod hostile;
mod journeys;
mod keys;
mod replies;
mod retries;
mod same_as_stub;
mod server;
#[path = "../support/mod.rs"]
mod support;
mod turns;
