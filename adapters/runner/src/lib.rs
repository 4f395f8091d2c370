//! Drives any ACP agent as a Colonizer runner: commands and events in front, ACP behind.
//!
//! Read it in the order in which a message goes through it:
//!
//! 1. [`input`] reads [`command`]s; [`preset`] has said which agent to start.
//! 2. [`agent`] is the agent's processes and connection; [`handshake`] makes its session.
//! 3. [`runner`] is the loop that owns everything that can happen.
//! 4. [`turn`] makes events of the agent's updates, with [`content`] and [`denial`].
//! 5. [`question`] makes cards of its permission requests, after [`exec_policy`] had its say.
//! 6. [`files`] and [`terminal`] are what an ACP client must do for its agent.
//! 7. [`event`], [`fit`] and [`outlet`]: what the host is told, bounded, in order.
//!
//! Beside it: [`side`] has the MCP servers that the agent is given, and [`manifest`] checks the
//! `module.json` of a module.
//!
//! What must stay true:
//!
//! - Standard output carries events and nothing else; each is one line below the host's limit.
//! - Every message that was echoed gets a turn, every turn its `turn_end`, every tool call its
//!   result, unless the runner itself ends.
//! - Nothing is left of the agent, its terminals and what they started, however the runner ends.

pub mod agent;
pub mod audit;
pub mod boundary;
pub mod command;
pub mod content;
pub mod deadlines;
pub mod denial;
pub mod environment;
pub mod event;
pub mod exec_policy;
pub mod files;
pub mod fit;
pub mod fresh;
pub mod handshake;
pub mod input;
pub mod manifest;
pub mod model;
pub mod named_error;
pub mod outlet;
pub mod path_policy;
pub mod preset;
pub mod question;
pub mod refused;
pub mod runner;
pub mod serve;
pub mod side;
pub mod small_file;
pub mod terminal;
pub mod turn;
