//! `rondar`: a stdio MCP server with two tools, `create_plan` and `get_plan`.
//!
//! An ACP client names this server in `mcpServers` of `session/new`; the agent starts it, lists
//! its tools and calls them. It is small on purpose: what a client must see is that the *agent*
//! started the server, passed the right arguments and gave back what the server answered.
//! For that the server keeps a [`record`] of every call, apart from what the agent tells about it.
//!
//! Reading order: [`plans`] (the only state), [`tools`] (one file per tool), [`server`] (what MCP
//! sees), [`record`] (the evidence), [`serve`] (stdio, from start to end), [`cli`].
//!
//! Beside it, for tests of MCP clients, are servers that misbehave: [`hostile`].
//!
//! What must stay true: stdout carries MCP messages only; a plan's ID cannot be guessed, so whoever
//! knows it has read it from `create_plan`; the process ends when stdin does.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers>

pub mod cli;
pub mod hostile;
pub mod plans;
pub mod record;
pub mod serve;
pub mod server;
pub mod tools;
