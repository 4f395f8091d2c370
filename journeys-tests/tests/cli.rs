//! The commands, as a user calls them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod checker;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use checker::{AGENT, checker};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::Value;
use tempfile::TempDir;

/// A run on `faulty-agent` in a folder of its own.
fn run(folder: &TempDir, options: &[&str], agent: &[&str]) -> Output {
    let mut command = run_command(folder, options, agent);
    command.output().unwrap()
}

fn run_command(folder: &TempDir, options: &[&str], agent: &[&str]) -> Command {
    let mut command = checker();
    command.current_dir(folder.path()).arg("run").args(options);
    command.args(["--", AGENT, "--state", "state"]).args(agent);
    command
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn read_json(folder: &TempDir, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn verify(path: &Path) -> Output {
    checker().arg("verify").arg(path).output().unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_result_says_what_was_tested_and_verifies() {
    let folder = folder();
    let mut command = run_command(&folder, &["--only", "reply"], &[]);
    command.env("ACP_JOURNEYS_ISOLATION", "a box");
    assert_eq!(command.output().unwrap().status.code(), Some(0));
    let result = read_json(&folder, "result.json");
    assert_eq!(result["format"], 2);
    assert_eq!(result["isolation"], "a box");
    assert_eq!(result["agent"]["info"]["name"], "faulty-agent");
    assert_eq!(result["agent"]["capabilities"]["loadSession"], true);
    let digest = |value: &Value| value.as_str().is_some_and(|text| text.len() == 64);
    assert!(digest(&result["agent"]["executable"]["sha256"]));
    assert!(digest(&result["checker"]["sha256"]));
    assert!(digest(&result["digest"]));
    let marker = &result["journeys"][0]["checks"];
    let marker = marker.as_array().unwrap().iter();
    let marker = marker
        .clone()
        .find(|check| check["id"] == "reply-holds-marker");
    let event = marker.unwrap()["evidence"][0]["event"].as_u64().unwrap();
    let events = &result["journeys"][0]["recording"]["processes"][0]["events"];
    let line = events[usize::try_from(event).unwrap()]["line"]
        .as_str()
        .unwrap();
    assert!(line.contains("agent_message_chunk"), "{line}");

    let file = folder.path().join("result.json");
    let verified = verify(&file);
    assert_eq!(verified.status.code(), Some(0));
    assert!(stdout(&verified).contains("The verdict follows from the recordings."));
}

#[test]
fn verify_tells_three_ends_apart() {
    let folder = folder();
    let failing = run(&folder, &["--only", "reply"], &["--fault", "wrong-reply"]);
    assert_eq!(failing.status.code(), Some(1));
    let file = folder.path().join("result.json");
    assert_eq!(verify(&file).status.code(), Some(1), "a failed journey");
    let edited = read(&folder, "result.json").replace("\"passed\": 0", "\"passed\": 1");
    fs::write(&file, edited).unwrap();
    let verified = verify(&file);
    assert_eq!(verified.status.code(), Some(1), "an edit");
    assert!(stdout(&verified).contains("the file says 1 pass, the recordings say 0"));
    fs::write(&file, "{").unwrap();
    assert_eq!(verify(&file).status.code(), Some(2), "no result");
    assert_eq!(verify(Path::new("/nonexistent")).status.code(), Some(2));
}

#[test]
fn a_secret_is_nowhere_in_what_is_written() {
    let folder = folder();
    let secret = "hunter2-\"quoted\"";
    let mut command = run_command(
        &folder,
        &[
            "--only",
            "reply",
            "--secret-env",
            "MY_KEY",
            "--secret-env",
            "SHORT",
            "--html",
            "page.html",
            "--junit",
            "junit.xml",
        ],
        &["--leak", "MY_KEY"],
    );
    command.env("MY_KEY", secret).env("SHORT", "1");
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let escaped = secret.replace('"', "\\\"");
    for name in ["result.json", "page.html", "junit.xml"] {
        let text = read(&folder, name);
        for form in [secret, &escaped, &escaped.replace('\\', "\\\\"), "hunter2"] {
            assert!(!text.contains(form), "{name} has {form}");
        }
    }
    let result = read(&folder, "result.json");
    // In a chunk, over chunks, in standard error, in a process and in a log line on stdout.
    let hidden = result.matches("[secret MY_KEY]").count();
    assert!(hidden >= 4, "{hidden} times");
    let secrets = &read_json(&folder, "result.json")["secrets"];
    assert_eq!(secrets[0]["value"], "hidden");
    assert_eq!(secrets[1]["value"], "too_short");
    assert_eq!(
        verify(&folder.path().join("result.json")).status.code(),
        Some(0)
    );
}

#[test]
fn repetitions_and_jobs() {
    let folder = folder();
    let options = [
        "--only",
        "reply",
        "--only",
        "memory",
        "--repeat",
        "3",
        "--jobs",
        "3",
        "--junit",
        "junit.xml",
    ];
    let output = run(&folder, &options, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stdout(&output).contains("nothing is flaky"));
    for number in 1..=3 {
        let result = read_json(&folder, &format!("result-{number}.json"));
        assert_eq!(result["passed"], 2);
        let names: Vec<&Value> = result["journeys"]
            .as_array()
            .unwrap()
            .iter()
            .map(|j| &j["name"])
            .collect();
        assert_eq!(names, ["reply", "memory"]);
    }
    assert_eq!(read(&folder, "junit.xml").matches("<testcase").count(), 6);
    assert_eq!(
        verify(&folder.path().join("result-3.json")).status.code(),
        Some(0)
    );
}

#[test]
fn what_differs_between_repetitions_is_flaky() {
    let folder = folder();
    let output = run(
        &folder,
        &["--only", "reply", "--repeat", "2"],
        &["--fault", "fails-once"],
    );
    assert_eq!(output.status.code(), Some(1));
    let said = stdout(&output);
    assert!(said.contains("flaky: reply"), "{said}");
    assert!(said.contains("reply-holds-marker (1 times)"), "{said}");
    // The result file is the one that failed.
    assert_eq!(read_json(&folder, "result.json")["passed"], 0);
}

#[test]
fn stand_ins_are_no_part_of_the_verdict() {
    let folder = folder();
    let options = ["--only", "reply", "--stand-in", "--jobs", "2"];
    let output = run(&folder, &options, &["--fault", "failure-ends-turn"]);
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("1 of 1 journeys pass"), "{said}");
    assert!(said.contains("3 of 4 stand-in journeys pass"), "{said}");
    assert_eq!(
        verify(&folder.path().join("result.json")).status.code(),
        Some(0)
    );
}

/// The rows of a matrix of agents that are right, by name.
fn matrix(folder: &TempDir, names: &[&str]) -> PathBuf {
    let rows: Vec<String> = names
        .iter()
        .map(|name| {
            format!(
                "  - {{name: {name}, command: [{AGENT:?}, --state, {:?}], only: [reply]}}\n",
                folder.path().join("state")
            )
        })
        .collect();
    let file = folder.path().join("matrix.yaml");
    fs::write(&file, format!("agents:\n{}", rows.concat())).unwrap();
    file
}

fn run_shard(folder: &TempDir, shard: &str, out: &str) -> Output {
    let mut command = checker();
    command.current_dir(folder.path());
    command.args(["matrix", "matrix.yaml", "--shard", shard, "--out", out]);
    command.output().unwrap()
}

fn merge(folder: &TempDir, folders: &[&str]) -> Output {
    let mut command = checker();
    command
        .current_dir(folder.path())
        .arg("merge")
        .args(folders);
    command.args(["--json", "all.json"]).output().unwrap()
}

#[test]
fn shards_are_merged_and_nothing_is_counted_twice() {
    let folder = folder();
    matrix(&folder, &["a", "b", "c"]);
    assert_eq!(run_shard(&folder, "1/2", "one").status.code(), Some(0));

    // The other shard was never run: its agent is missing, and that is no pass.
    let merged = merge(&folder, &["one"]);
    assert_eq!(merged.status.code(), Some(2));
    assert!(
        stdout(&merged).contains("2 of 3 agents pass"),
        "{}",
        stdout(&merged)
    );

    // It is run, and run again elsewhere; a third time it has nothing to do.
    assert_eq!(run_shard(&folder, "2/2", "two").status.code(), Some(0));
    assert_eq!(run_shard(&folder, "2/2", "again").status.code(), Some(0));
    let before = read(&folder, "two/b.json");
    let third = run_shard(&folder, "2/2", "two");
    assert!(String::from_utf8_lossy(&third.stderr).contains("b: done before"));
    assert_eq!(read(&folder, "two/b.json"), before);
    let merged = merge(&folder, &["one", "two", "again"]);
    assert_eq!(merged.status.code(), Some(0));
    assert!(
        stdout(&merged).contains("3 of 3 agents pass"),
        "{}",
        stdout(&merged)
    );
    let all = read_json(&folder, "all.json");
    assert_eq!(all["agents"].as_array().unwrap().len(), 3);

    // An edited result is no pass.
    let edited = before.replace("\"took_ms\": ", "\"took_ms\": 1");
    fs::write(folder.path().join("two/b.json"), edited).unwrap();
    let merged = merge(&folder, &["one", "two"]);
    assert_eq!(merged.status.code(), Some(1));
    assert!(stdout(&merged).contains("EDITED"), "{}", stdout(&merged));
}

#[test]
fn shards_of_different_matrices_do_not_merge() {
    let folder = folder();
    for (names, out) in [(["a"], "one"), (["b"], "two")] {
        matrix(&folder, &names);
        assert_eq!(run_shard(&folder, "1/1", out).status.code(), Some(0));
    }
    let merged = merge(&folder, &["one", "two"]);
    assert_eq!(merged.status.code(), Some(2));
}

/// A checker that is interrupted ends its workers, and they their agents.
#[test]
fn an_interrupted_run_leaves_nothing() {
    let folder = folder();
    let options = ["--only", "reply", "--only", "memory", "--jobs", "2"];
    let mut run = run_command(&folder, &options, &["--fault", "silent"]);
    let mut child = run
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let agents = || {
        let processes = procfs::process::all_processes().unwrap().flatten();
        let state = folder.path().to_owned();
        processes
            .filter(|process| process.cwd().is_ok_and(|cwd| cwd == state))
            .count()
    };
    // The checker, two workers, two agents.
    until("the agents run", || agents() == 5);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2));
    until("all are gone", || agents() == 0);
}

fn until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}: not in time");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn the_page_has_everything_in_it() {
    let folder = folder();
    run(
        &folder,
        &["--only", "plan", "--html", "page.html"],
        &["--fault", "plan-writes"],
    );
    let page = read(&folder, "page.html");
    for wanted in [
        "workspace-unchanged",
        "Write no files in Plan mode",
        "create_plan: result",
        "workspace: PLAN.md created",
        "id=\"plan-p0-t0\"",
        "href=\"#plan-p0-t0\"",
    ] {
        assert!(page.contains(wanted), "{wanted}");
    }
    // Nothing is loaded: no address but in links to read.
    for foreign in ["src=", "<link", "@import", "url("] {
        assert!(!page.contains(foreign), "{foreign}");
    }
}

#[test]
fn checks_are_listed_and_explained() {
    let said = |arguments: &[&str]| {
        let output = checker().args(arguments).output().unwrap();
        (output.status.code(), stdout(&output))
    };
    let (status, list) = said(&["list"]);
    assert_eq!(status, Some(0));
    for wanted in ["modes", "killed-mid-turn-then-load", "no-sleep-left"] {
        assert!(list.contains(wanted), "{wanted}");
    }
    let (status, text) = said(&["explain", "no-sleep-left"]);
    assert_eq!(status, Some(0));
    assert!(text.contains("https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation"));
    assert!(text.contains("advice:"), "{text}");
    let (status, text) = said(&["explain", "workspace"]);
    assert_eq!(status, Some(0));
    assert!(text.matches("wants:").count() >= 2, "{text}");
    assert_eq!(said(&["explain", "no-such-check"]).0, Some(2));
}

#[test]
fn a_reader_that_has_seen_enough_is_told_nothing() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = checker().arg("list").stdout(writer).output().unwrap();
    assert_eq!(output.stderr, b"");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn the_doctor_says_what_would_start() {
    let said = |agent: &str| {
        let output = checker().args(["doctor", "--", agent]).output().unwrap();
        (output.status.code(), stdout(&output))
    };
    let (status, text) = said(AGENT);
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("sha256:"), "{text}");
    let (status, text) = said("no-such-agent");
    assert_eq!(status, Some(2));
    assert!(text.contains("is not on PATH"), "{text}");
}
