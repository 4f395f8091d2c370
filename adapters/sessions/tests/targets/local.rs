//! This machine as a target.

use acp_sessions::{
    api::SessionId,
    config::TargetConfig,
    target::{Place, TargetCommand, TargetError},
};

use crate::{
    every,
    origin::Origin,
    scene::{Scene, shell},
};

fn target() -> TargetConfig {
    TargetConfig::local("local")
}

#[tokio::test]
async fn commands_run_as_they_are() {
    let scene = Scene::new();
    let place = scene.local().await;
    every::commands(&place).await;
    let missing = place
        .run(&TargetCommand::new(["no-such-program"]), b"")
        .await;
    assert!(matches!(missing, Err(TargetError::Spawn(_))), "{missing:?}");
}

#[tokio::test]
async fn what_takes_too_long_or_says_too_much_is_ended() {
    every::bounds(&Scene::new().local().await).await;
}

#[tokio::test]
async fn a_process_ends_with_everything_below_it() {
    every::endings(&Scene::new().local().await).await;
}

#[tokio::test]
async fn files_travel_whole_with_their_digest() {
    let scene = Scene::new();
    every::files(&scene, &scene.local().await).await;
}

#[tokio::test]
async fn a_place_is_there_until_it_is_given_back() {
    every::places(&Scene::new(), &target()).await;
}

#[tokio::test]
async fn nothing_is_left_of_a_daemon_that_was_killed() {
    every::after_a_crash(&Scene::new(), &target(), "kind = \"local\"").await;
}

#[tokio::test]
async fn work_survives_its_place() {
    let scene = Scene::new();
    let origin = Origin::new(scene.folder.path(), "app");
    every::work(&scene, &target(), &origin.bundle(), &origin.id("main~1")).await;
}

#[tokio::test]
async fn a_managed_place_can_be_kept_and_a_project_always_is() {
    let scene = Scene::new();
    let project = scene.folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let locator = Place::plan(
        &scene.grounds,
        &target(),
        &SessionId::random(),
        Some(&project),
    );
    let bare = Place::provision(&scene.grounds, &target(), &locator)
        .await
        .unwrap();
    assert_eq!((bare.root(), bare.is_managed()), (project.as_path(), false));
    assert_eq!(bare.state_dir(), None);
    bare.release(false).await.unwrap();
    assert!(project.is_dir());

    let managed = scene.local().await;
    shell(&managed, "echo x > file").await;
    managed.release(true).await.unwrap();
    assert!(managed.root().join("file").is_file());
    managed.release(false).await.unwrap();
    assert!(!managed.root().exists());
}
