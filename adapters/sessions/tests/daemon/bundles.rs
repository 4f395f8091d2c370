//! Sessions with clones of their own, on this machine.

use std::fs;

use serde_json::json;

use crate::support::{Daemon, Scene, processes};

/// A scene with a bundle of one repository with one commit, whose harness keeps its memory in the
/// session's own state folder. Also the commit.
fn scene() -> (Scene, String) {
    let scene = Scene::new();
    let (bundle, commit) = scene.bundle();
    scene.profile(&["--state", "$XDG_STATE_HOME/memory"], &bundle);
    (scene, commit)
}

fn make(daemon: &Daemon, more: &[(&str, &str)]) -> String {
    let mut asked = json!({"bundle_id": "product"});
    for (name, value) in more {
        asked[name] = (*value).into();
    }
    daemon.make(&asked)
}

const IDENTITY: &str = "git -c user.name=n -c user.email=e@example.org";

#[test]
fn case_68_the_receipt_is_what_was_asked_for_and_does_not_change() {
    let (scene, commit) = scene();
    let daemon = scene.start();
    let upper = commit.to_uppercase();
    let id = make(&daemon, &[("at", &upper), ("branch", "task/1")]);
    let session = daemon.until_idle(&id);
    let receipt = |session: &serde_json::Value| {
        ["at", "branch", "base"].map(|name| session[name].as_str().unwrap().to_owned())
    };
    let expected = [commit.clone(), "task/1".to_owned(), commit.clone()];
    assert_eq!(receipt(&session), expected);
    let seen = daemon.run(&id, "sh git rev-parse HEAD; git branch --show-current; pwd");
    let seen = seen["final_message"].as_str().unwrap();
    assert!(
        seen.starts_with(&format!("{commit}\ntask/1\n")) && seen.ends_with("/app"),
        "{seen}"
    );
    daemon.run(
        &id,
        &format!("sh echo two >> file; {IDENTITY} commit -qam two"),
    );
    assert_eq!(receipt(&daemon.session(&id)), expected);
    let diff = daemon.get(&format!("/sessions/{id}/diff?json=true"));
    assert!(diff["diff"].as_str().unwrap().contains("+two"), "{diff}");
    assert_eq!(
        (&diff["base"], &diff["head_descends_from_base"]),
        (&json!(commit), &json!(true))
    );
    let plain = daemon.ask(
        "GET",
        &format!("/sessions/{id}/diff"),
        &serde_json::Value::Null,
    );
    assert_eq!(plain.text, diff["diff"].as_str().unwrap());
    let exported = daemon
        .post(
            &format!("/sessions/{id}/export"),
            &json!({"kind": "bundle"}),
        )
        .json();
    let path = exported["path"].as_str().unwrap();
    assert_eq!(
        fs::metadata(path).unwrap().len(),
        exported["bytes"].as_u64().unwrap()
    );
}

#[test]
fn a_commit_that_is_not_there_fails_the_session_and_names_it() {
    let (scene, _) = scene();
    let daemon = scene.start();
    let absent = "1".repeat(40);
    let id = make(&daemon, &[("at", &absent)]);
    let session = daemon.until_lifecycle(&id, "failed");
    assert!(
        session["error"].as_str().unwrap().contains(&absent),
        "{session}"
    );
    assert_eq!(session["at"], absent);
    let refused = daemon
        .post(&format!("/sessions/{id}/prompt"), &json!({"text": "x"}))
        .refusal(409);
    assert!(
        refused.contains("destroy it and make another one"),
        "{refused}"
    );
    let refused = daemon.post(&format!("/sessions/{id}/resume"), &json!({}));
    assert_eq!(refused.json()["code"], "no_checkpoint");
    daemon.begin(&id, "destroy", &json!({}));
    daemon.until_gone(&id);
    assert!(!scene.path("data/places").join(&id).exists());
}

#[test]
fn case_77_a_suspended_session_comes_back_with_its_work() {
    let (scene, _) = scene();
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_idle(&id);
    daemon.run(
        &id,
        &format!("sh echo two >> file; {IDENTITY} commit -qam two; echo new > untracked"),
    );
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": true}),
    );
    let session = daemon.until_lifecycle(&id, "suspended");
    assert_eq!(
        (&session["has_checkpoint"], &session["has_error"]),
        (&json!(true), &json!(false))
    );
    assert!(!scene.path("data/places").join(&id).exists());
    assert_eq!(processes(&scene.path("data/places")), Vec::<String>::new());
    daemon.end();
    let daemon = scene.start();
    daemon.begin(&id, "resume", &json!({}));
    daemon.until_idle(&id);
    let seen = daemon.run(&id, "sh cat file untracked; git log --format=%s");
    assert_eq!(seen["final_message"], "one\ntwo\nnew\ntwo\none");
    // The harness remembers too: two prompts and this one.
    assert_eq!(daemon.run(&id, "count")["final_message"], "3");
}

#[test]
fn case_77_without_a_checkpoint_there_is_nothing_to_resume() {
    let (scene, _) = scene();
    scene.configure("[profiles.scripted]\ncommand = [\"/nowhere\"]\n[bundles.product]\nrepositories = [{ id = \"app\", source = \"/nowhere\" }]");
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_lifecycle(&id, "failed");
    daemon.begin(&id, "suspend", &json!({}));
    let session = daemon.until_lifecycle(&id, "suspended");
    assert_eq!(session["has_checkpoint"], false);
    let refused = daemon.post(&format!("/sessions/{id}/resume"), &json!({}));
    assert_eq!(refused.json()["code"], "no_checkpoint");
    let refused = refused.refusal(409);
    assert!(
        refused.contains(&format!("acp-sessions destroy --session {id}")),
        "{refused}"
    );
}

#[test]
fn unpublished_work_is_not_released_until_it_is_pushed() {
    let (scene, _) = scene();
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_idle(&id);
    daemon.run(
        &id,
        &format!("sh echo two >> file; {IDENTITY} commit -qam two"),
    );
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": false}),
    );
    let session = daemon.until(&id, "refused", |session| session["error_kind"] == "suspend");
    let error = session["error"].as_str().unwrap();
    assert!(
        error.starts_with("the suspension did not finish: the work is not verified as published"),
        "{error}"
    );
    assert!(error.contains("--acknowledge-unpublished-work"), "{error}");
    let session = daemon.until_idle(&id);
    assert_eq!(
        (&session["has_checkpoint"], &session["lifecycle"]),
        (&json!(false), &json!("live"))
    );
    let archives = scene.path("data/archives").join(&id);
    let left = fs::read_dir(archives).map_or(0, |entries| entries.count());
    assert_eq!(left, 0, "the archive of the refused attempt");
    // An old failure says nothing about a healthy turn.
    assert_eq!(
        daemon.run(&id, "sh git push -q origin main 2>&1")["outcome"],
        "finished"
    );
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": false}),
    );
    let session = daemon.until_lifecycle(&id, "suspended");
    assert_eq!(
        (&session["has_error"], &session["has_checkpoint"]),
        (&json!(false), &json!(true))
    );
}

#[test]
fn case_78_a_checkpoint_that_fails_leaves_the_session_live_and_the_one_before_recorded() {
    let (scene, _) = scene();
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_idle(&id);
    daemon.begin(&id, "checkpoint", &json!({}));
    daemon.until(&id, "saved", |session| session["has_checkpoint"] == true);
    daemon.until_idle(&id);
    // Something that no archive can hold: its clone is gone.
    daemon.run(&id, "sh mv .git .hidden");
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": true}),
    );
    let session = daemon.until(&id, "refused", |session| session["error_kind"] == "suspend");
    assert!(
        session["error"]
            .as_str()
            .unwrap()
            .starts_with("the suspension did not finish: "),
        "{session}"
    );
    let session = daemon.until_idle(&id);
    assert_eq!(
        (&session["lifecycle"], &session["has_checkpoint"]),
        (&json!("live"), &json!(true))
    );
    let archives = scene.path("data/archives").join(&id);
    assert_eq!(fs::read_dir(archives).unwrap().count(), 1, "the one before");
    daemon.run(&id, "sh mv .hidden .git");
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": true}),
    );
    daemon.until_lifecycle(&id, "suspended");
    let left = fs::read_dir(scene.path("data/archives").join(&id)).unwrap();
    assert_eq!(left.count(), 1, "the new one in its place");
}

#[test]
fn an_environment_that_is_gone_is_made_again_from_the_checkpoint() {
    let (scene, _) = scene();
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_idle(&id);
    daemon.run(&id, "sh echo saved > untracked");
    daemon.begin(&id, "checkpoint", &json!({}));
    daemon.until(&id, "saved", |session| session["has_checkpoint"] == true);
    daemon.until_idle(&id);
    daemon.kill();
    let place = scene.path("data/places").join(&id);
    fs::rename(&place, scene.path("away")).unwrap();
    let daemon = scene.start();
    let session = daemon.until_lifecycle(&id, "failed");
    assert_eq!(session["state"], "lost");
    let error = session["error"].as_str().unwrap();
    assert!(error.contains("is gone, or cannot be reached"), "{error}");
    // Nothing is given up as long as it may come back.
    let refused = daemon.post(&format!("/sessions/{id}/prompt"), &json!({"text": "x"}));
    assert!(refused.refusal(409).contains("resume or destroy"));
    daemon.begin(
        &id,
        "suspend",
        &json!({"acknowledge_unpublished_work": true}),
    );
    let session = daemon.until(&id, "refused", |session| session["error_kind"] == "suspend");
    assert_eq!(session["lifecycle"], "failed");
    daemon.begin(&id, "resume", &json!({}));
    daemon.until(&id, "idle", |session| session["is_idle"] == true);
    assert_eq!(
        daemon.run(&id, "sh cat untracked")["final_message"],
        "saved"
    );
}

#[test]
fn an_environment_that_comes_back_is_used_as_it_is() {
    let (scene, _) = scene();
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_idle(&id);
    daemon.run(&id, "sh echo work > untracked");
    daemon.kill();
    let place = scene.path("data/places").join(&id);
    fs::rename(&place, scene.path("away")).unwrap();
    let daemon = scene.start();
    daemon.until_lifecycle(&id, "failed");
    fs::rename(scene.path("away"), &place).unwrap();
    daemon.begin(&id, "resume", &json!({}));
    daemon.until(&id, "idle", |session| session["is_idle"] == true);
    assert_eq!(daemon.run(&id, "sh cat untracked")["final_message"], "work");
}

#[test]
fn the_files_of_a_profile_are_in_the_home_of_the_session() {
    let (scene, _) = scene();
    fs::write(scene.path("secret"), "s3cret").unwrap();
    let origin = scene.text("origin");
    let secret = scene.text("secret");
    scene.profile(
        &[],
        &format!(
            "files = [{{ from = {secret:?}, to = \".agent/auth\" }}]
             [bundles.product]
             repositories = [{{ id = \"app\", source = {origin:?} }}]"
        ),
    );
    let daemon = scene.start();
    let id = make(&daemon, &[]);
    daemon.until_idle(&id);
    let seen = daemon.run(&id, "sh cat ~/.agent/auth; git status --porcelain");
    assert_eq!(seen["final_message"], "s3cret");
    let bare = daemon.make(&json!({}));
    let error = daemon.until_lifecycle(&bare, "failed")["error"].clone();
    assert!(
        error.as_str().unwrap().contains("needs an absolute path"),
        "{error}"
    );
}
