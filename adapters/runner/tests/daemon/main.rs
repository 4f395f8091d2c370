//! I: the real `colonizer-agentd` in front of the runner, on the loopback.
//!
//! These tests need the daemon: `scripts/test-runner-daemon` installs it and runs them. It names it
//! in `COLONIZER_AGENTD`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod cases;
mod daemon;
mod same_bytes;
