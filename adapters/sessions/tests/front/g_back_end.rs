//! Cases 24 and 74 to 76: how a client finds the daemon, and starts the real one.

use acp_sessions::api::Endpoint;

use crate::support::{
    Scene,
    daemon::{EndDaemon, daemons},
};

#[test]
fn case_24_the_first_session_starts_the_daemon() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let end = EndDaemon(&scene);
    let mut front = scene.front(&[]);
    front.initialize();
    assert!(!scene.has_endpoint());
    let new = front.ask_session();
    front.answer(new);
    let endpoint = Endpoint::read(&scene.data().join("daemon.json")).unwrap();
    assert_eq!(daemons(&scene.data()), [endpoint.pid as i32]);
    front.end();
    // It outlives the front that started it.
    assert_eq!(daemons(&scene.data()), [endpoint.pid as i32]);
    drop(end);
    assert_eq!(daemons(&scene.data()), [0_i32; 0]);
}

#[test]
fn case_74_clients_that_come_together_start_one_daemon() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let _end = EndDaemon(&scene);
    let mut fronts: Vec<_> = (0..4).map(|_| scene.front(&[])).collect();
    let asked: Vec<_> = fronts.iter_mut().map(|front| front.ask_session()).collect();
    for (front, id) in fronts.iter_mut().zip(asked) {
        let answer = front.answer(id).to_string();
        assert!(!answer.contains("daemon"), "{answer}");
    }
    assert_eq!(daemons(&scene.data()).len(), 1);
    let log = std::fs::read_to_string(scene.data().join("daemon.log")).unwrap();
    assert!(
        !log.contains("acp-sessions: "),
        "one ended with an error: {log}"
    );
}

#[test]
fn case_75_a_daemon_that_dies_is_told_of_by_its_log() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    std::fs::write(scene.config().join("config.toml"), "this is [ no TOML").unwrap();
    let _end = EndDaemon(&scene);
    let mut front = scene.front(&[]);
    let new = front.ask_session();
    let message = front.refused(new);
    for wanted in ["ended while it started", "config.toml"] {
        assert!(message.contains(wanted), "no {wanted:?} in {message}");
    }
    assert!(!message.to_lowercase().contains("refused"), "{message}");
    front.end().assert_status(1);
}

#[test]
fn case_76_what_is_no_daemon_of_this_version_is_refused() {
    for version in [None, Some("2")] {
        let scene = Scene::new();
        scene.store(&["editor"]);
        let mut fake = scene.fake();
        fake.restart(version);
        let mut front = scene.front(&[]);
        let new = front.ask_session();
        let message = front.refused(new);
        assert!(message.contains("no daemon of this version"), "{message}");
        // It is alive, so it is not replaced.
        assert_eq!(daemons(&scene.data()), [0_i32; 0]);
        front.end().assert_status(1);
    }
}

#[test]
fn what_a_dead_daemon_left_leads_nobody_astray() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let mut fake = scene.fake();
    // Something else answers where the dead daemon did.
    fake.restart(None);
    fake.let_go();
    let _end = EndDaemon(&scene);
    let mut front = scene.front(&[]);
    let new = front.ask_session();
    let answer = front.answer(new).to_string();
    assert!(!answer.contains("no daemon of this version"), "{answer}");
    assert_eq!(daemons(&scene.data()).len(), 1);
    front.end();
}
