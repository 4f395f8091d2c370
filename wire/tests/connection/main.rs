//! Whole connections, seen by a client that speaks raw lines.

// Functions that tests share may fail as tests do; clippy.toml only covers the tests themselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bounds;
mod ends;
mod lines;
mod raw_client;
mod requests;
mod threads;
