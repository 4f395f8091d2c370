//! The reference agent for the Agent Client Protocol, as a library.
//!
//! Read it in the order in which a prompt goes through it:
//!
//! 1. [`serve`]: messages come off the wire and meet the table of methods.
//! 2. [`handlers`]: one file for each family of methods. What must be ordered happens here.
//! 3. [`session`]: what a session is, and the one state machine that says what it does now.
//! 4. [`turn`]: the loop of a prompt: model, tool calls, results, until the model stops.
//! 5. [`mode`] decides, [`permission`] asks, [`tools`] and [`mcp`] run, [`proc`] owns processes,
//!    [`client`] is what the client does for tools.
//! 6. [`updates`] tells the client, [`record`] and [`store`] keep it.
//!
//! What must stay true:
//!
//! - The answer to a prompt is the last message of its turn, and the turn is over when it is sent.
//! - Every tool call that was announced ends with exactly one final status.
//! - Nothing but [`wire`] writes to stdout, and nothing but [`proc`] starts a process.
//! - A cancelled turn is an outcome, never an error.

pub mod agent;
pub mod cli;
pub mod client;
pub mod clock;
pub mod error;
pub mod files;
pub mod handlers;
mod http;
pub mod limits;
pub mod log;
pub mod login;
pub mod mcp;
pub mod mode;
pub mod model;
pub mod permission;
pub mod prompt;
pub mod record;
pub mod replay;
pub mod roots;
pub mod serve;
pub mod session;
pub mod store;
pub mod tools;
pub mod trace;
pub mod turn;
pub mod updates;

/// The ACP v1 types of the official schema crate, under the one name that all files use.
pub use agent_client_protocol_schema::v1 as acp;
/// Starting and ending processes, under the short name that all files use.
pub use process_tree as proc;
pub use process_tree::supervise;
