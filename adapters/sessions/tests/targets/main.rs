//! Targets and git: every kind of place, and what git does in one.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod container;
mod every;
mod exact;
mod hostile;
mod kubernetes;
mod local;
mod origin;
mod podman;
mod saved;
mod scene;
mod server;
mod ssh;
