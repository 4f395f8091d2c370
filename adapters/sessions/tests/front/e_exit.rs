//! Cases 46 and 47, 57 to 60 and 62: how a front ends.

use acp_sessions::api::{Outcome, State as Stored};
use nix::sys::signal::Signal;
use std::os::unix::process::ExitStatusExt;

use crate::support::{Reply, Route, Scene, Turn, state::become_state};

#[test]
fn case_46_the_end_of_the_input_stops_the_turn() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    let ended = front.end();
    ended.assert_status(0);
    assert_eq!(fake.count(Route::Interrupt), 1);
    assert!(fake.with(|state| state.made(0).seen().is_idle));
    // Who still reads is told.
    let answer = ended.said.iter().find(|said| said["id"] == prompt).unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled");
}

#[test]
fn an_interrupt_at_the_end_is_repeated_until_the_turn_is_there() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let refused = Reply::refuse(409, "there is no turn to cancel");
    fake.script(Route::Interrupt, [refused.clone(), refused]);
    let mut front = scene.front(&[]);
    let session = front.session();
    front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    front.end().assert_status(0);
    assert_eq!(fake.count(Route::Interrupt), 3);
    assert!(
        fake.with(|state| state.made(0).turns[0].1),
        "it runs on unwatched"
    );
}

#[test]
fn case_47_keep_asks_for_nothing() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "keep"]);
    let session = front.session();
    front.prompt(&session, "hello");
    front.end().assert_status(0);
    for route in [Route::Interrupt, Route::Suspend, Route::Destroy] {
        assert_eq!(fake.count(route), 0, "{route:?}");
    }
}

#[test]
fn case_57_a_session_that_is_being_made_is_waited_for_and_destroyed() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Create, [Reply::Gate("made")]);
    let mut front = scene.front(&["--on-exit", "destroy"]);
    front.ask_session();
    fake.until_asked(Route::Create, 1);
    front.close();
    assert!(!front.has_ended());
    fake.open("made");
    front.wait().assert_status(0);
    assert_eq!(fake.count(Route::Destroy), 1);
    assert!(fake.with(|state| state.sessions.is_empty()));
}

#[test]
fn case_57_a_request_that_was_written_before_the_end_is_never_missed() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    front.ask_session();
    front.end().assert_status(0);
    assert_eq!(fake.with(|state| state.order.len()), 1);
    assert!(fake.with(|state| state.sessions.is_empty()));
}

#[test]
fn case_58_a_signal_with_nothing_to_retire() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let mut front = scene.front(&["--on-exit", "destroy"]);
    front.initialize();
    front.signal(Signal::SIGTERM);
    front.wait().assert_status(0);
    assert!(!scene.has_endpoint(), "a daemon was started");
}

#[test]
fn case_59_signals_run_the_policy_or_end_the_front() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let scene = Scene::new();
        let fake = scene.fake();
        let mut front = scene.front(&["--on-exit", "suspend"]);
        front.session();
        front.signal(signal);
        front.wait().assert_status(0);
        assert_eq!(fake.count(Route::Suspend), 1, "{signal}");

        fake.turns([Turn::Runs(Outcome::Cancelled)]);
        let mut front = scene.front(&["--on-exit", "keep"]);
        let session = front.session();
        front.ask_prompt(&session, "hello");
        fake.until_asked(Route::Wait, 1);
        front.signal(signal);
        assert_eq!(front.wait().status.signal(), Some(signal as i32));
        assert_eq!(fake.count(Route::Interrupt), 0);
    }
}

#[test]
fn nothing_is_begun_after_a_signal() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Suspend, [Reply::Gate("suspend")]);
    let mut front = scene.front(&["--on-exit", "suspend"]);
    let session = front.session();
    front.signal(Signal::SIGTERM);
    fake.until_asked(Route::Suspend, 1);
    let new = front.ask_session();
    assert!(front.refused(new).contains("ending"));
    let prompt = front.ask_prompt(&session, "hello");
    assert!(front.refused(prompt).contains("ending"));
    fake.open("suspend");
    front.wait().assert_status(0);
    assert_eq!(
        (fake.count(Route::Create), fake.count(Route::Prompt)),
        (1, 0)
    );
}

#[test]
fn case_60_a_daemon_that_cannot_be_reached_at_the_end() {
    let scene = Scene::new()
        .limit("START_LIMIT", 300)
        .limit("FOLLOW_LIMIT", 100);
    let mut fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let mut sessions = [front.session(), front.session()];
    sessions.sort();
    fake.stop();
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&["--on-exit destroy did not complete", "left as they were"]);
    ended.assert_says(&[&format!("{}, {}", sessions[0], sessions[1])]);
}

#[test]
fn case_62_a_session_that_still_starts_at_the_end() {
    for (policy, state) in [("destroy", None), ("suspend", Some(Stored::Stopped))] {
        let scene = Scene::new();
        let fake = scene.fake();
        fake.with(|state| {
            state.born.push_back(Box::new(|session| {
                become_state(session, Stored::Provisioning)
            }));
        });
        let mut front = scene.front(&["--on-exit", policy]);
        front.ask_session();
        fake.until_asked(Route::Look, 1);
        front.end().assert_status(0);
        let left = fake.with(|state| {
            let left = state.sessions.values().next();
            left.map(|session| session.view.state)
        });
        assert_eq!(left, state, "{policy}");
    }
}

/// A client that is killed closes both pipes at once, and hears no answer to what it asked.
#[test]
fn case_46_a_client_that_is_killed_mid_turn_is_no_failure() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    front.stop_reading();
    front.end().assert_status(0);
    assert_eq!(fake.count(Route::Interrupt), 1);
}

#[test]
fn a_broken_connection_and_a_failed_policy_are_both_told() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Suspend, [Reply::refuse(409, "unpublished work")]);
    let mut front = scene.front(&["--on-exit", "suspend"]);
    front.session();
    front.stop_reading();
    // The answer has no reader: that is how the front notices.
    front.request("initialize", serde_json::json!({"protocolVersion": 1}));
    let ended = front.wait();
    ended.assert_status(1);
    ended.assert_says(&["serving the client failed", "unpublished work"]);
}
