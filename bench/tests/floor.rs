//! The whole bench, with the floor on both sides: what it asks is answered, what it claims to see
//! is there, and nothing is left.
#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use bench::{cli::Arguments, floor, machine};
use clap::Parser;
use nix::unistd::Pid;
use serde_json::Value;

/// Runs the bench on this agent, and returns the table and the numbers.
fn run(agent: &Path, folder: &Path, measures: &[&str]) -> (String, Vec<Value>) {
    let json = folder.join("numbers.json");
    let mut arguments = vec!["bench".into(), "--reps".into(), "1".into()];
    arguments.extend(["--agent".into(), agent.into()]);
    arguments.extend(["--json".into(), json.clone().into_os_string()]);
    for measure in measures {
        arguments.extend(["--only".into(), measure.into()]);
    }
    let table = bench::run(Arguments::parse_from(arguments)).unwrap();
    let numbers = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    (table, numbers)
}

/// The agent's samples of all numbers whose name ends with `what`.
fn samples(numbers: &[Value], what: &str) -> Vec<f64> {
    numbers
        .iter()
        .filter(|number| number["row"]["what"].as_str().unwrap().ends_with(what))
        .flat_map(|number| number["columns"][1]["samples"].as_array().unwrap())
        .map(|sample| sample.as_f64().unwrap())
        .collect()
}

#[test]
fn everything_is_measured_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let program = floor::build(folder.path()).unwrap();
    let measures = [
        "start", "new", "turn", "stream", "command", "at-once", "cancel", "memory", "ending",
    ];
    let (table, numbers) = run(&program, folder.path(), &measures);
    for number in &numbers {
        for column in number["columns"].as_array().unwrap() {
            assert_eq!(column["fault"], Value::Null, "{table}");
            assert_eq!(column["samples"].as_array().unwrap().len(), 1, "{table}");
        }
    }
    assert_eq!(samples(&numbers, "answered too early"), [0.0; 3], "{table}");
    assert_eq!(
        samples(&numbers, "runs: processes left")[..2],
        [0.0; 2],
        "{table}"
    );
    // Nobody can clean up after a SIGKILL of itself, and the floor has no supervisor.
    let (_, after_kill) = numbers.split_at(numbers.len() - 1);
    assert!(
        samples(after_kill, "SIGKILL, process tree runs: processes left")[0] > 0.0,
        "{table}"
    );
    assert_eq!(machine::descendants(Pid::this()), []);
}

/// The floor with one mistake.
fn faulty(folder: &Path, right: &str, wrong: &str) -> PathBuf {
    floor::build(folder).unwrap();
    let source = fs::read_to_string(folder.join("floor.c")).unwrap();
    assert_eq!(source.matches(right).count(), 1);
    fs::write(folder.join("faulty.c"), source.replace(right, wrong)).unwrap();
    let compiled = Command::new("cc")
        .args(["-o", "faulty", "faulty.c"])
        .current_dir(folder)
        .status();
    assert!(compiled.unwrap().success());
    folder.join("faulty")
}

#[test]
fn an_answer_before_the_end_of_the_processes_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let program = faulty(
        folder.path(),
        "commands[i].cancelled = 1;",
        "commands[i].cancelled = 1; answer_stop((struct piece){commands[i].id, strlen(commands[i].id)}, \"cancelled\"); \
         flush(); usleep(50000);",
    );
    let (table, numbers) = run(&program, folder.path(), &["cancel"]);
    assert_eq!(samples(&numbers, "answered too early"), [1.0; 3], "{table}");
}

#[test]
fn an_agent_that_does_not_answer_is_a_fault_and_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let program = faulty(
        folder.path(),
        "put_piece(id);\n    PUT(\",\\\"result\\\":\");",
        "fprintf(stderr, \"I give up\"); exit(3);",
    );
    let (table, numbers) = run(&program, folder.path(), &["start"]);
    assert!(samples(&numbers, "answered").is_empty(), "{table}");
    assert!(table.contains("I give up"), "{table}");
}
