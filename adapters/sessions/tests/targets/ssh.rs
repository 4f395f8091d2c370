//! Another machine as a target: a real sshd on loopback.

use std::{fs, path::Path, process::Command};

use acp_sessions::{
    api::SessionId,
    config::TargetConfig,
    target::{Ended, Place},
};

use crate::{
    every,
    origin::Origin,
    scene::{Scene, marker, running, sh, shell, target_of, until},
    server::Server,
};

/// A server and what a test stands on.
async fn stage() -> (Scene, Server, TargetConfig) {
    let scene = Scene::new();
    let server = Server::start(scene.folder.path()).await;
    let target = server.target();
    (scene, server, target)
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn commands_run_as_they_are() {
    let (scene, _server, target) = stage().await;
    let place = scene.provision(&target).await;
    every::commands(&place).await;
    every::bounds(&place).await;
    place.release(false).await.unwrap();
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn a_process_ends_with_everything_below_it() {
    let (scene, _server, target) = stage().await;
    let place = scene.provision(&target).await;
    every::endings(&place).await;
    place.release(false).await.unwrap();
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn files_travel_whole_with_their_digest() {
    let (scene, _server, target) = stage().await;
    let place = scene.provision(&target).await;
    every::files(&scene, &place).await;
    place.release(false).await.unwrap();
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn a_place_is_there_until_it_is_given_back() {
    let (scene, _server, target) = stage().await;
    every::places(&scene, &target).await;
    let left = fs::read_dir(scene.folder.path().join("ssh/remote"))
        .unwrap()
        .count();
    assert_eq!(left, 0);
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn nothing_is_left_of_a_daemon_that_was_killed() {
    let (scene, server, target) = stage().await;
    every::after_a_crash(&scene, &target, &server.text).await;
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn work_survives_its_place() {
    let (scene, _server, target) = stage().await;
    let origin = Origin::new(scene.folder.path(), "app");
    every::work(&scene, &target, &origin.bundle(), &origin.id("main~1")).await;
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn a_lost_connection_ends_everything_there_and_is_made_again() {
    let (scene, server, target) = stage().await;
    let place = scene.provision(&target).await;
    let marker = marker();
    let script = format!("setsid sleep {marker} & sleep {marker}; :");
    let mut process = place.spawn(&sh(&script)).await.unwrap();
    until("both run", || running(&marker).len() >= 2).await;
    // The server's processes for this connection go, as when a machine on the way does.
    let connections = sessions_of(server.child.id());
    assert_ne!(connections, Vec::<u32>::new());
    for pid in connections {
        let _ = Command::new("kill")
            .args(["-KILL", &pid.to_string()])
            .status();
    }
    let ended = process.handle.wait().await;
    assert!(matches!(ended, Ended::Lost(_)), "{ended:?}");
    until("nothing runs there", || running(&marker).is_empty()).await;
    assert_eq!(shell(&place, "echo again").await, "again");
    place.release(false).await.unwrap();
    drop((place, process));
    let sockets = || fs::read_dir(&scene.grounds.folder).unwrap().count();
    until("no control socket is left", || sockets() == 0).await;
}

/// The children of a server: one for each connection, and what stands below those but runs no
/// command.
fn sessions_of(server: u32) -> Vec<u32> {
    let output = Command::new("pgrep")
        .args(["-P", &server.to_string()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut found: Vec<u32> = text.lines().map(|line| line.parse().unwrap()).collect();
    for child in found.clone() {
        let is_server = fs::read_to_string(format!("/proc/{child}/comm"))
            .is_ok_and(|name| name.starts_with("sshd"));
        if is_server {
            found.extend(sessions_of(child).into_iter().filter(|pid| {
                fs::read_to_string(format!("/proc/{pid}/comm"))
                    .is_ok_and(|name| name.starts_with("sshd"))
            }));
        }
    }
    found
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn a_directory_of_the_user_is_worked_in_and_never_removed() {
    let (scene, server, target) = stage().await;
    let project = scene.folder.path().join("it's a project");
    fs::create_dir(&project).unwrap();
    let session = SessionId::random();
    let locator = Place::plan(&scene.grounds, &target, &session, Some(&project));
    let place = Place::provision(&scene.grounds, &target, &locator)
        .await
        .unwrap();
    shell(&place, "echo x > file").await;
    assert_eq!(place.root(), project);
    place.release(false).await.unwrap();
    assert!(project.join("file").is_file());
    // Without a folder in the configuration it is one below the home there.
    let lines = server.text.lines();
    let lines: Vec<_> = lines.filter(|line| !line.starts_with("folder")).collect();
    let place = scene.provision(&target_of(&lines.join("\n"))).await;
    let expected = scene.folder.path().join("ssh/home/.acp-sessions");
    assert!(place.root().starts_with(&expected), "{:?}", place.root());
    place.release(false).await.unwrap();
    assert_eq!(fs::read_dir(expected).unwrap().count(), 0);

    let missing = Place::plan(
        &scene.grounds,
        &target,
        &session,
        Some(Path::new("/no/such")),
    );
    let error = Place::provision(&scene.grounds, &target, &missing)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("/no/such"), "{error}");
}

#[tokio::test]
#[ignore = "needs sshd: run scripts/test-targets"]
async fn a_machine_that_does_not_answer_is_told_with_sshs_own_words() {
    let (scene, mut server, target) = stage().await;
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let locator = Place::plan(&scene.grounds, &target, &SessionId::random(), None);
    let error = Place::provision(&scene.grounds, &target, &locator)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("Connection refused"), "{error}");
}
