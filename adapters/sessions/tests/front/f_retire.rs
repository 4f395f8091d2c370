//! Cases 48 to 56 and 61: what `--on-exit suspend` and `destroy` do with a session.

use acp_sessions::api::{LifecycleError, Outcome, Session, SessionId, State as Stored};
use serde_json::json;

use crate::support::{
    Fake, Reply, Route, Scene, Turn,
    state::{become_state, fail, idle},
};

const SENTENCE: &str = "the suspension did not finish: the archive was damaged";

/// The next looks at the only session see these states; the last one stays.
fn looks(fake: &Fake, states: impl IntoIterator<Item = Session>) {
    let mut looks: Vec<_> = states.into_iter().collect();
    fake.with(|state| {
        let session = state.made(0);
        session.view = looks.pop().unwrap();
        session.looks = looks.into_iter().map(Some).collect();
    });
}

fn in_state(id: &SessionId, state: Stored) -> Session {
    let mut session = idle(id);
    become_state(&mut session, state);
    session
}

fn failed(id: &SessionId, state: Stored, kind: LifecycleError, error: &str) -> Session {
    let mut session = idle(id);
    fail(&mut session, state, kind, error);
    session
}

#[test]
fn case_48_a_suspension() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let mut front = scene.front(&["--on-exit", "suspend"]);
    let session = front.session();
    front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    let id = fake.made(0);
    fake.script(
        Route::Suspend,
        [Reply::Say(202, json!({"lifecycle": "live"}))],
    );
    let live = || in_state(&id, Stored::Running);
    let closing = in_state(&id, Stored::Closing);
    looks(
        &fake,
        [
            live(),
            live(),
            live(),
            closing,
            in_state(&id, Stored::Stopped),
        ],
    );
    front.end().assert_status(0);
    let asked: Vec<_> = fake.with(|state| {
        let routes = state.calls.iter().map(|call| call.route);
        routes
            .filter(|route| [Route::Interrupt, Route::Suspend].contains(route))
            .collect()
    });
    assert_eq!(asked, [Route::Interrupt, Route::Suspend]);
    let body = fake.last(Route::Suspend).body;
    assert_eq!(body, json!({"acknowledge_unpublished_work": false}));
    assert!(fake.with(|state| state.made(0).looks.is_empty()));
}

#[test]
fn case_49_a_suspension_that_is_refused() {
    let scene = Scene::new();
    let fake = scene.fake();
    let reason = "its git work is not verified as published; \
        acp-sessions suspend --acknowledge-unpublished-work releases it anyway";
    fake.script(Route::Suspend, [Reply::refuse(409, reason)]);
    let mut front = scene.front(&["--on-exit", "suspend"]);
    let session = front.session();
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&[
        "--on-exit suspend did not complete",
        &session,
        "suspension was refused",
    ]);
    ended.assert_says(&["left live", "--acknowledge-unpublished-work"]);
    ended.assert_says(&[&format!("acp-sessions suspend --session {session}")]);
    assert_eq!(fake.with(|state| state.made(0).view.state), Stored::Running);
}

#[test]
fn case_50_a_suspension_that_was_taken_up_and_failed() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "suspend"]);
    let session = front.session();
    let id = fake.made(0);
    fake.script(
        Route::Suspend,
        [Reply::Say(202, json!({"lifecycle": "suspending"}))],
    );
    let live = || in_state(&id, Stored::Running);
    let closing = in_state(&id, Stored::Closing);
    let back = failed(&id, Stored::Running, LifecycleError::Suspend, SENTENCE);
    looks(&fake, [live(), live(), closing, back]);
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&[&session, SENTENCE, "still running", "left live"]);
}

#[test]
fn the_same_failure_as_before_is_noticed_again() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "suspend"]);
    front.session();
    let id = fake.made(0);
    // It failed like this before, and does again, faster than anybody looks.
    fake.script(
        Route::Suspend,
        [Reply::Say(202, json!({"lifecycle": "suspending"}))],
    );
    let back = || failed(&id, Stored::Running, LifecycleError::Suspend, SENTENCE);
    looks(&fake, [back(), back(), back()]);
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&[SENTENCE]);
}

#[test]
fn case_51_a_suspension_that_never_finishes() {
    let scene = Scene::new().limit("OPERATION_LIMIT", 1_500);
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "suspend"]);
    let session = front.session();
    let id = fake.made(0);
    fake.script(
        Route::Suspend,
        [Reply::Say(202, json!({"lifecycle": "suspending"}))],
    );
    let live = || in_state(&id, Stored::Running);
    looks(&fake, [live(), live(), in_state(&id, Stored::Closing)]);
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&[
        &session,
        "1.5 s",
        "left suspending",
        "acp-sessions sessions --session",
    ]);
}

#[test]
fn case_52_a_session_that_is_suspended_already() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "suspend"]);
    front.session();
    let id = fake.made(0);
    looks(&fake, [in_state(&id, Stored::Stopped)]);
    front.end().assert_status(0);
    assert_eq!(fake.count(Route::Suspend), 0);
}

#[test]
fn case_53_a_destruction() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    front.session();
    let id = fake.made(0);
    let mut working = idle(&id);
    working.chat_phase = acp_sessions::api::ChatPhase::Running;
    working.is_idle = false;
    looks(
        &fake,
        [
            working.clone(),
            working,
            in_state(&id, Stored::Closing),
            idle(&id),
        ],
    );
    front.end().assert_status(0);
    assert_eq!(
        fake.last(Route::Destroy).body,
        json!({"delete_branch": false})
    );
    assert!(fake.with(|state| state.sessions.is_empty()));
    // All looks were taken before it was asked for.
    let before = fake.with(|state| {
        let destroy = state
            .calls
            .iter()
            .position(|call| call.route == Route::Destroy);
        let before = &state.calls[..destroy.unwrap()];
        before
            .iter()
            .filter(|call| call.route == Route::Look)
            .count()
    });
    assert!(before >= 5, "{before} looks");
}

#[test]
fn case_54_a_turn_that_does_not_stop_is_not_destroyed_under() {
    let scene = Scene::new()
        .limit("TURN_SETTLE", 400)
        .limit("LAST_TURNS", 200);
    let fake = scene.fake();
    fake.turns([Turn::Deaf]);
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let session = front.session();
    front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&[&session, "did not stop", "was not destroyed"]);
    ended.assert_says(&[&format!("acp-sessions destroy --session {session}")]);
    assert_eq!(fake.count(Route::Destroy), 0);
}

#[test]
fn case_55_an_old_failure_is_not_the_outcome() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            fail(
                session,
                Stored::Error,
                LifecycleError::Launch,
                "an old failure",
            );
        }));
    });
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let new = front.ask_session();
    front.refused(new);
    let id = fake.made(0);
    // Admitted, but nothing is seen of it yet.
    fake.script(
        Route::Destroy,
        [Reply::Say(202, json!({"lifecycle": "failed"}))],
    );
    let old = failed(&id, Stored::Error, LifecycleError::Launch, "an old failure");
    fake.with(|state| {
        let session = state.made(0);
        session.looks = (0..5).map(|_| Some(old.clone())).chain([None]).collect();
    });
    front.end().assert_status(0);
    assert!(fake.with(|state| state.made(0).looks.is_empty()));
}

#[test]
fn a_destruction_that_fails() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let session = front.session();
    let id = fake.made(0);
    let reply = Reply::Say(202, json!({"lifecycle": "suspending"}));
    fake.script(Route::Destroy, [reply]);
    let cause = "the destruction did not finish: the host is gone";
    let live = || in_state(&id, Stored::Running);
    let back = failed(&id, Stored::Error, LifecycleError::Destroy, cause);
    looks(
        &fake,
        [live(), live(), in_state(&id, Stored::Destroying), back],
    );
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&[&session, cause, "left failed"]);
}

#[test]
fn case_56_one_that_is_refused_keeps_no_other() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let sessions = [front.session(), front.session()];
    fake.script(Route::Destroy, [Reply::refuse(409, "something holds it")]);
    let ended = front.end();
    ended.assert_status(1);
    let left: Vec<_> = fake.with(|state| state.sessions.keys().map(|id| id.to_string()).collect());
    assert_eq!(left.len(), 1);
    ended.assert_says(&[&left[0], "something holds it", "left as it was"]);
    let gone = sessions.iter().find(|id| **id != left[0]).unwrap();
    assert!(!ended.stderr.contains(gone), "{}", ended.stderr);
}

#[test]
fn case_61_a_session_that_somebody_else_destroyed() {
    for (policy, status) in [("destroy", 0), ("suspend", 1)] {
        let scene = Scene::new();
        let fake = scene.fake();
        let mut front = scene.front(&["--on-exit", policy]);
        let session = front.session();
        fake.with(|state| state.sessions.clear());
        let ended = front.end();
        ended.assert_status(status);
        if status == 1 {
            ended.assert_says(&[&session, "does not exist any more"]);
        }
    }
}

#[test]
fn a_lost_reply_to_the_policy_is_asked_for_again() {
    for (policy, route) in [("destroy", Route::Destroy), ("suspend", Route::Suspend)] {
        let scene = Scene::new();
        let fake = scene.fake();
        fake.script(route, [Reply::Lost]);
        let mut front = scene.front(&["--on-exit", policy]);
        front.session();
        front.end().assert_status(0);
        assert_eq!(fake.count(route), 2, "{policy}");
    }
}
