//! `docs/spec-map.md`: what version 1 asks for, where it is done, and which test shows it.
//!
//! The map is made from [`rows::ROWS`]. These tests keep it whole and true: every method, update,
//! capability and stop reason of the official schema has a row, every file and test that a row
//! names is there, and the document is what the rows say. After a change of the rows,
//! `SPEC_MAP=write cargo test -p acp-agent --test spec_map` writes it anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod rows;

use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use rows::{ROWS, Row};
use serde_json::Value;

const SCHEMA: &str = include_str!("../data/acp-v1.schema.json");

const PAGES: &str = "https://agentclientprotocol.com/protocol/v1/";

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

fn definitions() -> Value {
    serde_json::from_str::<Value>(SCHEMA).unwrap()["$defs"].take()
}

/// The names that the schema has: methods, kinds of updates, stop reasons, capabilities.
fn named_by_the_schema() -> BTreeSet<String> {
    let definitions = definitions();
    let mut names = BTreeSet::new();
    for definition in definitions.as_object().unwrap().values() {
        names.extend(definition["x-method"].as_str().map(str::to_owned));
    }
    for variant in definitions["SessionUpdate"]["oneOf"].as_array().unwrap() {
        let kind = &variant["properties"]["sessionUpdate"]["const"];
        names.insert(kind.as_str().unwrap().to_owned());
    }
    for variant in definitions["StopReason"]["oneOf"].as_array().unwrap() {
        names.insert(variant["const"].as_str().unwrap().to_owned());
    }
    for (of, prefix) in [
        ("AgentCapabilities", ""),
        ("SessionCapabilities", "sessionCapabilities."),
        ("PromptCapabilities", "promptCapabilities."),
        ("McpCapabilities", "mcpCapabilities."),
        ("ClientCapabilities", "clientCapabilities."),
    ] {
        let members = definitions[of]["properties"].as_object().unwrap();
        let parts = [
            "sessionCapabilities",
            "promptCapabilities",
            "mcpCapabilities",
        ];
        let own = members
            .keys()
            .filter(|name| *name != "_meta" && !parts.contains(&name.as_str()));
        names.extend(own.map(|name| format!("{prefix}{name}")));
    }
    names
}

#[test]
fn everything_that_the_schema_names_has_one_row() {
    let mut mapped = BTreeSet::new();
    for row in ROWS {
        assert!(
            mapped.insert(row.what.to_owned()),
            "{} has two rows",
            row.what
        );
    }
    let missing: Vec<_> = named_by_the_schema().difference(&mapped).cloned().collect();
    assert!(missing.is_empty(), "without a row: {missing:?}");
}

#[test]
fn every_file_and_every_test_that_is_named_is_there() {
    let mut tests = String::new();
    for folder in ["agent/tests", "agent/tests/support"] {
        for entry in fs::read_dir(top().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                tests.push_str(&fs::read_to_string(path).unwrap());
            }
        }
    }
    for Row {
        what, files, test, ..
    } in ROWS
    {
        assert!(!files.is_empty(), "{what} names no file");
        for file in *files {
            assert!(top().join(file).is_file(), "{what}: {file} is not there");
        }
        assert!(
            tests.contains(&format!("fn {test}()")),
            "{what}: no test is named {test}"
        );
    }
}

#[test]
fn the_document_is_what_the_rows_say() {
    let path = top().join("docs/spec-map.md");
    let made = document();
    if std::env::var_os("SPEC_MAP").is_some_and(|value| value == "write") {
        fs::write(&path, &made).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == made,
        "docs/spec-map.md is stale: run this test with SPEC_MAP=write"
    );
}

fn document() -> String {
    let mut text = String::from(
        "# From the specification to the code\n\n\
         Made from [`agent/tests/spec_map/rows.rs`](../agent/tests/spec_map/rows.rs) by its test, \
         which also holds that nothing of the official schema is missing here.\n\n\
         | what | in the code | test |\n|---|---|---|\n",
    );
    for Row {
        what,
        page,
        files,
        test,
        note,
    } in ROWS
    {
        let files: Vec<_> = files
            .iter()
            .map(|file| format!("[`{}`](../{file})", file.trim_start_matches("agent/src/")))
            .collect();
        let note = if note.is_empty() {
            String::new()
        } else {
            format!(": {note}")
        };
        let files = files.join(", ");
        writeln!(
            text,
            "| [`{what}`]({PAGES}{page}){note} | {files} | `{test}` |"
        )
        .unwrap();
    }
    text
}
