//! What the tests of the built program share: a workspace, a scripted agent, a running runner.
//!
//! Every event of every test is checked here as it comes: it is one line below the longest one, it
//! fits the schema of its type, and the contract's caps hold.

#![allow(
    dead_code,
    unused_imports,
    missing_docs,
    reason = "each test program uses a part"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

pub mod processes;
pub mod runner;
pub mod scene;
pub mod schema;

pub use scene::{Scene, call, chunk, permission, prompts};
