//! Starting, suspending, resuming and destroying sessions.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Scene, processes, until};

#[test]
fn a_launch_that_fails_says_why_and_can_be_tried_again() {
    let scene = Scene::new();
    scene.profile(&["--die-at-start"], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    let session = daemon.until_lifecycle(&id, "failed");
    let error = session["error"].as_str().unwrap();
    assert!(
        error.starts_with("the launch failed: the harness ended before it was ready (status 3)"),
        "{error}"
    );
    assert!(
        error.contains("the scripted harness was told to die"),
        "{error}"
    );
    assert_eq!(session["error_kind"], "launch");
    let refused = daemon.post(&format!("/sessions/{id}/prompt"), &json!({"text": "x"}));
    let refused = refused.refusal(409);
    assert!(
        refused.contains("failed: the launch failed") && refused.contains("resume or destroy"),
        "{refused}"
    );
    scene.profile(&[], "");
    daemon.begin(&id, "resume", &json!({}));
    let session = daemon.until(&id, "idle", |session| session["is_idle"] == true);
    assert_eq!(session["has_error"], false);
    assert_eq!(daemon.run(&id, "say well")["outcome"], "finished");
}

#[test]
fn every_failure_of_a_launch_has_its_words() {
    //  arguments                                   words
    let table: [(&[&str], &str); 2] = [
        (
            &["--refuse", "no room"],
            "the harness refused session/new: no room",
        ),
        (&["--die-at-start"], "status 3"),
    ];
    for (arguments, words) in table {
        let scene = Scene::new();
        scene.profile(arguments, "");
        let daemon = scene.start();
        let id = daemon.make(&json!({}));
        let error = daemon.until_lifecycle(&id, "failed")["error"].clone();
        assert!(error.as_str().unwrap().contains(words), "{error}");
    }
    let scene = Scene::new();
    scene.configure("[profiles.scripted]\ncommand = [\"/nowhere/at-all\"]");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    let error = daemon.until_lifecycle(&id, "failed")["error"].clone();
    assert!(
        error.as_str().unwrap().contains("could not be started"),
        "{error}"
    );
    let missing = json!({"project_directory": scene.text("missing")});
    let id = daemon.make(&missing);
    let error = daemon.until_lifecycle(&id, "failed")["error"].clone();
    assert!(error.as_str().unwrap().contains("missing"), "{error}");
}

#[test]
fn a_silent_harness_is_given_up() {
    let scene = Scene::new().limit("HANDSHAKE", 100);
    scene.profile(&["--ready", &scene.text("never")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    let error = daemon.until_lifecycle(&id, "failed")["error"].clone();
    assert!(
        error
            .as_str()
            .unwrap()
            .contains("did not answer session/new"),
        "{error}"
    );
    until("no process", || {
        processes(&scene.path("never")).is_empty().then_some(())
    });
}

#[test]
fn a_bare_session_is_suspended_and_resumed_with_its_memory() {
    let scene = Scene::new();
    scene.profile(&["--state", &scene.text("memory")], "");
    let daemon = scene.start();
    let id = daemon.ready();
    daemon.run(&id, "say one");
    assert!(!processes(&scene.path("memory")).is_empty());
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": false}),
    );
    let session = daemon.until_lifecycle(&id, "suspended");
    assert_eq!(
        (&session["state"], &session["chat_phase"]),
        (&json!("stopped"), &json!("closed"))
    );
    assert_eq!(session["has_checkpoint"], true);
    assert_eq!(processes(&scene.path("memory")), Vec::<String>::new());
    let refused = daemon.post(&format!("/sessions/{id}/prompt"), &json!({"text": "x"}));
    assert!(
        refused
            .refusal(409)
            .contains(&format!("acp-sessions resume --session {id}"))
    );
    // What has ended keeps its end; what has not is stopped with the session.
    assert_eq!(daemon.wait(&id, 1)["outcome"], "finished");
    daemon.begin(&id, "resume", &json!({}));
    daemon.until_idle(&id);
    assert_eq!(daemon.run(&id, "count")["final_message"], "2");
    let said = daemon.said(&id);
    assert!(
        said.iter()
            .all(|(role, text)| role != "notice" && !text.contains("history")),
        "{said:?}"
    );
}

#[test]
fn a_harness_that_cannot_load_begins_anew_and_that_is_said() {
    let scene = Scene::new();
    let daemon = scene.start();
    let id = daemon.ready();
    daemon.run(&id, "say one");
    daemon.begin(&id, "suspend", &json!({}));
    daemon.until_lifecycle(&id, "suspended");
    daemon.begin(&id, "resume", &json!({}));
    daemon.until_idle(&id);
    let said = daemon.said(&id);
    let last = said.last().unwrap();
    assert_eq!(last.0, "notice");
    assert!(last.1.contains("does not remember"), "{said:?}");
}

#[test]
fn a_suspension_interrupts_the_turn_and_stops_what_waits() {
    let scene = Scene::new();
    let daemon = scene.start();
    let id = daemon.ready();
    let first = daemon.prompt(&id, "wait-cancel");
    let second = daemon.prompt(&id, "say never");
    daemon.begin(&id, "suspend", &json!({}));
    daemon.until_lifecycle(&id, "suspended");
    assert_eq!(daemon.wait(&id, first)["outcome"], "cancelled");
    let answer = daemon.wait(&id, second);
    assert_eq!(
        (&answer["outcome"], &answer["message"]),
        (
            &json!("stopped"),
            &json!("interrupted: the session was suspended")
        )
    );
    // Twice is once.
    daemon.begin(&id, "suspend", &json!({}));
}

#[test]
fn a_suspension_during_the_start_settles_it() {
    let scene = Scene::new();
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    daemon.begin(&id, "suspend", &json!({}));
    daemon.until_lifecycle(&id, "suspended");
    until("no process", || {
        processes(&scene.path("ready")).is_empty().then_some(())
    });
}

#[test]
fn a_destruction_cancels_the_start() {
    let scene = Scene::new();
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    daemon.begin(&id, "destroy", &json!({"delete_branch": false}));
    daemon.until_gone(&id);
    until("no process", || {
        processes(&scene.path("ready")).is_empty().then_some(())
    });
    let refused = daemon.post(&format!("/sessions/{id}/prompt"), &json!({"text": "x"}));
    assert_eq!(refused.json()["code"], "unknown_session");
}

#[test]
fn a_destroyed_session_leaves_no_process_and_the_project_alone() {
    let scene = Scene::new();
    fs::write(scene.path("project/mine"), "kept").unwrap();
    scene.profile(&["--record", &scene.text("record")], "");
    let daemon = scene.start();
    let id = daemon.ready();
    daemon.run(&id, "leave 3600");
    let turn = daemon.prompt(&id, "say begun\nwait-cancel");
    daemon.begin(&id, "destroy", &json!({}));
    daemon.until_gone(&id);
    assert_eq!(processes(&scene.path("record")), Vec::<String>::new());
    assert_eq!(
        fs::read_to_string(scene.path("project/mine")).unwrap(),
        "kept"
    );
    let answer = daemon.post(&format!("/sessions/{id}/wait"), &json!({"turn_id": turn}));
    assert_eq!(answer.status, 404);
    assert!(!scene.path("data/archives").join(&id).exists());
}

#[test]
fn a_checkpoint_of_a_bare_session_is_the_directory() {
    let scene = Scene::new();
    let daemon = scene.start();
    let id = daemon.ready();
    daemon.begin(&id, "checkpoint", &Value::Null);
    let session = daemon.until(&id, "saved", |session| session["has_checkpoint"] == true);
    assert_eq!(session["has_error"], false);
    daemon.until_idle(&id);
    daemon.prompt(&id, "wait-cancel");
    let refused = daemon.post(&format!("/sessions/{id}/checkpoint"), &Value::Null);
    assert!(refused.refusal(409).contains("while a turn runs"));
}
