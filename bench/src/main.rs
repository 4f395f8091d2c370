//! The program `bench`: arguments, signals, and the exit status.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use bench::{cli::Arguments, stop};
use clap::Parser;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = stop::on_signals() {
        return refuse(&format!("signals cannot be taken over: {error}"));
    }
    match bench::run(arguments) {
        Ok(table) => match io::stdout().write_all(table.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => refuse(&format!("the table could not be written: {error}")),
        },
        Err(fault) => refuse(&fault.to_string()),
    }
}

fn refuse(reason: &str) -> ExitCode {
    // There is nowhere else to say it.
    let _ = writeln!(io::stderr(), "bench: {reason}");
    ExitCode::FAILURE
}
