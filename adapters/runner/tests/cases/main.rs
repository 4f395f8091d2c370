//! The cases of the runner's specification, against the built program, by their numbers; and beside
//! them what is known to go wrong in adapters, deadlines, all endings, and peers that do odd things.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

#[path = "../support/mod.rs"]
mod support;

mod a_turns;
mod adapters;
mod b_updates;
mod c_permissions;
mod d_exec_policy;
mod deadlines;
mod e_files;
mod endings;
mod f_terminals;
mod g_sessions;
mod g_side_servers;
mod h_endings;
mod hostile;
mod j_manifest;
mod k_denials;
