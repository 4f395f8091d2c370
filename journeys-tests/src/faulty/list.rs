//! The lists of what can be broken or odd, for people and for tests.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
};

use clap::{ValueEnum, builder::PossibleValue};
use serde_json::{Value, json};

use super::{
    expected::{Catch, Expected, expected, journeys},
    faults::Fault,
    variants::Variant,
};

/// Prints all faults to stdout: as text, or as a JSON array.
///
/// # Errors
/// stdout cannot be written.
pub fn faults(as_json: bool) -> io::Result<()> {
    let mut text = String::new();
    let mut list = Vec::new();
    for fault in Fault::value_variants() {
        let (name, breaks) = names(*fault);
        let Expected {
            source,
            waits,
            catches,
        } = expected(*fault);
        let _ = writeln!(text, "{name}\n    {breaks}\n    from: {source}");
        for Catch {
            journey,
            caught,
            dependents,
        } in &catches
        {
            let _ = writeln!(text, "    {journey}: {}", caught.join(", "));
            if !dependents.is_empty() {
                let _ = writeln!(
                    text,
                    "    {journey}, as a consequence: {}",
                    dependents.join(", ")
                );
            }
        }
        list.push(json!({
            "name": name,
            "breaks": breaks,
            "from": source,
            "waits": waits.name(),
            "expected": catches.iter().map(catch_json).collect::<Vec<_>>(),
        }));
    }
    print(as_json, &text, list)
}

/// Prints all variants to stdout: as text, or as a JSON array.
///
/// # Errors
/// stdout cannot be written.
pub fn variants(as_json: bool) -> io::Result<()> {
    let mut text = String::new();
    let mut list = Vec::new();
    for variant in Variant::value_variants() {
        let (name, is) = names(*variant);
        let journeys = journeys(*variant);
        let _ = writeln!(text, "{name}\n    {is}\n    in: {}", journeys.join(", "));
        list.push(json!({"name": name, "is": is, "journeys": journeys}));
    }
    print(as_json, &text, list)
}

fn catch_json(catch: &Catch) -> Value {
    json!({"journey": catch.journey, "caught": catch.caught, "dependents": catch.dependents})
}

/// The name on the command line, and the comment of the variant.
fn names(value: impl ValueEnum) -> (String, String) {
    let value = value.to_possible_value().unwrap_or(PossibleValue::new(""));
    let comment = value.get_help().map(ToString::to_string);
    (value.get_name().to_owned(), comment.unwrap_or_default())
}

fn print(as_json: bool, text: &str, list: Vec<Value>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    if as_json {
        writeln!(stdout, "{:#}", Value::from(list))
    } else {
        stdout.write_all(text.as_bytes())
    }
}
