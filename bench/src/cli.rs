//! The command line.

use std::path::PathBuf;

use clap::{Parser, builder::PossibleValuesParser};

use crate::measures;

/// Measures the reference agent against a canned responder, side by side in one run.
///
/// The responder, called the floor, answers at once and does nothing else; it is compiled first,
/// which takes a C compiler. The numbers are facts, not verdicts: the exit status is 0 unless the
/// bench itself could not run.
#[derive(Debug, Parser)]
#[command(name = "bench", version, after_help = about_measures())]
pub struct Arguments {
    /// The reference agent [default: acp-agent beside this program].
    #[arg(long, value_name = "PATH")]
    pub agent: Option<PathBuf>,

    /// Another ACP agent to measure in the same rounds: its name and its command. Can be repeated.
    #[arg(long, value_name = "NAME=COMMAND", value_parser = peer)]
    pub peer: Vec<(String, String)>,

    /// Measure only this. Can be repeated.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(measures::ALL.iter().map(|measure| measure.name)))]
    pub only: Vec<String>,

    /// A tenth of the rounds, and a shorter list of sessions.
    #[arg(long)]
    pub quick: bool,

    /// So many rounds of everything.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub reps: Option<u32>,

    /// Write everything, with all samples, to this file.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Names that the table needs for others.
const TAKEN: [&str; 2] = ["floor", "agent"];

fn peer(words: &str) -> Result<(String, String), String> {
    match words.split_once('=') {
        Some((name, _)) if TAKEN.contains(&name) => Err(format!("the name {name} is taken")),
        Some((name, command)) if !name.is_empty() && !command.trim().is_empty() => {
            Ok((name.to_owned(), command.to_owned()))
        }
        _ => Err("say NAME=COMMAND".to_owned()),
    }
}

fn about_measures() -> String {
    let lines = measures::ALL
        .iter()
        .map(|measure| format!("  {:8} {}\n", measure.name, measure.about));
    format!("What is measured:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_peer_has_a_name_and_a_command() {
        let words = |name: &str, command: &str| Ok((name.to_owned(), command.to_owned()));
        assert_eq!(peer("x=y --a=b"), words("x", "y --a=b"));
        for wrong in ["x", "=y", "x=", "x= ", "floor=y"] {
            assert!(peer(wrong).is_err(), "{wrong}");
        }
    }
}
