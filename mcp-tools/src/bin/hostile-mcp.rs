//! Program `hostile-mcp`: a stdio MCP server that misbehaves in the way that is named.
//!
//! Only for tests of MCP clients. What stands behind the name is ignored by most behaviours, and is
//! a place for a mark by which a test finds the process again.

use std::{
    env,
    io::{self, Write},
    process::ExitCode,
};

use mcp_tools::hostile::{ALL, Behaviour, Peer};

const USAGE: &str = "usage: hostile-mcp NAME [MARK]...\n       hostile-mcp --list\n";

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let ended = match (name.as_str(), Behaviour::find(&name)) {
        ("--list", _) => list(),
        (_, Some(behaviour)) => behaviour.run(&mut Peer::new(args.collect())),
        (_, None) => {
            // Nobody would be there to read why this fails too.
            let _ = io::stderr().write_all(USAGE.as_bytes());
            return ExitCode::from(2);
        }
    };
    // A client that is gone is the usual end of some of them.
    ended.map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS)
}

fn list() -> io::Result<()> {
    let mut output = io::stdout().lock();
    for Behaviour { name, fault, .. } in ALL {
        writeln!(output, "{name:24} {fault}")?;
    }
    Ok(())
}
