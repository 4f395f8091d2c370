//! The client of the daemon's HTTP API, and how a daemon is found or started.
//!
//! The front and the commands for people use it, and nothing else reaches the daemon.
//!
//! What must stay true: it talks to loopback addresses only, over plain HTTP/1.1, one connection
//! for each request. So there is no proxy to be sent through, no redirect to follow, and after a
//! restart of the daemon no connection that still leads to the old one.

mod calls;
mod daemon;
mod error;
mod exchange;
mod full;
mod log_tail;
mod start;

pub use calls::Client;
pub use daemon::Daemon;
pub use error::{ClientError, StartError};
pub use start::Connector;
