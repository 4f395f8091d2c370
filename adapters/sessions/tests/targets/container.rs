//! A container as a target: podman, and an image made of this machine's busybox and git.

use std::process::Command;

use acp_sessions::{api::SessionId, target::Place};

use crate::{
    every,
    origin::Origin,
    podman::Podman,
    scene::{Scene, shell, target_of},
};

#[tokio::test]
#[ignore = "needs podman: run scripts/test-targets"]
async fn commands_run_as_they_are_and_end_with_everything_below_them() {
    let scene = Scene::new();
    let podman = Podman::new(&scene);
    let place = scene.provision(&podman.target()).await;
    every::commands(&place).await;
    every::bounds(&place).await;
    every::endings(&place).await;
    every::files(&scene, &place).await;
    place.release(false).await.unwrap();
    assert_eq!(podman.containers(), "");
}

#[tokio::test]
#[ignore = "needs podman: run scripts/test-targets"]
async fn a_container_is_there_until_it_is_given_back() {
    let scene = Scene::new();
    let podman = Podman::new(&scene);
    let target = podman.target();
    every::places(&scene, &target).await;
    every::after_a_crash(&scene, &target, &podman.text).await;
    assert_eq!(podman.containers(), "");

    // One that stopped, as with the machine, goes on.
    let place = scene.provision(&target).await;
    shell(&place, "echo kept > kept").await;
    let locator = place.locator().clone();
    drop(place);
    assert_ne!(podman.containers(), "");
    let output = Command::new(&podman.program)
        .args(["kill", "--all"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let place = Place::attach(&scene.grounds, &target, &locator)
        .await
        .unwrap();
    assert_eq!(shell(&place, "cat kept").await, "kept");
    place.release(false).await.unwrap();
}

#[tokio::test]
#[ignore = "needs podman: run scripts/test-targets"]
async fn work_survives_its_container() {
    let scene = Scene::new();
    let podman = Podman::new(&scene);
    let origin = Origin::new(scene.folder.path(), "app");
    every::work(
        &scene,
        &podman.target(),
        &origin.bundle(),
        &origin.id("main~1"),
    )
    .await;
    assert_eq!(podman.containers(), "");
}

#[tokio::test]
#[ignore = "needs podman: run scripts/test-targets"]
async fn an_image_that_is_not_there_is_told_with_the_engines_words() {
    let scene = Scene::new();
    let podman = Podman::new(&scene);
    let target = target_of(&podman.text.replace("localhost/target", "localhost/nosuch"));
    let locator = Place::plan(&scene.grounds, &target, &SessionId::random(), None);
    let error = Place::provision(&scene.grounds, &target, &locator)
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("cannot be made") && error.contains("nosuch"),
        "{error}"
    );
    Place::release_at(&scene.grounds, &target, &locator, false)
        .await
        .unwrap();
    assert_eq!(podman.containers(), "");
}
