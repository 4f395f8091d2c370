//! C: permission requests, as questions.

use serde_json::{Value, json};

use crate::support::{Scene, chunk, permission, processes, prompts};

/// A permission request with these options.
fn request(id: &str, call: Value, options: Value) -> Value {
    json!({"request": {"id": id, "method": "session/request_permission", "params": {
        "sessionId": "s-1", "toolCall": call, "options": options,
    }}})
}

fn option(id: &str, name: &str, kind: &str) -> Value {
    json!({"optionId": id, "name": name, "kind": kind})
}

fn selected(id: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": id}})
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn labels(question: &Value) -> Vec<&str> {
    let options = question["questions"][0]["options"].as_array().unwrap();
    options
        .iter()
        .map(|option| option["label"].as_str().unwrap())
        .collect()
}

#[test]
fn c01_a_question_and_its_answer() {
    let scene = Scene::new(&prompts(json!([[
        permission("c1", "execute", "cargo test"),
        chunk("ok")
    ]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    let question = runner.until_type("question");
    let expected = json!({
        "type": "question", "question_id": "c1", "message_id": "msg-1",
        "risk": "workspace_write", "blocking": true,
        "questions": [{
            "question": "cargo test", "header": "Permission", "multi_select": false,
            "options": [
                {"label": "Allow", "description": "allow_once"},
                {"label": "Reject", "description": "reject_once"},
            ],
        }],
    });
    assert_eq!(question, expected);
    assert_eq!(runner.next().unwrap()["state"], "waiting_for_answer");
    runner.answer(&question, "Allow");
    let answered = runner.next().unwrap();
    assert_eq!(answered["answers"], json!({"cargo test": "Allow"}));
    assert_eq!(runner.next().unwrap()["state"], "working");
    assert_eq!(runner.until_type("turn_end")["result"], "ok");
    runner.shut_down();
    assert_eq!(scene.answer("c1")["result"], selected("allow"));
}

#[test]
fn c02_c03_c04_one_option_gets_a_way_to_cancel() {
    let one = json!([option("a", "Allow", "allow_once")]);
    let ask = |id: &str| {
        request(
            id,
            json!({"toolCallId": id, "kind": "read", "title": "t"}),
            one.clone(),
        )
    };
    let scene = Scene::new(&prompts(json!([[ask("1"), ask("2"), {"wait_answers": 2}]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    let first = runner.until_type("question");
    let second = runner.until_type("question");
    assert_eq!(first["risk"], "read_only");
    assert_eq!(labels(&first), ["Allow", "Cancel"]);
    let free = json!({"type": "answer", "question_id": "1", "answers": {"t": "Maybe"}, "response": "later"});
    runner.send(free);
    runner.answer(&second, "Cancel");
    runner.until_type("turn_end");
    let ended = runner.shut_down();
    let info = ended.log("info");
    assert_eq!(info.len(), 1);
    assert!(
        info[0].starts_with("a free-text reply") && info[0].ends_with("for 1"),
        "{info:?}"
    );
    assert_eq!(scene.answer("1")["result"], cancelled());
    assert_eq!(scene.answer("2")["result"], cancelled());
}

#[test]
fn c05_an_interrupt_cancels_the_question_and_the_turn() {
    let steps = json!([permission("q", "edit", "t"), {"wait_cancel": 1}, {"stop": "cancelled"}]);
    let scene = Scene::new(&prompts(json!([steps, [chunk("next")]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_state("waiting_for_answer");
    runner.interrupt();
    let end = runner.until_type("turn_end");
    assert_eq!(end["result"], "interrupted by the user");
    assert_eq!(end["is_error"], true);
    runner.until_state("idle");
    assert_eq!(runner.turn("y")["result"], "next");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("question_answered").len(), 0);
    assert_eq!(scene.answer("q")["result"], cancelled());
    assert!(scene.methods().contains(&"session/cancel".to_owned()));
}

#[test]
fn c06_c17_risks_and_texts() {
    let table = [
        (json!({"kind": "read"}), "read_only", "Allow read?"),
        (json!({"kind": "search"}), "read_only", "Allow search?"),
        (json!({"kind": "fetch"}), "read_only", "Allow fetch?"),
        (
            json!({"kind": "think", "title": " \t"}),
            "read_only",
            "Allow think?",
        ),
        (
            json!({"kind": "execute"}),
            "workspace_write",
            "Allow execute?",
        ),
        (
            json!({"kind": "edit", "title": " Edit f "}),
            "workspace_write",
            "Edit f",
        ),
        (
            json!({"kind": "delete"}),
            "workspace_write",
            "Allow delete?",
        ),
        (json!({"kind": "move"}), "workspace_write", "Allow move?"),
        (json!({"kind": "other"}), "workspace_write", "Allow other?"),
        (
            json!({"kind": "unheard_of"}),
            "workspace_write",
            "Allow unheard_of?",
        ),
        (json!({}), "workspace_write", "Allow this tool call?"),
    ];
    let both = json!([
        option("a", "Allow", "allow_once"),
        option("r", "Reject", "reject_once")
    ]);
    let mut steps: Vec<Value> = table
        .iter()
        .enumerate()
        .map(|(number, (call, _, _))| request(&format!("r{number}"), call.clone(), both.clone()))
        .collect();
    steps.push(json!({"wait_answers": table.len()}));
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start();
    runner.say("1", "x");
    for (number, (_, risk, text)) in table.iter().enumerate() {
        let question = runner.until_type("question");
        assert_eq!(question["risk"], *risk, "{question}");
        assert_eq!(question["questions"][0]["question"], *text);
        // C11: without an id of the call the question gets one.
        assert_eq!(
            question["question_id"],
            format!("permission-{}", number + 1)
        );
        runner.answer(&question, "Reject");
    }
    runner.until_type("turn_end");
    runner.shut_down();
}

#[test]
fn c07_c08_of_five_options_four_are_shown_with_a_way_out() {
    let allow = |id: &str| option(id, id, "allow_once");
    let plain = json!([
        allow("a"),
        option("r", "r", "reject_once"),
        allow("b"),
        allow("c"),
        allow("d")
    ]);
    let late = json!([
        allow("a"),
        allow("b"),
        allow("c"),
        allow("d"),
        option("r", "r", "reject_once")
    ]);
    let scene = Scene::new(&prompts(json!([[
        request("1", json!({"toolCallId": "1"}), plain),
        request("2", json!({"toolCallId": "2"}), late),
        {"wait_answers": 2},
    ]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    let first = runner.until_type("question");
    assert_eq!(labels(&first), ["a", "r", "b", "c"]);
    let second = runner.until_type("question");
    assert_eq!(labels(&second), ["a", "b", "c", "r"]);
    runner.answer(&first, "c");
    runner.answer(&second, "r");
    runner.until_type("turn_end");
    runner.shut_down();
    assert_eq!(scene.answer("1")["result"], selected("c"));
    assert_eq!(scene.answer("2")["result"], selected("r"));
}

#[test]
fn c09_options_that_cannot_be_chosen_are_left_out() {
    let none = json!([{"name": "no id", "kind": "allow_once"}, {"optionId": 7}]);
    let scene = Scene::new(&prompts(
        json!([[request("1", json!({}), none), {"wait_answers": 1}]]),
    ));
    let mut runner = scene.start();
    runner.say("1", "x");
    let question = runner.until_type("question");
    assert_eq!(labels(&question), ["Cancel", "Cancel"]);
    runner.answer(&question, "Cancel");
    runner.until_type("turn_end");
    runner.shut_down();
    assert_eq!(scene.answer("1")["result"], cancelled());
}

#[test]
fn c10_an_answer_counts_once() {
    let scene = Scene::new(&prompts(json!([[permission("q", "edit", "t")]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    let question = runner.until_type("question");
    runner.answer(&question, "Allow");
    runner.answer(&question, "Reject");
    runner.send(json!({"type": "answer", "question_id": "nope", "answers": {}}));
    runner.until(|event| event["message"] == "no open question with id nope");
    let ended = runner.shut_down();
    assert_eq!(
        ended.log("warn"),
        [
            "no open question with id q",
            "no open question with id nope"
        ]
    );
    assert_eq!(scene.answer("q")["result"], selected("allow"));
}

#[test]
fn c12_c13_two_questions_of_one_call_are_two() {
    let both = json!([
        option("a", "Allow", "allow_once"),
        option("r", "Reject", "reject_once")
    ]);
    let ask = |id: &str| {
        request(
            id,
            json!({"toolCallId": "same", "title": "t"}),
            both.clone(),
        )
    };
    let scene = Scene::new(&prompts(json!([[ask("1"), ask("2"), {"wait_answers": 2}]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    let first = runner.until_type("question");
    let second = runner.until_type("question");
    runner.until_state("waiting_for_answer");
    assert_ne!(first["question_id"], second["question_id"]);
    let before = runner.events.len();
    runner.answer(&second, "Reject");
    runner.answer(&first, "Allow");
    runner.until_state("working");
    let after = crate::support::runner::outline(&runner.events[before..]);
    assert_eq!(after, ["question_answered", "question_answered", "working"]);
    runner.until_type("turn_end");
    runner.shut_down();
    assert_eq!(scene.answer("1")["result"], selected("a"));
    assert_eq!(scene.answer("2")["result"], selected("r"));
}

#[test]
fn c14_options_of_one_name_can_both_be_chosen() {
    let same = json!([
        option("1", "Yes", "allow_once"),
        option("2", "Yes", "allow_always")
    ]);
    for (place, id) in [(0, "1"), (1, "2")] {
        let scene = Scene::new(&prompts(
            json!([[request("q", json!({}), same.clone()), {"wait_answers": 1}]]),
        ));
        let mut runner = scene.start();
        runner.say("1", "x");
        let question = runner.until_type("question");
        let label = labels(&question)[place].to_owned();
        runner.answer(&question, label);
        runner.until_type("turn_end");
        runner.shut_down();
        assert_eq!(scene.answer("q")["result"], selected(id));
    }
}

#[test]
fn c15_c16_answers_of_other_forms() {
    let scene = Scene::new(&prompts(json!([[
        permission("1", "edit", "t"),
        permission("2", "edit", "t"),
        permission("3", "edit", "t"),
    ]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("question");
    runner
        .send(json!({"type": "answer", "question_id": "1", "answers": ["Allow"], "response": " "}));
    let answered = runner.until_type("question_answered");
    assert_eq!(
        (&answered["answers"], &answered["response"]),
        (&json!({}), &Value::Null)
    );
    runner.until_type("question");
    runner.send(json!({"type": "answer", "question_id": "2"}));
    let question = runner.until_type("question");
    runner.answer(&question, json!(["Allow"]));
    runner.until_type("turn_end");
    runner.shut_down();
    assert_eq!(scene.answer("1")["result"], cancelled());
    assert_eq!(scene.answer("2")["result"], cancelled());
    assert_eq!(scene.answer("3")["result"], selected("allow"));
}

#[test]
fn c18_a_question_outside_a_turn() {
    let scene = Scene::new(&json!({"start": [permission("q", "edit", "t")]}));
    let mut runner = scene.start();
    let question = runner.until_type("question");
    assert_eq!(question["message_id"], Value::Null);
    runner.answer(&question, "Allow");
    runner.until_state("idle");
    processes::until("the agent has its answer", || {
        scene.received().iter().any(|line| line["id"] == "q")
    });
    runner.shut_down();
}

#[test]
fn c11_calls_without_an_id_are_numbered() {
    let long = "i".repeat(5_000);
    let ask =
        |id: &str, call: Value| request(id, call, json!([option("a", "Allow", "allow_once")]));
    let scene = Scene::new(&prompts(json!([[
        ask("1", json!({"title": "t"})),
        ask("2", json!({"title": "t", "toolCallId": ""})),
        // An id that would be cut on the way is none either.
        ask("3", json!({"title": "t", "toolCallId": long})),
        {"wait_answers": 3},
    ]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    for number in 1..=3 {
        let question = runner.until_type("question");
        assert_eq!(question["question_id"], format!("permission-{number}"));
        runner.answer(&question, "Allow");
    }
    runner.until_type("turn_end");
    runner.shut_down();
    for id in ["1", "2", "3"] {
        assert_eq!(scene.answer(id)["result"], selected("a"));
    }
}

#[test]
fn c18_an_interrupt_of_a_question_outside_a_turn_leaves_the_runner_idle() {
    let scene = Scene::new(&json!({"start": [permission("q", "edit", "t")]}));
    let mut runner = scene.start();
    runner.until_state("waiting_for_answer");
    runner.interrupt();
    runner.until_state("idle");
    processes::until("the agent has its answer", || {
        scene.received().iter().any(|line| line["id"] == "q")
    });
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("question_answered").len(), 0);
    assert_eq!(scene.answer("q")["result"], cancelled());
}

#[test]
fn a_request_that_the_agent_withdraws_closes_its_card() {
    let scene = Scene::new(&prompts(json!([[
        request("q", json!({"toolCallId": "q", "title": "t"}), json!([option("a", "Allow", "allow_once")])),
        {"notify": {"method": "$/cancel_request", "params": {"requestId": "q"}}},
        {"wait_answers": 1},
        chunk("on"),
    ]])));
    let mut runner = scene.start();
    let end = runner.turn("x");
    assert_eq!(end["result"], "on");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("question_answered")[0]["question_id"], "q");
    assert_eq!(scene.answer("q")["error"]["code"], -32800);
}
