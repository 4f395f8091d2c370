//! The command line of `mcp-tools`. Nothing else reads arguments.

use std::path::PathBuf;

use clap::Parser;

/// What `--help` says after the options: how to try the server by hand.
const EXAMPLES: &str = "\
Examples:
  Give it to an ACP agent, in session/new:
    {\"name\": \"rondar\", \"command\": \"mcp-tools\", \"args\": [], \"env\": []}

  Talk to it by hand (one JSON-RPC message a line, on stdin):
    {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"me\",\"version\":\"1\"}}}
    {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}
    {\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"create_plan\",\"arguments\":{\"title\":\"Tea\",\"description\":\"Boil.\"}}}

The server ends with status 0 when its stdin is closed, or on SIGTERM, SIGINT or SIGHUP.
Plans live as long as the process. RUST_LOG sets the log level; logs go to stderr.";

/// The rondar MCP server on stdio: create_plan saves a plan and answers its ID, get_plan reads it back.
#[derive(Debug, Clone, Parser)]
#[command(name = "mcp-tools", version, about, after_help = EXAMPLES)]
pub struct Options {
    /// Append one JSON line to FILE for each event: "started", each "call", "ended".
    ///
    /// The file is evidence of what was called: it says so whatever the caller tells about it.
    /// A call that cannot be recorded is answered with an error.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
}
