//! What the tests stand on.

mod http;
mod scene;

pub use scene::{Daemon, Scene, harness, process_ids, processes, until};
