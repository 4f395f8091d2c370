//! The daemon against a scripted harness: over its HTTP interface only, as any client sees it.
//!
//! Every test has its own instance with its own daemon. Waits are for events, with one generous
//! deadline.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test: a panic is how it fails"
)]

mod bundles;
mod contract;
mod crash;
mod front;
mod identity;
mod lifecycle;
mod storm;
mod support;
mod turns;
