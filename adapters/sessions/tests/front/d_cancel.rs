//! Cases 39 to 45: `session/cancel`.

use acp_sessions::api::{Outcome, SessionId};
use serde_json::json;

use crate::support::{
    Reply, Route, Scene, Turn,
    state::{FakeSession, idle},
};

#[test]
fn case_39_a_cancel_is_heard_while_the_turn_runs() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    assert!(!front.is_answered(prompt));
    front.cancel(&session);
    assert_eq!(front.stop_reason(prompt), "cancelled");
    assert_eq!(fake.count(Route::Interrupt), 1);
    assert_eq!(fake.last(Route::Interrupt).body["turn_id"], 1);
    front.end().assert_status(0);
}

#[test]
fn case_40_a_prompt_that_is_held_is_withdrawn() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Prompt, [Reply::Gate("held"), Reply::Usual]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Prompt, 1);
    // The interrupt withdraws it: the daemon answers both.
    fake.script(Route::Interrupt, [Reply::Say(202, json!({}))]);
    front.cancel(&session);
    fake.until_asked(Route::Interrupt, 1);
    assert!(fake.last(Route::Interrupt).body.get("turn_id").is_none());
    let withdrawn = json!({"error": "the prompt was withdrawn", "code": "withdrawn"});
    fake.with(|state| state.withdrawn = Some(withdrawn));
    fake.open("held");
    assert_eq!(front.stop_reason(prompt), "cancelled");
    assert_eq!((fake.count(Route::Wait), fake.count(Route::Prompt)), (0, 1));
    assert_eq!(front.prompt(&session, "again"), "end_turn");
    front.end().assert_status(0);
}

#[test]
fn case_41_an_interrupt_is_sent_again_until_it_is_taken() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let refused = Reply::refuse(409, "there is no turn to cancel");
    fake.script(Route::Interrupt, [refused.clone(), refused]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    front.cancel(&session);
    assert_eq!(front.stop_reason(prompt), "cancelled");
    assert_eq!(fake.count(Route::Interrupt), 3);
    front.end().assert_status(0);
}

#[test]
fn case_42_work_that_was_delivered_is_never_called_cancelled() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Ends(Outcome::Finished, Some("delivered"), None)]);
    fake.script(Route::Wait, [Reply::Gate("end")]);
    fake.script(
        Route::Interrupt,
        (0..1_000).map(|_| Reply::refuse(500, "a fault")),
    );
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    front.cancel(&session);
    fake.until_asked(Route::Interrupt, 2);
    fake.open("end");
    assert_eq!(front.stop_reason(prompt), "end_turn");
    assert_eq!(front.messages(), ["delivered"]);
    front.end().assert_status(0);
}

#[test]
fn case_43_a_turn_that_fails_while_it_is_cancelled() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Error)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    front.cancel(&session);
    assert_eq!(front.stop_reason(prompt), "cancelled");
    front.end().assert_status(0);
}

#[test]
fn case_44_a_cancel_without_a_prompt_does_nothing() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&[]);
    let session = front.session();
    front.cancel(&session);
    assert_eq!(front.prompt(&session, "hello"), "end_turn");
    front.cancel(&session);
    assert_eq!(front.prompt(&session, "again"), "end_turn");
    assert_eq!(fake.count(Route::Interrupt), 0);
    front.end().assert_status(0);
}

#[test]
fn case_45_a_cancel_of_somebody_elses_session_does_nothing() {
    let scene = Scene::new();
    let fake = scene.fake();
    let foreign = SessionId::random();
    fake.with(|state| {
        let session = FakeSession {
            view: idle(&foreign),
            looks: [].into(),
            turns: vec![(Turn::Runs(Outcome::Cancelled), false)],
        };
        state.sessions.insert(foreign.clone(), session);
    });
    let mut front = scene.front(&[]);
    let session = front.session();
    front.cancel(foreign.as_str());
    front.cancel("no id");
    assert_eq!(front.prompt(&session, "hello"), "end_turn");
    front.end().assert_status(0);
    assert_eq!(fake.count(Route::Interrupt), 0);
}

#[test]
fn a_cancel_that_is_written_with_its_prompt_is_never_missed() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns((0..20).map(|_| Turn::Runs(Outcome::Cancelled)));
    let mut front = scene.front(&[]);
    let session = front.session();
    for _ in 0..20 {
        let block = json!({"type": "text", "text": "hello"});
        let params = json!({"sessionId": session, "prompt": [block]});
        let id = front.next_id();
        let prompt =
            json!({"jsonrpc": "2.0", "id": id, "method": "session/prompt", "params": params});
        let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel",
            "params": {"sessionId": session}});
        front.write(&format!("{prompt}\n{cancel}"));
        assert_eq!(front.stop_reason(id), "cancelled");
    }
    assert!(fake.with(|state| state.made(0).turns.iter().all(|(_, over)| *over)));
    front.end().assert_status(0);
}

#[test]
fn a_cancel_of_the_request_is_a_cancel_of_the_turn() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    front.notify("$/cancel_request", json!({"requestId": prompt}));
    assert_eq!(front.stop_reason(prompt), "cancelled");
    front.end().assert_status(0);
}
