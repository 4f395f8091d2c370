//! The whole of it: an ACP client, the front, a daemon, a target, and the reference agent behind a
//! session. What a user would do on each kind of target.
//!
//! The reference agent and the checker are programs of other packages, found beside ours: `cargo
//! build --workspace --bins` makes them.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod client;
mod home;
#[allow(dead_code)]
#[path = "../targets/origin.rs"]
mod origin;
#[allow(dead_code)]
#[path = "../targets/podman.rs"]
mod podman;
#[allow(dead_code)]
#[path = "../targets/scene.rs"]
mod scene;
#[allow(dead_code)]
#[path = "../targets/server.rs"]
mod server;

use std::{fs, path::Path};

use client::Client;
use home::{Home, agent, beside};
use origin::Origin;
use podman::Podman;
use scene::{Scene, marker, running, until};
use server::Server;

/// What a user does with a session, from its first prompt to its end.
/// `agent` is how its harness is called.
async fn a_life(home: &Home, arguments: &[&str], cwd: &Path, agent: &str) {
    let mut client = Client::start(home, arguments).await;
    let session = client.new_session(cwd).await;

    let word = format!("WORD-{}", marker().replace('.', "-"));
    let answer = client
        .prompt(&session, &format!("Reply with exactly: {word}"))
        .await;
    assert_eq!(answer.stop, "end_turn");
    assert!(answer.text.contains(&word), "{answer:?}");

    // A long tool call, cancelled while it runs.
    let long = marker();
    let turn = client
        .begin(&session, &format!("Run the shell command `sleep {long}`."))
        .await;
    until("the command runs", || !running(&long).is_empty()).await;
    client.cancel(&session).await;
    assert_eq!(client.end_of(turn).await.stop, "cancelled");
    until("the command is gone", || running(&long).is_empty()).await;

    // The client goes in the middle of a turn.
    let turn_text = format!("Run the shell command `sleep {long}`.");
    client.begin(&session, &turn_text).await;
    until("the command runs", || !running(&long).is_empty()).await;
    assert_eq!(client.leave().await, Some(0));
    until("the command is gone", || running(&long).is_empty()).await;
    home.until_idle(&session).await;

    // It is an ordinary session.
    assert!(home.say(&["sessions", "--json"]).await.contains(&session));
    home.until_found(&word, &session).await;
    assert_ne!(running(agent), Vec::<String>::new());
    home.say(&["suspend", "--session", &session]).await;
    until("the harness is gone", || running(agent).is_empty()).await;
    home.say(&["resume", "--session", &session]).await;
    let again = format!("again-{word}");
    let text = format!("Reply with exactly: {again}");
    let said = home.say(&["prompt", "--session", &session, &text]).await;
    assert!(said.contains(&again), "{said}");
    home.until_found(&again, &session).await;
    home.say(&["destroy", "--session", &session]).await;
    assert!(!home.say(&["sessions", "--json"]).await.contains(&session));
    home.until_found(&word, &session).await;
    until("nothing of the session runs", || running(agent).is_empty()).await;
}

#[tokio::test]
async fn a_session_on_this_machine_in_a_directory_of_the_users() {
    let scene = Scene::new();
    let agent = agent(&scene);
    let agent = agent.to_str().unwrap();
    let home = Home::new(&scene, "", Some(agent));
    let project = scene.folder.path().join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("file"), "kept").unwrap();
    a_life(&home, &[], &project, agent).await;
    assert_eq!(fs::read_to_string(project.join("file")).unwrap(), "kept");
}

#[tokio::test]
async fn a_session_on_this_machine_with_a_bundle() {
    let scene = Scene::new();
    let origin = Origin::new(scene.folder.path(), "app");
    let agent = agent(&scene);
    let agent = agent.to_str().unwrap();
    let home = Home::new(&scene, "kind = \"local\"", Some(agent)).with_bundle(&origin);
    let at = origin.id("main~1");
    let arguments = [
        "--target", "it", "--bundle", "product", "--at", &at, "--branch", "work",
    ];
    a_life(&home, &arguments, scene.folder.path(), agent).await;
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn a_session_on_another_machine() {
    let scene = Scene::new();
    let server = Server::start(scene.folder.path()).await;
    let origin = Origin::new(scene.folder.path(), "app");
    let agent = agent(&scene);
    let agent = agent.to_str().unwrap();
    let home = Home::new(&scene, &server.text, Some(agent)).with_bundle(&origin);
    let at = origin.id("main~1");
    let arguments = [
        "--target", "it", "--bundle", "product", "--at", &at, "--branch", "work",
    ];
    a_life(&home, &arguments, scene.folder.path(), agent).await;
    let left = fs::read_dir(scene.folder.path().join("ssh/remote"))
        .unwrap()
        .count();
    assert_eq!(left, 0);
}

#[tokio::test]
#[ignore = "needs podman: run scripts/test-targets"]
async fn a_session_in_a_container() {
    let scene = Scene::new();
    let agent = agent(&scene);
    let podman = Podman::with(&scene, &[agent.to_str().unwrap()]);
    let agent = agent.file_name().unwrap().to_str().unwrap();
    let origin = Origin::new(scene.folder.path(), "app");
    let home = Home::new(&scene, &podman.text, Some(agent)).with_bundle(&origin);
    let at = origin.id("main~1");
    let arguments = [
        "--target", "it", "--bundle", "product", "--at", &at, "--branch", "work",
    ];
    a_life(&home, &arguments, scene.folder.path(), agent).await;
    assert_eq!(podman.containers(), "");
}

#[tokio::test]
async fn the_checkers_journeys_pass_through_the_front() {
    let scene = Scene::new();
    let home = Home::new(&scene, "", None);
    // What the front starts outlives it, so the daemon is there before.
    home.say(&["workspaces", "create", "demo"]).await;
    home.say(&["api-info"]).await;
    let front = beside("acp-sessions");
    let words = [
        "run",
        "--only",
        "reply",
        "--only",
        "memory",
        "--only",
        "cancel",
        "--json",
        "result.json",
        "--",
        front.to_str().unwrap(),
        "acp",
        "--workspace",
        "demo",
        "--progress",
        "--on-exit",
        "destroy",
    ];
    let output = home
        .program("acp-journeys")
        .args(words)
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("3 of 3 journeys pass"), "{said}");
    assert_eq!(home.say(&["sessions", "--json"]).await.trim(), "[]");
}
