//! The identity of the runtime, and what it keeps from running.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use serde_json::{Value, json};

use crate::support::{Scene, harness};

/// Puts the harness, with these bytes behind its own, at a path.
fn install(path: &Path, behind: &[u8]) {
    let mut bytes = fs::read(harness()).unwrap();
    bytes.extend(behind);
    // In the place of a program that may run.
    let new = path.with_extension("new");
    fs::write(&new, bytes).unwrap();
    fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(new, path).unwrap();
}

/// A scene whose harness is a copy that can be changed.
fn scene() -> Scene {
    let scene = Scene::new();
    install(&scene.path("agent"), b"");
    let (agent, record) = (scene.text("agent"), scene.text("record"));
    scene.configure(&format!(
        "[profiles.scripted]\ncommand = [{agent:?}, \"--record\", {record:?}]"
    ));
    scene
}

/// The methods that the harness has heard.
fn heard(scene: &Scene) -> Vec<String> {
    let record = fs::read_to_string(scene.path("record")).unwrap();
    let lines = record
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .filter_map(|line| Some(line["method"].as_str()?.to_owned()))
        .collect()
}

#[test]
fn case_69_only_the_same_bytes_are_the_expected_runtime() {
    let scene = scene();
    let daemon = scene.start();
    let id = daemon.ready();
    let runtime = daemon.session(&id)["runtime"].clone();
    let identity = runtime["id"].as_str().unwrap().to_owned();
    assert_eq!(runtime["provenance"], "target_installation");
    assert_eq!(runtime["components"][0]["name"], "agent");
    assert!(
        !runtime
            .to_string()
            .contains(scene.path("").to_str().unwrap()),
        "{runtime}"
    );
    let list = daemon.get("/sessions")["sessions"][0].clone();
    assert_eq!(list.get("runtime"), None);

    let expected = json!({"expected_runtime_identity": identity});
    let same = daemon.make(&expected);
    daemon.until_idle(&same);
    assert_eq!(daemon.run(&same, "say yes")["outcome"], "finished");

    // The same version, other bytes.
    install(&scene.path("agent"), b"changed");
    fs::remove_file(scene.path("record")).unwrap();
    let changed = daemon.make(&expected);
    let session = daemon.until_lifecycle(&changed, "failed");
    let error = session["error"].as_str().unwrap();
    let found = session["runtime"]["id"].as_str().unwrap();
    assert!(
        error.contains(&identity) && error.contains(found),
        "{error}"
    );
    assert_ne!(found, identity);
    assert_eq!(heard(&scene), ["initialize"]);
    assert_eq!(session["expected_runtime_identity"], identity);
}

#[test]
fn case_69_a_wrapper_has_no_identity() {
    let scene = Scene::new();
    let wrapper = scene.path("wrapper");
    fs::write(&wrapper, format!("#!/bin/sh\nexec {} \"$@\"\n", harness())).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    scene.configure(&format!("[profiles.scripted]\ncommand = [{wrapper:?}]"));
    let daemon = scene.start();
    let id = daemon.ready();
    let runtime = daemon.session(&id)["runtime"].clone();
    assert_eq!(runtime["id"], Value::Null);
    let reason = runtime["unavailable_reason"].as_str().unwrap();
    assert!(reason.contains("is a script"), "{reason}");
    assert_eq!(daemon.run(&id, "say yes")["outcome"], "finished");
    let id = daemon.make(&json!({"expected_runtime_identity": "something"}));
    let error = daemon.until_lifecycle(&id, "failed")["error"].clone();
    assert!(
        error
            .as_str()
            .unwrap()
            .contains("unavailable: the command is a script"),
        "{error}"
    );
}

#[test]
fn case_70_each_start_appends_a_receipt_and_the_latest_is_told() {
    let scene = scene();
    let daemon = scene.start();
    let id = daemon.ready();
    let first = daemon.session(&id)["runtime"].clone();
    assert_eq!(first["event_ordinal"], 1);
    daemon.begin(&id, "suspend", &json!({}));
    let stopped = daemon.until_lifecycle(&id, "suspended");
    assert_eq!(
        stopped["runtime"], first,
        "it can be read while nothing runs"
    );
    install(&scene.path("agent"), b"changed");
    daemon.begin(&id, "resume", &json!({}));
    let second = daemon.until_idle(&id)["runtime"].clone();
    assert_eq!(second["event_ordinal"], 2);
    assert_ne!(second["id"], first["id"]);
    daemon.end();
    let store = rusqlite::Connection::open(scene.path("data/store.sqlite")).unwrap();
    let bodies: Vec<String> = store
        .prepare("SELECT body FROM runtime_receipts ORDER BY ordinal")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let bodies: Vec<Value> = bodies
        .iter()
        .map(|body| serde_json::from_str(body).unwrap())
        .collect();
    assert_eq!(bodies, [first, second]);
}

#[test]
fn the_constraint_holds_at_every_start() {
    let scene = scene();
    let daemon = scene.start();
    let id = daemon.ready();
    let identity = daemon.session(&id)["runtime"]["id"].clone();
    let id = daemon.make(&json!({"expected_runtime_identity": identity}));
    daemon.until_idle(&id);
    daemon.begin(&id, "suspend", &json!({}));
    daemon.until_lifecycle(&id, "suspended");
    install(&scene.path("agent"), b"changed");
    daemon.begin(&id, "resume", &json!({}));
    let session = daemon.until(&id, "refused", |session| session["error_kind"] == "resume");
    assert_eq!(session["lifecycle"], "suspended");
    // With the right bytes again it goes on.
    install(&scene.path("agent"), b"");
    daemon.begin(&id, "resume", &json!({}));
    daemon.until_idle(&id);
    assert_eq!(daemon.session(&id)["has_error"], false);
}
