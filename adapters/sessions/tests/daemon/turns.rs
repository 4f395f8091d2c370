//! Prompts, waits, interrupts, questions, transcripts.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::support::{Scene, until};

/// A scene with a running daemon and a ready session.
macro_rules! ready {
    ($scene:ident, $daemon:ident, $id:ident) => {
        let $scene = Scene::new();
        let $daemon = $scene.start();
        let $id = $daemon.ready();
    };
}

fn pair(role: &str, text: &str) -> (String, String) {
    (role.to_owned(), text.to_owned())
}

#[test]
fn a_finished_turn_has_its_answer_and_its_transcript() {
    ready!(scene, daemon, id);
    let script = "think hm\nsay before\ntool c Look\nplan one|two\nsay ans\nsay wer\ntool c Looked";
    let answer = daemon.run(&id, script);
    assert_eq!(answer["outcome"], "finished");
    assert_eq!(answer["stop_reason"], "end_turn");
    assert_eq!(answer["final_message"], "answer");
    assert_eq!(answer["turn_id"], 1);
    assert_eq!(answer["session"]["is_idle"], true);
    assert_eq!(
        daemon.said(&id),
        [
            pair("user", script),
            pair("thought", "hm"),
            pair("agent", "before"),
            pair("tool", "Looked"),
            pair("plan", "[ ] one\n[ ] two"),
            pair("agent", "answer"),
        ]
    );
    let session = daemon.session(&id);
    assert_eq!(session["title"], "think hm");
    assert_eq!(session["last_turn_outcome"], "finished");
    drop(scene);
}

#[test]
fn turns_run_in_the_order_of_their_acceptance() {
    ready!(scene, daemon, id);
    let gate = scene.text("gate");
    let first = daemon.prompt(&id, &format!("wait-file {gate}\nsay one"));
    let second = daemon.prompt(&id, "say two");
    assert_eq!((first, second), (1, 2));
    let session = daemon.session(&id);
    assert_eq!(
        (&session["chat_phase"], &session["is_idle"]),
        (&json!("running"), &json!(false))
    );
    fs::write(gate, "").unwrap();
    assert_eq!(daemon.wait(&id, 2)["final_message"], "two");
    assert_eq!(daemon.wait(&id, 1)["final_message"], "one");
}

#[test]
fn every_end_of_a_turn_has_its_outcome() {
    ready!(scene, daemon, id);
    //  script                       outcome        message
    let table = [
        ("stop end_turn", "finished", None),
        ("stop EndTurn", "finished", None),
        ("stop cancelled", "cancelled", None),
        ("stop quota_exceeded", "quota_limit", Some("quota_exceeded")),
        ("stop refusal", "error", Some("refusal")),
        ("stop of_tomorrow", "error", Some("of_tomorrow")),
        ("fail the model is gone", "error", Some("the model is gone")),
        (
            "fail usage limit reached",
            "quota_limit",
            Some("usage limit reached"),
        ),
    ];
    for (script, outcome, message) in table {
        let answer = daemon.run(&id, &format!("say why\n{script}"));
        assert_eq!(answer["outcome"], outcome, "{script}: {answer}");
        assert_eq!(answer["final_message"], "why", "{script}");
        match message {
            Some(words) => assert!(
                answer["message"].as_str().unwrap().contains(words),
                "{answer}"
            ),
            None => assert_eq!(answer["message"], Value::Null),
        }
    }
    drop(scene);
}

#[test]
fn an_interrupt_ends_the_turn_that_runs_and_no_other() {
    ready!(scene, daemon, id);
    let first = daemon.prompt(&id, "say begun\nwait-cancel");
    let second = daemon.prompt(&id, "say second");
    until("begun", || {
        daemon
            .said(&id)
            .contains(&pair("agent", "begun"))
            .then_some(())
    });
    daemon.interrupt(&id);
    let answer = daemon.wait(&id, first);
    assert_eq!(
        (&answer["outcome"], &answer["final_message"]),
        (&json!("cancelled"), &json!("begun"))
    );
    assert_eq!(daemon.wait(&id, second)["outcome"], "finished");
    drop(scene);
}

#[test]
fn an_interrupt_that_names_a_turn_never_hits_another_one() {
    ready!(scene, daemon, id);
    let interrupt = |turn: u64| {
        daemon.post(
            &format!("/sessions/{id}/interrupt-turn"),
            &json!({"turn_id": turn}),
        )
    };
    assert_eq!(daemon.run(&id, "say one")["outcome"], "finished");
    let second = daemon.prompt(&id, "wait-cancel");
    let third = daemon.prompt(&id, "say three");
    let refused = interrupt(1).refusal(409);
    assert_eq!(refused, format!("turn 1 of session {id} is not open"));
    // One that waits never runs.
    assert_eq!(interrupt(third).status, 202);
    let answer = daemon.wait(&id, third);
    assert_eq!(
        (&answer["outcome"], &answer["message"]),
        (&json!("cancelled"), &json!("interrupted before it ran"))
    );
    assert_eq!(interrupt(second).status, 202);
    assert_eq!(daemon.wait(&id, second)["outcome"], "cancelled");
    assert!(!daemon.said(&id).contains(&pair("user", "say three")));
    drop(scene);
}

#[test]
fn an_interrupt_at_any_moment_of_a_turn_ends_it() {
    ready!(scene, daemon, id);
    for _ in 0..30 {
        let turn = daemon.prompt(&id, "wait-cancel");
        daemon.interrupt(&id);
        let answer = daemon.wait(&id, turn);
        assert_eq!(answer["outcome"], "cancelled");
        // Not by the end of the harness.
        let message = answer["message"].as_str().unwrap_or_default();
        assert!(!message.contains("did not stop"), "{answer}");
    }
    drop(scene);
}

#[test]
fn without_anything_to_interrupt_it_is_refused() {
    ready!(scene, daemon, id);
    let answer = daemon.post(&format!("/sessions/{id}/interrupt-turn"), &Value::Null);
    assert_eq!(answer.json()["code"], "nothing_to_interrupt");
    assert!(
        answer
            .refusal(409)
            .contains("neither a turn nor a held prompt")
    );
    drop(scene);
}

#[test]
fn a_turn_that_finishes_although_interrupted_is_finished() {
    ready!(scene, daemon, id);
    let gate = scene.text("gate");
    // It does not look at the cancel any more.
    let turn = daemon.prompt(
        &id,
        &format!("sh while ! test -e {gate}; do sleep 0.01; done\nsay done"),
    );
    daemon.until(&id, "running", |session| session["chat_phase"] == "running");
    daemon.interrupt(&id);
    fs::write(gate, "").unwrap();
    let answer = daemon.wait(&id, turn);
    assert_eq!(
        (&answer["outcome"], &answer["final_message"]),
        (&json!("finished"), &json!("done"))
    );
}

#[test]
fn a_harness_that_ignores_the_interrupt_is_ended_and_started_again() {
    let scene = Scene::new().limit("INTERRUPT_GRACE", 100);
    let daemon = scene.start();
    let id = daemon.ready();
    let turn = daemon.prompt(&id, "say begun\nhang");
    until("begun", || {
        daemon
            .said(&id)
            .contains(&pair("agent", "begun"))
            .then_some(())
    });
    daemon.interrupt(&id);
    let answer = daemon.wait(&id, turn);
    assert_eq!(answer["outcome"], "cancelled");
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("did not stop within 0.1 seconds"),
        "{answer}"
    );
    daemon.until_idle(&id);
    assert_eq!(daemon.run(&id, "say again")["final_message"], "again");
}

#[test]
fn a_harness_that_dies_fails_its_turn_and_is_started_again() {
    ready!(scene, daemon, id);
    let answer = daemon.run(&id, "say before\ndie 7");
    assert_eq!(
        (&answer["outcome"], &answer["final_message"]),
        (&json!("error"), &json!("before"))
    );
    assert!(
        answer["message"].as_str().unwrap().contains("status 7"),
        "{answer}"
    );
    daemon.until_idle(&id);
    assert_eq!(daemon.run(&id, "say again")["outcome"], "finished");
    drop(scene);
}

#[test]
fn a_question_ends_a_wait_that_wants_to_know_and_is_closed_by_the_interrupt() {
    ready!(scene, daemon, id);
    let turn = daemon.prompt(&id, "ask Which branch should I target?\nwait-cancel");
    let wait = json!({"turn_id": turn, "return_on_input": true});
    let answer = daemon.post(&format!("/sessions/{id}/wait"), &wait).json();
    assert_eq!(answer["outcome"], "input_required");
    let questions = answer["pending_elicitations"].as_array().unwrap();
    assert_eq!(questions[0]["message"], "Which branch should I target?");
    assert_eq!(
        daemon.session(&id)["pending_elicitations"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    daemon.interrupt(&id);
    let answer = daemon.wait(&id, turn);
    assert_eq!(answer["outcome"], "cancelled");
    assert_eq!(answer["final_message"], "answer: \"cancel\"");
    assert_eq!(daemon.session(&id).get("pending_elicitations"), None);
    assert_eq!(daemon.run(&id, "say later")["outcome"], "finished");
    drop(scene);
}

#[test]
fn a_question_that_the_harness_withdraws_is_pending_no_more() {
    ready!(scene, daemon, id);
    let gate = scene.text("gate");
    let turn = daemon.prompt(&id, &format!("withdraw What?\nsay after\nwait-file {gate}"));
    until("after", || {
        daemon
            .said(&id)
            .contains(&pair("agent", "after"))
            .then_some(())
    });
    assert_eq!(daemon.session(&id).get("pending_elicitations"), None);
    fs::write(gate, "").unwrap();
    assert_eq!(daemon.wait(&id, turn)["outcome"], "finished");
}

#[test]
fn permissions_are_answered_by_the_policy_of_the_profile() {
    for (policy, chosen) in [("allow", "allow_once"), ("reject", "reject_once")] {
        let scene = Scene::new();
        scene.profile(&[], &format!("permissions = \"{policy}\""));
        let daemon = scene.start();
        let id = daemon.ready();
        let answer = daemon.run(&id, "permit");
        assert_eq!(answer["final_message"], format!("chosen: \"{chosen}\""));
    }
}

#[test]
fn a_prompt_is_held_until_the_session_has_started() {
    let scene = Scene::new();
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    thread::scope(|scope| {
        let prompting = scope.spawn(|| daemon.prompt(&id, "say held"));
        assert_eq!(daemon.session(&id)["is_idle"], false);
        fs::write(scene.path("ready"), "").unwrap();
        let turn = prompting.join().unwrap();
        assert_eq!(daemon.wait(&id, turn)["final_message"], "held");
    });
}

#[test]
fn a_held_prompt_that_is_withdrawn_never_runs() {
    let scene = Scene::new();
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    let path = format!("/sessions/{id}/prompt");
    thread::scope(|scope| {
        let prompting = scope.spawn(|| daemon.post(&path, &json!({"text": "say never"})));
        // There is nothing to interrupt until the prompt is held.
        until("withdrawn", || {
            let answer = daemon.post(&format!("/sessions/{id}/interrupt-turn"), &json!({}));
            (answer.status == 202).then_some(())
        });
        let answer = prompting.join().unwrap();
        assert_eq!(answer.json()["code"], "withdrawn");
        assert!(answer.refusal(409).contains("withdrawn by an interrupt"));
    });
    fs::write(scene.path("ready"), "").unwrap();
    daemon.until_idle(&id);
    assert_eq!(daemon.run(&id, "say other")["turn_id"], 1);
    assert_eq!(daemon.said(&id).len(), 2);
}

#[test]
fn a_prompt_is_not_held_for_ever() {
    let scene = Scene::new().limit("PROMPT_HOLD", 50);
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    let answer = daemon.post(&format!("/sessions/{id}/prompt"), &json!({"text": "say x"}));
    let refused = answer.refusal(409);
    assert!(
        refused.contains("did not take a prompt within 0.05 seconds"),
        "{refused}"
    );
}

#[test]
fn the_same_command_runs_once() {
    ready!(scene, daemon, id);
    let send = |text: &str| {
        let prompt = json!({"text": text, "command_id": "c-1"});
        let answer = daemon.post(&format!("/sessions/{id}/prompt"), &prompt);
        assert_eq!(answer.status, 202, "{answer:?}");
        answer.json()["turn_id"].as_u64().unwrap()
    };
    let turn = send("say once");
    assert_eq!(send("say once"), turn);
    daemon.wait(&id, turn);
    assert_eq!(send("say once"), turn);
    assert_eq!(daemon.said(&id).len(), 2);
    drop(scene);
}

#[test]
fn a_wait_times_out_while_the_turn_goes_on() {
    ready!(scene, daemon, id);
    let turn = daemon.prompt(&id, "wait-cancel");
    let wait = json!({"turn_id": turn, "timeout_secs": 1});
    let answer = daemon.post(&format!("/sessions/{id}/wait"), &wait).json();
    assert_eq!(answer["outcome"], "timeout");
    assert_eq!(answer["session"]["chat_phase"], "running");
    daemon.interrupt(&id);
    assert_eq!(daemon.wait(&id, turn)["outcome"], "cancelled");
    drop(scene);
}

#[test]
fn a_transcript_comes_in_pages() {
    ready!(scene, daemon, id);
    daemon.run(&id, "say a");
    daemon.run(&id, "say b");
    let page = |query: &str| daemon.get(&format!("/sessions/{id}/transcript?{query}"));
    let texts = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().iter();
        items
            .map(|item| item["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let first = page("limit=3");
    assert_eq!(texts(&first), ["say a", "a", "say b"]);
    assert_eq!(
        (&first["has_more"], &first["next_after_seq"]),
        (&json!(true), &json!(3))
    );
    let second = page("limit=3&after_seq=3");
    assert_eq!(texts(&second), ["b"]);
    assert_eq!(
        (&second["has_more"], &second["next_after_seq"]),
        (&json!(false), &json!(4))
    );
    assert_eq!(texts(&page("role=agent")), ["a", "b"]);
    assert_eq!(page("after_seq=4")["next_after_seq"], 4);
    drop(scene);
}

#[test]
fn a_flood_is_a_bounded_transcript() {
    ready!(scene, daemon, id);
    let answer = daemon.run(&id, "flood 20000");
    assert_eq!(answer["outcome"], "finished");
    let answered = answer["final_message"].as_str().unwrap();
    assert_eq!(answered.len(), 1024 * 1024);
    let said = daemon.said(&id);
    let longest = said.iter().map(|(_, text)| text.len()).max().unwrap();
    let all: usize = said.iter().skip(1).map(|(_, text)| text.len()).sum();
    assert!(longest < 33 * 1024, "{longest}");
    assert_eq!(all, 20_000 * 64);
    drop(scene);
}

#[test]
fn case_72_a_marker_is_found_while_live_after_suspend_and_after_destroy() {
    ready!(scene, daemon, id);
    let found = |words: &str| {
        let rows = daemon.get(&format!("/wiki/search?q={words}"))["rows"].clone();
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| {
            (
                row["session_id"].as_str().unwrap().to_owned(),
                row["exists"] == true,
            )
        })
        .collect::<Vec<_>>()
    };
    daemon.run(&id, "say marker-9431 tells");
    assert_eq!(found("marker-9431"), [(id.clone(), true)]);
    daemon.begin(&id, "suspend", &json!({}));
    daemon.until_lifecycle(&id, "suspended");
    assert_eq!(found("marker-9431+tells"), [(id.clone(), true)]);
    daemon.begin(&id, "destroy", &json!({"delete_branch": false}));
    daemon.until_gone(&id);
    assert_eq!(found("marker-9431"), [(id, false)]);
    // Made and destroyed at once.
    let quick = daemon.ready();
    daemon.run(&quick, "say marker-2207");
    daemon.begin(&quick, "destroy", &json!({}));
    daemon.until_gone(&quick);
    assert_eq!(found("marker-2207"), [(quick, false)]);
    drop(scene);
}
