//! What the integration tests of the agent share.

#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

pub mod client;
pub mod schema;
pub mod script;
pub mod watched;
