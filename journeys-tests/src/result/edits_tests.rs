//! A good file is accepted wherever it was made; an edited one is not.
//!
//! The files were made on another machine: one by the checker of the format 1, one by that of the
//! format 2.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{FORMAT, digest, file};

const OLD: &str = include_str!("../../tests/data/result-format-1.json");
const GOOD: &str = include_str!("../../tests/data/result-format-2.json");

fn good() -> Value {
    serde_json::from_str(GOOD).unwrap()
}

/// Why the text is not accepted, if it is not.
fn objections(text: &[u8]) -> Vec<String> {
    let temporary = tempfile::NamedTempFile::new().unwrap();
    fs::write(temporary.path(), text).unwrap();
    match file::read(temporary.path()) {
        Ok(stored) => stored.verified().differences,
        Err(error) => vec![error.to_string()],
    }
}

fn objections_to(content: &Value) -> Vec<String> {
    objections(content.to_string().as_bytes())
}

fn journey<'r>(result: &'r mut Value, name: &str) -> &'r mut Value {
    let journeys = result["journeys"].as_array_mut().unwrap();
    let found = journeys.iter_mut().find(|journey| journey["name"] == name);
    found.unwrap()
}

fn events(result: &mut Value) -> &mut Vec<Value> {
    let process = &mut journey(result, "reply")["recording"]["processes"][0];
    process["events"].as_array_mut().unwrap()
}

fn check(result: &mut Value) -> &mut Value {
    &mut journey(result, "cancel")["checks"][1]
}

/// An edit, by name.
type Edit = (&'static str, fn(&mut Value));

/// Edits of what is derived: found also if the digest was computed again.
#[rustfmt::skip]
const DERIVED: &[Edit] = &[
    ("passed", |r| r["passed"] = json!(1)),
    ("verdict of a journey", |r| journey(r, "reply")["verdict"] = json!("warn")),
    ("name of a journey", |r| journey(r, "reply")["name"] = json!("memory")),
    ("verdict of a check", |r| check(r)["verdict"] = json!("warn")),
    ("id of a check", |r| check(r)["id"] = json!("no-process-left")),
    ("process of a check", |r| check(r)["process"] = json!(1)),
    ("words of a check", |r| check(r)["came"] = json!("all is well")),
    ("requirement of a check", |r| check(r)["requires"] = json!("Nothing.")),
    ("page of a check", |r| check(r)["page"] = json!("https://example.com")),
    ("evidence of a check", |r| check(r)["evidence"] = json!([{"process": 0, "event": 0}])),
    ("a check removed", |r| drop(journey(r, "reply")["checks"].as_array_mut().unwrap().pop())),
    ("a check twice", |r| {
        let twice = check(r).clone();
        journey(r, "cancel")["checks"].as_array_mut().unwrap().push(twice);
    }),
    ("agentInfo", |r| r["agent"]["info"]["name"] = json!("another")),
    ("capabilities", |r| r["agent"]["capabilities"]["loadSession"] = json!(false)),
    ("an answer removed", |r| events(r).retain(|event| {
        !event["line"].as_str().is_some_and(|line| line.contains("stopReason"))
    })),
    ("another marker", |r| journey(r, "reply")["recording"]["inputs"]["marker"] = json!("REPLY-00000000")),
    ("a process left", |r| {
        let looks = journey(r, "reply")["recording"]["processes"][0]["looks"].as_array_mut().unwrap();
        looks.last_mut().unwrap()["processes"] = json!([{"pid": 1, "start_ticks": 1, "command": ["x"]}]);
    }),
    ("another ending", |r| {
        journey(r, "reply")["recording"]["processes"][0]["ending"]["after_ms"] = json!(20_000);
    }),
    ("a journey among the stand-ins", |r| {
        let moved = r["journeys"].as_array_mut().unwrap().pop().unwrap();
        r["passed"] = json!(r["journeys"].as_array().unwrap().len());
        r["stand_ins"] = json!([moved]);
    }),
    ("an older format", |r| {
        r["format"] = json!(1);
        r.as_object_mut().unwrap().remove("digest");
    }),
    ("a newer format", |r| r["format"] = json!(FORMAT + 1)),
];

/// Edits that no judge would notice: found by the digest alone.
#[rustfmt::skip]
const RECORDED: &[Edit] = &[
    ("a time", |r| events(r)[1]["t_ms"] = json!(99_999)),
    ("white space in a message", |r| {
        let line = events(r)[0]["line"].as_str().unwrap().replace(',', ", ");
        events(r)[0]["line"] = json!(line);
    }),
    ("standard error", |r| {
        journey(r, "reply")["recording"]["processes"][0]["stderr"]["tail"] = json!("fine");
    }),
    ("a file's time", |r| {
        let files = &mut journey(r, "reply")["recording"]["processes"][0]["files_at_end"]["entries"];
        files["README.txt"]["mtime_ns"] = json!(1);
    }),
    ("the tool server's record", |r| {
        let log = &mut journey(r, "reply")["recording"]["processes"][0]["tool_server"];
        log["lines"].as_array_mut().unwrap().push(json!({"event": "ended"}));
    }),
    ("the command", |r| r["agent"]["program"] = json!("another-agent")),
    ("the arguments", |r| r["agent"]["args"] = json!([])),
    ("the agent's digest", |r| r["agent"]["executable"]["sha256"] = json!("00")),
    ("the isolation", |r| r["isolation"] = json!("podman, no network")),
    ("the checker's version", |r| r["checker"]["version"] = json!("9.9.9")),
    ("the checker's digest", |r| r["checker"]["sha256"] = json!("00")),
    ("the start", |r| r["started_unix_ms"] = json!(1)),
    ("the time of a journey", |r| journey(r, "reply")["recording"]["timing"]["took_ms"] = json!(1)),
    ("a journey removed", |r| {
        drop(r["journeys"].as_array_mut().unwrap().pop());
        r["passed"] = json!(r["journeys"].as_array().unwrap().len());
    }),
    ("journeys in another order", |r| r["journeys"].as_array_mut().unwrap().reverse()),
    ("a member more", |r| r["note"] = json!("trust me")),
    ("a member more in an event", |r| events(r)[0]["note"] = json!("trust me")),
    ("a secret more", |r| r["secrets"] = json!([{"name": "KEY", "value": "hidden"}])),
    ("the digest", |r| r["digest"] = json!("0".repeat(64))),
    ("no digest", |r| drop(r.as_object_mut().unwrap().remove("digest"))),
];

#[test]
fn a_good_file_from_another_machine_is_accepted() {
    assert_eq!(objections(GOOD.as_bytes()), Vec::<String>::new());
    // Also when another program has written it again.
    assert_eq!(objections_to(&good()), Vec::<String>::new());
}

#[test]
fn a_file_of_the_first_format_is_accepted_and_its_edits_are_found() {
    assert_eq!(objections(OLD.as_bytes()), Vec::<String>::new());
    let edited = OLD.replacen("\"verdict\": \"pass\"", "\"verdict\": \"fail\"", 1);
    assert_ne!(objections(edited.as_bytes()), Vec::<String>::new());
}

#[test]
fn each_edit_is_found() {
    for (name, edit) in DERIVED.iter().chain(RECORDED) {
        let mut content = good();
        edit(&mut content);
        assert_ne!(content, good(), "{name} edits nothing");
        assert_ne!(objections_to(&content), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn an_edit_of_what_is_derived_is_found_without_the_digest() {
    for (name, edit) in DERIVED {
        let mut content = good();
        edit(&mut content);
        if content.get("digest").is_some() {
            content["digest"] = json!(digest::of(&content));
        }
        assert_ne!(objections_to(&content), Vec::<String>::new(), "{name}");
    }
}

/// Every byte that means something counts, and no byte makes the reader fall over.
#[test]
fn random_bytes_are_found_and_never_a_panic() {
    let good = good();
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |bound: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        usize::try_from(random % bound as u64).unwrap()
    };
    for _ in 0..400 {
        let mut bytes = GOOD.as_bytes().to_vec();
        match next(4) {
            0 => drop(bytes.remove(next(bytes.len()))),
            1 => bytes.insert(next(bytes.len()), b" {}[],:\"\\0a"[next(11)]),
            2 => bytes.truncate(next(bytes.len())),
            _ => {
                let at = next(bytes.len());
                bytes[at] ^= 1 << next(8);
            }
        }
        let objections = objections(&bytes);
        let is_same = serde_json::from_slice::<Value>(&bytes).is_ok_and(|value| value == good);
        assert_eq!(objections.is_empty(), is_same, "{objections:?}");
    }
}

#[test]
fn no_path_in_a_file_is_opened() {
    // A pipe would block whoever opens it.
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRUSR).unwrap();
    let mut content = good();
    for at in ["program", "name"] {
        content["agent"][at] = json!(pipe);
    }
    content["agent"]["executable"]["path"] = json!(pipe);
    content["agent"]["files"] = json!([{"path": pipe, "bytes": 1}]);
    content["digest"] = json!(digest::of(&content));
    assert_eq!(objections_to(&content), Vec::<String>::new());
    assert!(Path::new(&pipe).exists());
}
