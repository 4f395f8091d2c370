//! What the tests have in common: a scene with its folders, the fake daemon, and the program.

pub mod daemon;
pub mod fake;
pub mod handlers;
pub mod program;
pub mod scene;
pub mod state;

use std::time::Duration;

/// How long anything may take that is waited for. Only a fault reaches it.
pub const DEADLINE: Duration = Duration::from_secs(60);

pub use fake::Fake;
pub use program::Program;
pub use scene::Scene;
pub use state::{Reply, Route, Turn};
