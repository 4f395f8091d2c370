//! Scenario files through the agent, and the guide, whose wire lines are recorded.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod answers;
mod examples;
mod files;
mod guide;
mod long_prompts;
mod scene;
mod steps;
#[path = "../support/mod.rs"]
mod support;
