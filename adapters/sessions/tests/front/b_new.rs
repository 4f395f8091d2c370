//! Cases 11 to 25: `session/new`.

use acp_sessions::api::{LifecycleError, State as Stored};
use serde_json::json;

use crate::support::{
    Reply, Route, Scene,
    state::{become_state, fail},
};

const AT: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn case_11_a_bundle_or_the_directory_of_the_client() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&[]);
    front.session();
    let body = fake.last(Route::Create).body;
    assert_eq!(body["project_directory"], "/");
    assert!(body.get("bundle_id").is_none(), "{body}");
    front.end().assert_status(0);

    let mut front = scene.front(&["--bundle", "b", "--profile", "p", "--target", "t"]);
    front.session();
    let body = fake.last(Route::Create).body;
    assert!(body.get("project_directory").is_none(), "{body}");
    for (member, value) in [("bundle_id", "b"), ("profile_id", "p"), ("target_id", "t")] {
        assert_eq!(body[member], value);
    }
    front.end().assert_status(0);
}

#[test]
fn case_12_only_what_was_given_is_asked_for() {
    let scene = Scene::new();
    let fake = scene.fake();
    let flags = ["--bundle", "b", "--at", AT, "--branch", "work"];
    let mut front = scene.front(&flags);
    front.session();
    let body = fake.last(Route::Create).body;
    assert_eq!((&body["at"], &body["branch"]), (&json!(AT), &json!("work")));
    for absent in [
        "base",
        "expected_runtime_identity",
        "profile_id",
        "target_id",
        "title",
    ] {
        assert!(body.get(absent).is_none(), "{absent} in {body}");
    }
    front.end().assert_status(0);
}

#[test]
fn case_13_a_session_that_starts_keeps_nobody_else_waiting() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            become_state(session, Stored::Provisioning)
        }));
    });
    let mut front = scene.front(&[]);
    let first = front.ask_session();
    fake.until_asked(Route::Look, 3);
    let second = front.session();
    front.initialize();
    assert_eq!(second, fake.made(1).to_string());
    assert!(!front.is_answered(first));
    fake.with(|state| become_state(&mut state.made(0).view, Stored::Running));
    let answer = front.answer(first);
    let first = answer["result"]["sessionId"].as_str().unwrap();
    assert_eq!(first, fake.made(0).as_str());
    assert_eq!(front.prompt(first, "hello"), "end_turn");
    front.end().assert_status(0);
}

#[test]
fn case_14_live_is_not_ready() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state
            .born
            .push_back(Box::new(|session| become_state(session, Stored::Launching)));
    });
    let mut front = scene.front(&[]);
    let new = front.ask_session();
    fake.until_asked(Route::Look, 5);
    front.initialize();
    assert!(!front.is_answered(new));
    fake.with(|state| become_state(&mut state.made(0).view, Stored::Running));
    assert!(front.answer(new).get("result").is_some());
    front.end().assert_status(0);
}

#[test]
fn case_15_a_failed_launch_names_the_session_and_the_cause() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            fail(
                session,
                Stored::Error,
                LifecycleError::Launch,
                "container could not start",
            );
        }));
    });
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let new = front.ask_session();
    let message = front.refused(new);
    let id = fake.made(0).to_string();
    for wanted in [id.as_str(), "failed", "container could not start"] {
        assert!(message.contains(wanted), "no {wanted:?} in {message}");
    }
    assert_eq!(fake.count(Route::Prompt), 0);
    front.end().assert_status(0);
    assert!(
        fake.with(|state| state.sessions.is_empty()),
        "it was not owned"
    );
}

#[test]
fn case_16_a_commit_that_is_not_there() {
    let scene = Scene::new();
    let fake = scene.fake();
    let cause = format!("the commit {AT} is not available from the origin");
    fake.with(|state| {
        state.born.push_back(Box::new(move |session| {
            fail(session, Stored::Error, LifecycleError::Launch, &cause);
        }));
    });
    let mut front = scene.front(&["--bundle", "b", "--at", AT, "--on-exit", "suspend"]);
    let new = front.ask_session();
    assert!(front.refused(new).contains(AT));
    front.end().assert_status(0);
    assert_eq!(fake.count(Route::Suspend), 1);
}

#[test]
fn case_17_a_session_that_disappears_while_it_starts() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            become_state(session, Stored::Provisioning)
        }));
    });
    let mut front = scene.front(&[]);
    let new = front.ask_session();
    fake.until_asked(Route::Look, 1);
    fake.with(|state| state.sessions.clear());
    assert!(front.refused(new).contains("disappeared"));
    front.end().assert_status(0);
}

#[test]
fn case_18_a_session_that_never_becomes_ready() {
    let scene = Scene::new().limit("READINESS_LIMIT", 300);
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            become_state(session, Stored::Provisioning)
        }));
    });
    let mut front = scene.front(&[]);
    let new = front.ask_session();
    let message = front.refused(new);
    let id = fake.made(0).to_string();
    for wanted in [
        &id,
        "0.3 s",
        &format!("acp-sessions sessions --session {id}"),
    ] {
        assert!(message.contains(wanted), "no {wanted:?} in {message}");
    }
    front.end().assert_status(0);
    let touched = [Route::Interrupt, Route::Suspend, Route::Destroy];
    assert!(touched.iter().all(|route| fake.count(*route) == 0));
}

#[test]
fn case_19_a_workspace_that_is_unknown_by_now() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&[]);
    front.initialize();
    fake.with(|state| state.workspaces[0].name = "renamed".to_owned());
    let new = front.ask_session();
    let message = front.refused(new);
    for wanted in [
        "unknown workspace \"editor\"",
        "renamed",
        "workspaces create",
    ] {
        assert!(message.contains(wanted), "no {wanted:?} in {message}");
    }
    assert_eq!(fake.count(Route::Create), 0);
    front.end().assert_status(1);
}

#[test]
fn case_20_nothing_but_refusals_is_a_failure_with_the_first_of_them() {
    let scene = Scene::new();
    let fake = scene.fake();
    let refusals = ["the first reason", "the second reason"];
    fake.script(
        Route::Create,
        refusals.map(|reason| Reply::refuse(409, reason)),
    );
    let mut front = scene.front(&[]);
    for reason in refusals {
        let new = front.ask_session();
        assert!(front.refused(new).contains(reason));
    }
    let ended = front.end();
    ended.assert_status(1);
    ended.assert_says(&["the first reason"]);
    assert!(!ended.stderr.contains("the second reason"));
}

#[test]
fn case_21_one_session_is_enough_for_success() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Create, [Reply::refuse(409, "not now")]);
    let mut front = scene.front(&[]);
    let new = front.ask_session();
    front.refused(new);
    front.session();
    front.end().assert_status(0);
}

#[test]
fn case_22_a_client_that_leaves_while_its_session_starts() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            become_state(session, Stored::Provisioning)
        }));
    });
    let mut front = scene.front(&[]);
    front.ask_session();
    fake.until_asked(Route::Look, 1);
    front.end().assert_status(0);
    assert_eq!(fake.with(|state| state.sessions.len()), 1);
    let lifecycle = [Route::Suspend, Route::Destroy, Route::Interrupt];
    assert!(lifecycle.iter().all(|route| fake.count(*route) == 0));
}

#[test]
fn case_23_a_full_daemon_is_waited_for_with_one_notice() {
    let scene = Scene::new();
    let fake = scene.fake();
    let full = json!({"error": "full", "code": "full", "running_actions": 4, "action_limit": 4});
    fake.script(
        Route::Create,
        [Reply::Say(429, full.clone()), Reply::Say(429, full)],
    );
    let mut front = scene.front(&[]);
    front.session();
    assert_eq!(fake.count(Route::Create), 3);
    let ended = front.end();
    ended.assert_status(0);
    assert_eq!(
        ended.stderr.matches("waiting for the daemon").count(),
        1,
        "{}",
        ended.stderr
    );
}

#[test]
fn case_25_members_of_the_api_reach_the_client_as_flags() {
    let scene = Scene::new();
    let fake = scene.fake();
    let reason = "`profile_id` names an unknown profile \"x\"";
    fake.script(Route::Create, [Reply::refuse(400, reason)]);
    let mut front = scene.front(&["--profile", "x"]);
    let new = front.ask_session();
    let message = front.refused(new);
    assert!(message.contains("`--profile` names"), "{message}");
    assert!(!message.contains("profile_id"), "{message}");
}

#[test]
fn a_lost_reply_makes_no_orphan_and_no_second_session() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Create, [Reply::Lost]);
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let session = front.session();
    assert_eq!(session, fake.made(0).to_string());
    assert_eq!(fake.count(Route::Create), 2);
    assert_eq!(fake.with(|state| state.order.len()), 1);
    front.end().assert_status(0);
    assert!(fake.with(|state| state.sessions.is_empty()));
}

#[test]
fn a_cancelled_request_for_a_session_is_answered_at_once_and_the_session_owned() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            become_state(session, Stored::Provisioning)
        }));
    });
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let new = front.ask_session();
    fake.until_asked(Route::Look, 1);
    front.notify("$/cancel_request", json!({"requestId": new}));
    assert_eq!(front.answer(new)["error"]["code"], -32800);
    front.end().assert_status(0);
    assert!(fake.with(|state| state.sessions.is_empty()));
}
