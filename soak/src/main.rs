//! Program `soak`: see [`soak`].

use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    time::Duration,
};

use clap::Parser;
use soak::{
    cli::Arguments,
    run::{Totals, run},
};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let seed = arguments.seed.unwrap_or_else(rand::random);
    let time = Duration::from_secs(arguments.seconds);
    say(&format!("soaking for {time:?} with seed {seed}"));
    match run(&arguments.agent(), time, seed, progress) {
        Ok(totals) => {
            say(&format!("{totals}\nnothing was found"));
            ExitCode::SUCCESS
        }
        Err(finding) => {
            say(&format!("FOUND with seed {seed}: {finding}"));
            ExitCode::FAILURE
        }
    }
}

/// For a person who watches.
fn progress(totals: &Totals) {
    if io::stderr().is_terminal() {
        let line = totals.to_string().replace('\n', ",");
        let _ = write!(io::stderr(), "\r{:.100}", line);
    }
}

fn say(text: &str) {
    // Who closed our output does not want it.
    let _ = writeln!(io::stdout(), "{text}");
}
