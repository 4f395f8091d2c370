//! The cases of the runner's specification, against the built program, by their numbers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod a_turns;
mod b_updates;
mod c_permissions;
mod d_exec_policy;
mod e_files;
mod f_terminals;
mod g_sessions;
mod g_side_servers;
mod h_endings;
mod j_manifest;
mod k_denials;
