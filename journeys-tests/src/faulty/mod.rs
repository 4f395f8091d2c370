//! A scripted ACP v1 agent that is right, or wrong in exactly one way.
//!
//! The checker's own proof: a check counts only when it has been seen to fail. `faulty-agent` passes
//! all journeys; `--fault NAME` breaks one thing, and [`expected`] says which checks must catch it;
//! `--variant NAME` is odd but right, and nothing may be caught.
//!
//! It stands apart from the checker and from the reference agent: it shares no code with them and
//! is compiled into its own program only, so that one mistake cannot hide another. It has no model:
//! [`request`] finds in the checker's words what to do.
//!
//! Reading order: [`faults`], [`variants`], [`expected`] (what is broken), then the agent:
//! [`agent`] (methods), [`turn`] (one prompt), [`work`], [`scenario`], [`tools`], [`updates`],
//! [`answer`], [`ending`]. A fault shows as one line `if behaviour.has(Fault::…)` at the place where a real agent would go wrong.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/overview>

pub mod agent;
pub mod answer;
pub mod behaviour;
pub mod cli;
pub mod client;
pub mod colour;
pub mod ending;
pub mod expected;
pub mod faults;
pub mod leak;
pub mod leave_behind;
pub mod list;
pub mod load;
pub mod mcp;
pub mod modes;
pub mod output;
pub mod request;
pub mod scenario;
pub mod session;
pub mod shell;
pub mod store;
pub mod tools;
pub mod turn;
pub mod updates;
pub mod variants;
pub mod work;
