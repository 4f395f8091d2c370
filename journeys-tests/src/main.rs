//! Program `acp-journeys`.

use std::process::ExitCode;

fn main() -> ExitCode {
    journeys_tests::cli::main()
}
