//! An agent under load, seen from outside: as a program with pipes, processes and files.
//!
//! It is separate from the tests of the agent because it knows none of its code: it starts
//! whatever command line it is given, and everything that it knows it has from the pipes and from
//! `/proc`. The tests of the agent use its parts; the program `soak` puts them together:
//!
//! 1. [`program`] starts an agent, kills it, and knows what it takes ([`figures`]).
//! 2. [`client`] speaks with it, with a deadline for everything.
//! 3. [`processes`] finds what carries a mark, wherever it has gone.
//! 4. [`judge`] holds every message against the protocol.
//! 5. [`life`] is random work on one agent, [`world`] is what must outlive it, and [`run`] is one
//!    life after the other.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

pub mod cli;
pub mod client;
pub mod figures;
pub mod finding;
pub mod judge;
pub mod life;
pub mod processes;
pub mod program;
pub mod run;
pub mod world;
