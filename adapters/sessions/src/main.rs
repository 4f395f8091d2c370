//! The program `acp-sessions`.

use std::process::ExitCode;

use process_tree::supervise;

fn main() -> ExitCode {
    // Whatever runs on this machine runs under this same program. It must start fast, so it is
    // looked for first.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|first| first == supervise::SUBCOMMAND)
    {
        return supervise::main();
    }
    acp_sessions::cli::run()
}
