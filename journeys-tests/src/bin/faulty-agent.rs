//! Program `faulty-agent`: a scripted ACP agent that is right, or wrong in exactly one way.
//!
//! Its modules are compiled into this program and not into the library, so that the checker cannot
//! use them.

use std::process::ExitCode;

use clap::Parser;

#[path = "../faulty/mod.rs"]
mod faulty;

use faulty::{cli::Options, ending, leave_behind, list};

fn main() -> ExitCode {
    let options = Options::parse();
    let done = if let Some(how) = options.leave_behind {
        leave_behind::go_between(how)
    } else if options.list_faults {
        list::faults(options.json)
    } else if options.list_variants {
        list::variants(options.json)
    } else {
        return ending::run(&options);
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
