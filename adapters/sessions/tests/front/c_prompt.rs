//! Cases 26 to 38: `session/prompt`.

use acp_sessions::api::{LifecycleError, Outcome, SessionId, State as Stored};
use serde_json::json;

use crate::support::{
    Reply, Route, Scene, Turn,
    state::{FakeSession, fail, idle},
};

#[test]
fn case_26_only_text_is_sent_and_all_of_it() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&[]);
    let session = front.session();
    let link = json!({"type": "resource_link", "name": "a", "uri": "file:///a"});
    let image = json!({"type": "image", "mimeType": "image/png", "data": ""});
    let text = |text: &str| json!({"type": "text", "text": text});
    for (prompt, sent) in [
        (json!([text("one"), text("two")]), "one\ntwo"),
        (json!([text("one"), link, image]), "one"),
    ] {
        let params = json!({"sessionId": session, "prompt": prompt});
        front.call("session/prompt", params);
        assert_eq!(fake.last(Route::Prompt).body["text"], sent);
    }
    front.end().assert_status(0);
}

#[test]
fn case_27_without_text_there_is_nothing_to_run() {
    let scene = Scene::new();
    let fake = scene.fake();
    let mut front = scene.front(&[]);
    let session = front.session();
    let link = json!({"type": "resource_link", "name": "a", "uri": "file:///a"});
    for prompt in [
        json!([]),
        json!([{"type": "text", "text": " \n\t"}]),
        json!([link]),
    ] {
        let params = json!({"sessionId": session, "prompt": prompt});
        let id = front.request("session/prompt", params);
        assert!(front.refused(id).contains("no text"));
    }
    assert_eq!(fake.count(Route::Prompt), 0);
    front.end().assert_status(0);
}

#[test]
fn case_28_sessions_of_others_are_not_prompted() {
    let scene = Scene::new();
    let fake = scene.fake();
    let foreign = SessionId::random();
    fake.with(|state| {
        let session = FakeSession {
            view: idle(&foreign),
            looks: [].into(),
            turns: Vec::new(),
        };
        state.sessions.insert(foreign.clone(), session);
    });
    let mut front = scene.front(&[]);
    front.session();
    for id in [foreign.as_str(), "no id at all"] {
        let prompt = front.ask_prompt(id, "hello");
        let message = front.refused(prompt);
        assert!(message.contains(id), "{message}");
        assert!(message.contains("not created by this adapter"), "{message}");
    }
    assert_eq!(fake.count(Route::Prompt), 0);
    front.end().assert_status(0);
}

#[test]
fn case_29_a_finished_turn() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([
        Turn::Ends(Outcome::Finished, Some("the whole answer"), None),
        Turn::Ends(Outcome::Finished, Some(" \n"), None),
    ]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    assert_eq!(front.stop_reason(prompt), "end_turn");
    assert_eq!(front.messages(), ["the whole answer"]);
    let update = front
        .said
        .iter()
        .position(|said| said["method"] == "session/update");
    let answer = front.said.iter().position(|said| said["id"] == prompt);
    assert!(update < answer, "the answer overtook the message");
    assert_eq!(front.said[update.unwrap()]["params"]["sessionId"], *session);
    let wait = fake.last(Route::Wait);
    assert_eq!(wait.body["turn_id"], 1);
    assert_eq!(wait.body["return_on_input"], true);
    // A blank message is none.
    assert_eq!(front.prompt(&session, "again"), "end_turn");
    assert_eq!(front.messages().len(), 1);
    front.end().assert_status(0);
}

#[test]
fn case_30_everything_else_is_a_refusal() {
    let scene = Scene::new();
    let fake = scene.fake();
    let said = Some("what the agent said");
    fake.turns([
        Turn::Ends(Outcome::Error, said, Some("the cause")),
        Turn::Ends(Outcome::Error, None, Some("the cause")),
        Turn::Ends(Outcome::QuotaLimit, said, None),
        Turn::Ends(Outcome::Stopped, None, None),
        Turn::Runs(Outcome::Cancelled),
    ]);
    let mut front = scene.front(&["--turn-timeout", "1"]);
    let session = front.session();
    let mut told = Vec::new();
    for message in [said, Some("the cause"), said, None] {
        assert_eq!(front.prompt(&session, "hello"), "refusal");
        told.extend(message);
        assert_eq!(front.messages(), told);
    }
    // Out of time: stopped first, then answered.
    assert_eq!(front.prompt(&session, "hello"), "refusal");
    assert_eq!(fake.count(Route::Interrupt), 1);
    assert!(fake.with(|state| state.made(0).turns.iter().all(|(_, over)| *over)));
    front.end().assert_status(0);
}

#[test]
fn case_31_interrupted_by_somebody_else() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Ends(Outcome::Cancelled, None, None)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    assert_eq!(front.prompt(&session, "hello"), "cancelled");
    assert_eq!(fake.count(Route::Interrupt), 0);
    front.end().assert_status(0);
}

#[test]
fn case_32_a_question_ends_the_turn_with_an_error() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Asks("Which branch should I target?")]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    let message = front.refused(prompt);
    assert!(
        message.contains("Which branch should I target?"),
        "{message}"
    );
    assert!(message.contains(&session), "{message}");
    assert_eq!(fake.count(Route::Interrupt), 1);
    assert_eq!(fake.last(Route::Interrupt).body["turn_id"], 1);
    assert_eq!(front.prompt(&session, "again"), "end_turn");
    front.end().assert_status(0);
}

#[test]
fn case_33_an_unknown_stop_reason_is_no_end_of_turn() {
    let scene = Scene::new();
    let fake = scene.fake();
    let why = "the harness stopped with the unknown reason \"tired\"";
    fake.turns([Turn::Ends(Outcome::Error, None, Some(why))]);
    let mut front = scene.front(&[]);
    let session = front.session();
    assert_eq!(front.prompt(&session, "hello"), "refusal");
    assert_eq!(front.messages(), [why]);
    front.end().assert_status(0);
}

#[test]
fn case_34_a_prompt_that_the_daemon_refuses() {
    let scene = Scene::new();
    let fake = scene.fake();
    let reasons = ["at most 65536 characters", "must not begin with `!`"];
    fake.script(
        Route::Prompt,
        reasons.map(|reason| Reply::refuse(400, reason)),
    );
    let mut front = scene.front(&[]);
    let session = front.session();
    for (text, reason) in [
        ("x".repeat(65_537), reasons[0]),
        ("!ls".to_owned(), reasons[1]),
    ] {
        let prompt = front.ask_prompt(&session, &text);
        assert!(front.refused(prompt).contains(reason));
    }
    assert_eq!(fake.count(Route::Wait), 0);
    assert_eq!(fake.with(|state| state.made(0).turns.len()), 0);
    front.end().assert_status(0);
}

#[test]
fn case_35_an_old_failure_of_the_session_does_not_fail_a_turn() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| {
        state.born.push_back(Box::new(|session| {
            fail(
                session,
                Stored::Running,
                LifecycleError::Suspend,
                "an old failure",
            );
        }));
    });
    let mut front = scene.front(&[]);
    let session = front.session();
    assert_eq!(front.prompt(&session, "hello"), "end_turn");
    front.end().assert_status(0);
}

#[test]
fn case_36_a_turn_that_outlasts_the_wait() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Finished)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let view = idle(&fake.made(0));
    let timeout = Reply::Say(200, json!({"outcome": "timeout", "session": view}));
    fake.script(Route::Wait, [timeout.clone(), timeout]);
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 3);
    front.initialize();
    assert!(!front.is_answered(prompt));
    fake.with(|state| state.made(0).turns[0].1 = true);
    assert_eq!(front.stop_reason(prompt), "end_turn");
    let waits = fake.with(|state| {
        let waits = state.calls.iter().filter(|call| call.route == Route::Wait);
        waits
            .map(|call| call.body["turn_id"].clone())
            .collect::<Vec<_>>()
    });
    assert_eq!(waits, [json!(1), json!(1), json!(1)]);
    assert_eq!(
        (fake.count(Route::Prompt), fake.count(Route::Interrupt)),
        (1, 0)
    );
    front.end().assert_status(0);
}

#[test]
fn case_37_a_daemon_that_is_replaced_during_the_turn() {
    let scene = Scene::new();
    let mut fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Finished)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    fake.until_asked(Route::Wait, 1);
    // It breaks off all connections, and is found elsewhere.
    fake.restart(Some("1"));
    fake.until_asked(Route::Wait, 2);
    // The next one says that it is going.
    let leaving = json!({"error": "the daemon is ending", "code": "shutting_down"});
    fake.script(Route::Wait, [Reply::Say(503, leaving)]);
    fake.restart(Some("1"));
    fake.until_asked(Route::Wait, 4);
    fake.with(|state| state.made(0).turns[0].1 = true);
    assert_eq!(front.stop_reason(prompt), "end_turn");
    assert_eq!(fake.count(Route::Prompt), 1);
    assert_eq!(fake.last(Route::Wait).body["turn_id"], 1);
    front.end().assert_status(0);
}

#[test]
fn case_38_two_sessions_run_side_by_side() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Finished), Turn::Runs(Outcome::Finished)]);
    let mut front = scene.front(&[]);
    let sessions = [front.session(), front.session()];
    let prompts = [0, 1].map(|index| front.ask_prompt(&sessions[index], "hello"));
    fake.until_asked(Route::Wait, 2);
    for index in [1, 0] {
        fake.with(|state| state.made(index).turns[0].1 = true);
        assert_eq!(front.stop_reason(prompts[index]), "end_turn");
    }
    front.end().assert_status(0);
}

#[test]
fn a_second_prompt_on_one_session_is_refused() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.turns([Turn::Runs(Outcome::Cancelled)]);
    let mut front = scene.front(&[]);
    let session = front.session();
    let first = front.ask_prompt(&session, "hello");
    let second = front.ask_prompt(&session, "hello");
    assert!(front.refused(second).contains("busy"));
    front.cancel(&session);
    assert_eq!(front.stop_reason(first), "cancelled");
    assert_eq!(fake.count(Route::Prompt), 1);
    assert_eq!(front.prompt(&session, "again"), "end_turn");
    front.end().assert_status(0);
}

#[test]
fn a_lost_reply_to_a_prompt_makes_no_second_turn() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Prompt, [Reply::Lost]);
    let mut front = scene.front(&[]);
    let session = front.session();
    assert_eq!(front.prompt(&session, "hello"), "end_turn");
    assert_eq!(fake.count(Route::Prompt), 2);
    assert_eq!(fake.with(|state| state.made(0).turns.len()), 1);
    front.end().assert_status(0);
}

#[test]
fn a_turn_that_cannot_be_stopped_is_told_of_and_not_forgotten() {
    let scene = Scene::new().limit("TURN_SETTLE", 1_500);
    let fake = scene.fake();
    fake.turns([Turn::Asks("Which one?")]);
    fake.script(
        Route::Interrupt,
        (0..200).map(|_| Reply::refuse(409, "not yet")),
    );
    let mut front = scene.front(&[]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "hello");
    let message = front.refused(prompt);
    assert!(
        message.contains("Which one?") && message.contains("does not stop"),
        "{message}"
    );
    // It may still run, so the end of the front interrupts it again.
    fake.with(|state| state.replies.clear());
    front.end().assert_status(0);
    assert!(fake.with(|state| state.made(0).turns[0].1), "it still runs");
}
