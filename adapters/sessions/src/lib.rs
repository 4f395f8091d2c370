//! `acp-sessions`: durable coding sessions behind an ACP front.
//!
//! A daemon, one per user, owns the sessions: it starts the harness of each on its target, queues
//! and runs turns, and keeps what was said. Everything else is a client of its HTTP API, also the
//! ACP front, which may rely on nothing that another client could not rely on.

pub mod api;
pub mod cli;
pub mod client;
pub mod config;
pub mod daemon;
pub mod flags;
pub mod front;
pub mod git;
pub mod instance;
pub mod limits;
pub mod readiness;
pub mod retire;
pub mod store;
pub mod target;
pub mod web;
pub mod workspace_name;
