//! Cases that went wrong in public with other checkers and clients, each under its number. Here the
//! agent is scripted and this checker must do what is right.
//!
//! The numbers are those of the project's collection of cases; the mark says which report they came from.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod checker;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Command, Stdio},
};

use checker::{AGENT, drive, journey};
use serde_json::Value;

const FULL: &str = "1";
/// 30 s become 1.5 s.
const SHORT: &str = "0.05";

fn fault(name: &str, in_journey: &str, scale: &str) -> Value {
    drive("--fault", name, in_journey, scale).unwrap()
}

fn variant(name: &str, in_journey: &str, scale: &str) -> Value {
    drive("--variant", name, in_journey, scale).unwrap()
}

/// The checks of this id: verdict and what came.
fn checks(result: &Value, id: &str) -> Vec<(String, String)> {
    let checks = journey(result)["checks"].as_array().unwrap();
    let checks = checks.iter().filter(|check| check["id"] == id);
    checks
        .map(|check| {
            let text = |member: &str| check[member].as_str().unwrap().to_owned();
            (text("verdict"), text("came"))
        })
        .collect()
}

fn not_passed(result: &Value) -> Vec<&str> {
    let checks = journey(result)["checks"].as_array().unwrap();
    let open = checks.iter().filter(|check| check["verdict"] != "pass");
    open.filter_map(|check| check["id"].as_str()).collect()
}

fn process(result: &Value, index: usize) -> &Value {
    &journey(result)["recording"]["processes"][index]
}

/// The messages of one direction in the first process.
fn messages(result: &Value, event: &str) -> Vec<Value> {
    let events = process(result, 0)["events"].as_array().unwrap();
    let lines = events.iter().filter(|found| found["event"] == event);
    lines
        .filter_map(|found| serde_json::from_str(found["line"].as_str()?).ok())
        .collect()
}

/// block/buzz#787: a survivor in a session of its own is found, reported and killed.
#[test]
fn a004_a_survivor_that_left_its_session_is_found_and_ended() {
    let result = fault("survivor-in-session", "reply", FULL);
    assert_eq!(not_passed(&result), ["no-process-left"]);
    let looks = process(&result, 0)["looks"].as_array().unwrap();
    let left = &looks.last().unwrap()["processes"][0];
    let stat = fs::read_to_string(format!("/proc/{}/stat", left["pid"]));
    let same = stat.is_ok_and(|stat| {
        let rest = stat.rsplit(") ").next().unwrap().to_owned();
        rest.split(' ').nth(19) == Some(&left["start_ticks"].to_string()) && !rest.starts_with('Z')
    });
    assert!(!same, "{left} still lives");
}

/// openclaw/acpx#160: a banner is reported with its line and the rest is judged all the same; a flood of
/// them ends in bounded time and memory.
#[test]
fn a013_pollution_of_stdout() {
    let result = fault("banner-line", "reply", FULL);
    assert_eq!(not_passed(&result), ["stdout-is-protocol"]);
    let (_, came) = &checks(&result, "stdout-is-protocol")[0];
    assert!(came.contains("[Agent] ready"), "{came}");

    let result = fault("banner-flood", "reply", SHORT);
    let events = process(&result, 0)["events"].as_array().unwrap();
    assert!(events.len() < 100, "{} events are kept", events.len());
    let (_, came) = &checks(&result, "stdout-is-protocol")[0];
    assert!(came.starts_with("20000 lines"), "{came}");
}

/// nexu-io/open-design#3363: indented JSON is named as such; CR LF is fine; a last line without a newline
/// is read.
#[test]
fn a014_lines_that_end_in_other_ways() {
    let result = fault("indented-json", "reply", SHORT);
    let (_, came) = &checks(&result, "stdout-is-protocol")[0];
    assert!(came.starts_with("embedded newline"), "{came}");

    assert!(not_passed(&variant("crlf", "reply", FULL)).is_empty());

    // That it exits on its own is its fault; that its reply has no newline is none.
    let result = fault("exits-after-reply", "reply", FULL);
    assert_eq!(not_passed(&result), ["ends-on-input-close"]);
}

/// agentclientprotocol/registry#71: one bad agent must not spoil the run over many.
#[test]
fn a015_five_agents_get_five_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let agents = [
        ("clean-1", "--variant", "plain"),
        ("polluting", "--fault", "banner-line"),
        ("hanging", "--fault", "silent"),
        ("crashing", "--fault", "crash-on-start"),
        ("clean-2", "--variant", "plain"),
    ];
    let rows: Vec<String> = agents
        .iter()
        .map(|(name, option, value)| {
            format!(
                "  - name: {name}\n    command: [{AGENT:?}, {option}, {value}, --state, {:?}]\n    only: [reply]\n",
                folder.path().join("state")
            )
        })
        .collect();
    let file = folder.path().join("matrix.yaml");
    fs::write(&file, format!("agents:\n{}", rows.concat())).unwrap();
    let out = folder.path().join("out");
    let output = checker::checker()
        .args(["matrix", "--jobs", "2", "--scale", SHORT, "--out"])
        .args([&out, &file])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "some failed");
    let passes = agents.map(|(name, ..)| {
        let result = fs::read(out.join(format!("{name}.json"))).unwrap();
        let result: Value = serde_json::from_slice(&result).unwrap();
        result["passed"].as_u64().unwrap() == 1
    });
    // Pollution is a warning of this checker.
    assert_eq!(passes, [true, true, false, false, true]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("3 of 5 agents pass"), "{said}");
}

/// elizaOS/eliza#30286: a character may come in two reads.
#[test]
fn a017_characters_split_over_reads() {
    let result = variant("byte-by-byte", "reply", FULL);
    assert!(not_passed(&result).is_empty());
    let (_, came) = &checks(&result, "reply-holds-marker")[0];
    assert!(came.contains("日本語😀"), "{came}");

    let result = variant("long-chunk", "reply", FULL);
    assert!(not_passed(&result).is_empty());
    let lines = process(&result, 0)["events"].to_string();
    assert!(lines.contains(&"é".repeat(35 * 1024)) && !lines.contains('\u{fffd}'));
}

/// jaylfc/taOS#573: standard error is drained all the time and kept as a bounded tail.
#[test]
fn a019_a_loud_standard_error_stops_nobody() {
    let result = variant("loud-stderr", "reply", FULL);
    assert!(not_passed(&result).is_empty());
    let stderr = &process(&result, 0)["stderr"];
    assert!(stderr["bytes"].as_u64().unwrap() > 1024 * 1024);
    assert!(stderr["tail"].as_str().unwrap().len() <= 64 * 1024);
}

/// openonion/connectonion#979: with another version nothing more is said.
#[test]
fn a026_another_protocol_version_ends_the_talk() {
    for name in ["version-two", "version-string"] {
        let result = fault(name, "reply", FULL);
        let sent = messages(&result, "sent");
        let methods: Vec<&Value> = sent.iter().map(|message| &message["method"]).collect();
        assert_eq!(methods, ["initialize"], "{name}");
        assert_eq!(checks(&result, "protocol-version-1")[0].0, "fail");
    }
}

/// agentclientprotocol/claude-agent-acp#824: some updates may come at any time, and some may not.
#[test]
fn a043_updates_out_of_turn_are_told_apart() {
    assert!(not_passed(&variant("updates-out-of-turn", "memory", FULL)).is_empty());
    let result = fault("late-chunk", "reply", FULL);
    assert_eq!(not_passed(&result), ["turn-updates-before-answer"]);
    let (_, came) = &checks(&result, "turn-updates-before-answer")[0];
    assert!(came.contains("Bye"), "{came}");
}

/// anomalyco/opencode#42442: every result of session/load is one, and the session keeps its id.
#[test]
fn a048_any_result_of_session_load_will_do() {
    for name in [
        "load-null",
        "load-empty",
        "load-with-options",
        "load-with-session-id",
    ] {
        let result = variant(name, "load", FULL);
        assert!(not_passed(&result).is_empty(), "{name}");
    }
}

/// zed-industries/zed#54431: the replay comes before the answer, in one write or one by one.
#[test]
fn a049_a_replay_belongs_to_the_load() {
    for name in ["replay-in-one-write", "replay-slowly"] {
        let result = variant(name, "load", FULL);
        assert!(not_passed(&result).is_empty(), "{name}");
        let (_, came) = &checks(&result, "load-replays-conversation")[0];
        assert!(
            came.starts_with("50 updates before the answer"),
            "{name}: {came}"
        );
        let replies = checks(&result, "reply-holds-word");
        assert!(
            !replies[0].1.contains('…'),
            "the replay is no reply: {replies:?}"
        );
    }
}

/// xenodium/agent-shell#511: after the cancel each open request is answered with cancelled.
#[test]
fn a068_open_permission_requests_are_answered_at_a_cancel() {
    let result = variant("permissions-at-cancel", "cancel", FULL);
    assert!(not_passed(&result).is_empty());
    let sent = messages(&result, "sent");
    let cancelled = sent
        .iter()
        .filter(|message| message["result"]["outcome"]["outcome"] == "cancelled");
    assert_eq!(cancelled.count(), 5);
}

/// benchflow-ai/benchflow#435: what was not offered is refused, with the code for it.
#[test]
fn a082_nothing_is_served_that_was_not_offered() {
    let result = variant("asks-unoffered", "reply", FULL);
    assert!(not_passed(&result).is_empty());
    let sent = messages(&result, "sent");
    assert_eq!(
        sent[0]["params"]["clientCapabilities"],
        serde_json::json!({})
    );
    let refusals = sent
        .iter()
        .filter(|message| message["error"]["code"] == -32601);
    assert_eq!(refusals.count(), 4);
}

/// xenodium/agent-shell#758: silence ends the wait, with its reason; a slow agent that lives is heard out.
#[test]
fn a090_a_turn_without_an_answer() {
    let result = fault("prompt-unanswered", "reply", SHORT);
    let trouble = &journey(&result)["recording"]["trouble"];
    assert_eq!(trouble["trouble"], "timed_out");
    assert_eq!(trouble["step"], "session/prompt id 2");
    let sent = messages(&result, "sent");
    assert_eq!(
        sent.last().unwrap()["method"],
        "session/cancel",
        "it is cancelled"
    );
    assert!(
        checks(&result, "ends-on-input-close")
            .iter()
            .all(|check| check.0 == "pass")
    );

    assert!(not_passed(&variant("trickle", "reply", SHORT)).is_empty());
}

/// xenodium/acp.el#25: bad updates are reported, and the turn is completed with the good ones.
#[test]
fn a092_bad_updates_do_not_stop_the_turn() {
    let result = fault("bad-updates", "reply", FULL);
    assert_eq!(
        not_passed(&result),
        ["valid-messages", "updates-name-the-session"]
    );
    let (_, came) = &checks(&result, "valid-messages")[0];
    assert!(
        came.contains("weather_update") && came.contains("content is null"),
        "{came}"
    );
    assert_eq!(checks(&result, "reply-holds-marker")[0].0, "pass");
}

/// gastownhall/gascity#6108: other people's processes of the same name are not the agent's.
#[test]
fn a097_processes_of_others_are_not_counted() {
    let mut others: Vec<Child> = Vec::new();
    for (program, argument) in [(AGENT, "--json"), ("sleep", "120"), ("sleep", "120")] {
        let mut other = Command::new(program);
        if program == "sleep" {
            other.arg(argument);
        }
        let other = other.stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        others.push(other.unwrap());
    }
    let result = variant("plain", "cancel", FULL);
    for other in &mut others {
        other.kill().unwrap();
        other.wait().unwrap();
    }
    assert!(not_passed(&result).is_empty());
}

/// block/buzz#4577: a pool is no leak, one more worker for each prompt is.
#[test]
fn a098_a_pool_of_workers_is_no_growth() {
    assert!(not_passed(&variant("worker-pool", "memory", FULL)).is_empty());
    let result = fault("worker-per-turn", "memory", FULL);
    assert_eq!(not_passed(&result), ["processes-do-not-grow"]);
}

/// kdlbs/kandev#2417: a time-out, a crash and a failed start are three things.
#[test]
fn a099_time_out_crash_and_failed_start_are_told_apart() {
    let trouble = |result: &Value| journey(result)["recording"]["trouble"].clone();
    let silent = fault("silent", "reply", SHORT);
    assert_eq!(trouble(&silent)["trouble"], "timed_out");
    assert_eq!(trouble(&silent)["step"], "initialize id 0");

    let crashed = fault("crash-on-start", "reply", FULL);
    assert_eq!(trouble(&crashed)["trouble"], "ended");
    assert_eq!(trouble(&crashed)["status"]["code"], 3);
    assert_eq!(process(&crashed, 0)["stderr"]["tail"], "boom\n");

    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("agent");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
    for (program, words) in [
        (script.as_path(), "is not executable"),
        (folder.path().join("none").as_path(), "does not exist"),
    ] {
        let json = folder.path().join("result.json");
        let output = checker::checker()
            .args(["run", "--only", "reply", "--json"])
            .arg(&json)
            .arg("--")
            .arg(program)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "it could not run");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            said.contains("could not run, which says nothing of the agent"),
            "{said}"
        );
        assert!(said.contains(words), "{said}");
        let result: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
        assert_eq!(trouble(&result)["trouble"], "could_not_start");
    }
}
