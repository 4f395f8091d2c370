//! The documents that are made from the code are the code's: the schema of the result, the table of
//! faults. `UPDATE_DOCS=1 cargo test -p journeys-tests --test docs` writes them again.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod checker;

use std::{env, fmt::Write as _, fs, path::Path};

use journeys_tests::{RunResult, requirements};
use serde_json::Value;

#[test]
fn the_schema_of_the_result() {
    let schema = schemars::schema_for!(RunResult);
    let text = serde_json::to_string_pretty(&schema).unwrap();
    compare("result.schema.json", &format!("{text}\n"));
}

/// The results in the repository have the shape that the schema says.
#[test]
fn results_have_the_shape_of_the_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(RunResult)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let good = include_str!("data/result-format-2.json");
    let mut good: Value = serde_json::from_str(good).unwrap();
    let wrong: Vec<String> = validator
        .iter_errors(&good)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
    good["journeys"][0]["verdict"] = Value::from("maybe");
    assert!(!validator.is_valid(&good));
}

#[test]
fn the_table_of_faults() {
    let mut text = String::from(
        "# What has been seen to fail\n\n\
         Each row is an agent that is wrong in exactly one way, and the checks that catch it and no \
         other. `faulty-agent --fault NAME` is that agent; `tests/faults.rs` runs all of them.\n\n\
         | fault | what it does | comes from | journey | checks that must catch it |\n\
         |---|---|---|---|---|\n",
    );
    let faults = checker::list("--list-faults");
    for fault in &faults {
        for (number, expected) in fault["expected"].as_array().unwrap().iter().enumerate() {
            let is_first = number == 0;
            let cell = |name: &str| if is_first { text_of(&fault[name]) } else { "" };
            let caught: Vec<String> = expected["caught"]
                .as_array()
                .unwrap()
                .iter()
                .map(|id| format!("`{}`", text_of(id)))
                .collect();
            let name = if is_first {
                format!("`{}`", text_of(&fault["name"]))
            } else {
                String::new()
            };
            writeln!(
                text,
                "| {name} | {} | {} | {} | {} |",
                cell("breaks").replace('|', "\\|"),
                cell("from"),
                text_of(&expected["journey"]),
                caught.join(", ")
            )
            .unwrap();
        }
    }
    let variants = checker::list("--list-variants");
    text.push_str(
        "\n## What is odd but right\n\n\
         Agents in which nothing may be caught: `faulty-agent --variant NAME`.\n\n\
         | variant | what it does |\n|---|---|\n",
    );
    for variant in &variants {
        let (name, is) = (text_of(&variant["name"]), text_of(&variant["is"]));
        writeln!(text, "| `{name}` | {is} |").unwrap();
    }
    writeln!(
        text,
        "\n{} faults, {} variants, {} checks.",
        faults.len(),
        variants.len(),
        requirements::ALL.len()
    )
    .unwrap();
    compare("faults.md", &text);
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn compare(name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs")
        .join(name);
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "docs/{name} is not what the code says; run UPDATE_DOCS=1 cargo test -p journeys-tests --test docs"
    );
}
