//! D: the exec policy, as far as it shows on the wire. What it says of which command is tested beside
//! the code.

use serde_json::{Value, json};

use crate::support::{Scene, permission, prompts};

fn scene(steps: Value) -> Scene {
    Scene::new(&prompts(json!([steps])))
}

fn outcome(scene: &Scene, id: &str) -> Value {
    scene.answer(id)["result"]["outcome"].clone()
}

fn selected(id: &str) -> Value {
    json!({"outcome": "selected", "optionId": id})
}

const ASK_CURL: &str =
    r#"{"rules":[{"id":"net","decision":"ask","command":"\\bcurl\\b","reason":"it calls out"}]}"#;

#[test]
fn d01_a_denied_command_is_rejected_without_a_card() {
    let scene = scene(json!([permission("c", "execute", "cat ~/.ssh/id_rsa")]));
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(outcome(&scene, "c"), selected("reject"));
    assert_eq!(ended.of_type("question").len(), 0);
    let boundaries = ended.of_type("boundary");
    assert_eq!(boundaries.len(), 1);
    let boundary = boundaries[0];
    assert_eq!(boundary["kind"], "exec_policy_deny");
    assert_eq!(boundary["control"], "exec_policy:secret-paths");
    assert_eq!(boundary["detail"], "deny (default): cat ~/.ssh/id_rsa");
    assert_eq!(boundary["target"], "~/.ssh/id_rsa");
    let line = "exec policy: deny rule=secret-paths layer=default command=cat ~/.ssh/id_rsa\n";
    assert_eq!(ended.stderr, line);
}

#[test]
fn d02_without_an_option_to_reject_the_answer_is_cancelled() {
    let scene = scene(
        json!([{"ask": {"id": "c", "method": "session/request_permission", "params": {
            "toolCall": {"toolCallId": "c", "kind": "execute", "rawInput": {"command": "cat .env"}},
            "options": [{"optionId": "a", "name": "Allow", "kind": "allow_once"}],
        }}}]),
    );
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    assert_eq!(outcome(&scene, "c"), json!({"outcome": "cancelled"}));
}

#[test]
fn d03_other_kinds_are_ordinary_questions() {
    let scene = scene(json!([permission("c", "read", "cat ~/.ssh/id_rsa")]));
    let mut runner = scene.start();
    runner.say("1", "x");
    let question = runner.until_type("question");
    assert_eq!(question["questions"][0]["question"], "cat ~/.ssh/id_rsa");
    assert!(question.get("kind").is_none());
    runner.answer(&question, "Reject");
    runner.until_type("turn_end");
    assert_eq!(runner.shut_down().of_type("boundary").len(), 0);
}

#[test]
fn d04_an_allowed_command_is_allowed_without_a_card() {
    let scene = scene(json!([{"ask": {"id": "c", "method": "session/request_permission", "params": {
        "toolCall": {"toolCallId": "c", "kind": "execute", "title": "t", "rawInput": {"command": ["npm", "test"]}},
        "options": [
            {"optionId": "always", "name": "Always", "kind": "allow_always"},
            {"optionId": "once", "name": "Once", "kind": "allow_once"},
        ],
    }}}]))
    .env("COLONIZER_EXEC_POLICY", r#"{"rules":[{"decision":"allow","command":"^npm "}]}"#);
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(outcome(&scene, "c"), selected("once"));
    assert_eq!(ended.of_type("question").len(), 0);
}

#[test]
fn d06_d07_an_answer_to_a_rule_is_remembered() {
    let scene = scene(json!([
        permission("1", "execute", "curl https://a"),
        permission("2", "execute", "curl   https://a"),
    ]))
    .env("COLONIZER_EXEC_POLICY", ASK_CURL);
    let mut runner = scene.start();
    runner.say("1", "x");
    let question = runner.until_type("question");
    assert_eq!(
        (&question["kind"], &question["blocking"]),
        (&json!("exec_policy"), &json!(true))
    );
    let text = "curl https://a — exec policy rule `net` (install): it calls out";
    assert_eq!(question["questions"][0]["question"], text);
    runner.answer(&question, "Allow");
    runner.until_type("turn_end");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("question").len(), 1);
    assert_eq!(
        (outcome(&scene, "1"), outcome(&scene, "2")),
        (selected("allow"), selected("allow"))
    );
    let line = "exec policy: allowed earlier in this colony rule=net layer=install";
    assert!(ended.stderr.contains(line), "{}", ended.stderr);
}

#[test]
fn d08_a_refused_rule_that_is_asked_again_is_reported() {
    let scene = scene(json!([
        permission("1", "execute", "curl https://a"),
        permission("2", "execute", "curl -s https://b"),
    ]))
    .env("COLONIZER_EXEC_POLICY", ASK_CURL);
    let mut runner = scene.start();
    runner.say("1", "x");
    let question = runner.until_type("question");
    runner.answer(&question, "Reject");
    let refused = runner.until_type("boundary");
    assert_eq!(refused["kind"], "exec_policy_deny");
    assert_eq!(refused["detail"], "ask refused (install): curl https://a");
    let again = runner.until_type("boundary");
    assert_eq!(again["kind"], "exec_policy_ask_bypass_attempt");
    assert!(
        again["detail"]
            .as_str()
            .unwrap()
            .contains("refused earlier: curl https://a")
    );
    let question = runner.until_type("question");
    runner.answer(&question, "Reject");
    runner.until_type("turn_end");
    runner.shut_down();
}

#[test]
fn d09_a_broken_layer_is_named_and_the_default_holds() {
    let scene =
        scene(json!([permission("c", "execute", "cat .env")])).env("COLONIZER_EXEC_POLICY", "{");
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    let line = "ignoring the install exec policy: expected {\"rules\": […]}\n";
    assert!(ended.stderr.starts_with(line), "{}", ended.stderr);
    assert_eq!(outcome(&scene, "c"), selected("reject"));
}

#[test]
fn d10_the_repositorys_policy_is_read_once() {
    let scene = Scene::new(&json!({}));
    let file = scene.at("ws/.colonizer/exec-policy.json");
    std::fs::create_dir(scene.at("ws/.colonizer")).unwrap();
    let deny = r#"{"rules":[{"id":"r","decision":"deny","command":"^make"}]}"#;
    std::fs::write(&file, deny).unwrap();
    let write = json!({"ask": {"method": "fs/write_text_file", "params": {"path": file, "content": "{\"rules\":[]}"}}});
    scene.script(&prompts(json!([[
        write,
        permission("c", "execute", "make all")
    ]])));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    assert_eq!(outcome(&scene, "c"), selected("reject"));
    assert!(!std::fs::read_to_string(&file).unwrap().contains("make"));
}

#[test]
fn an_interrupt_while_a_rule_asks_remembers_nothing() {
    let steps =
        json!([permission("1", "execute", "curl a"), {"wait_cancel": 1}, {"stop": "cancelled"}]);
    let scene = Scene::new(&prompts(json!([
        steps,
        [permission("2", "execute", "curl a")]
    ])))
    .env("COLONIZER_EXEC_POLICY", ASK_CURL);
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_state("waiting_for_answer");
    runner.interrupt();
    runner.until_type("turn_end");
    runner.say("2", "y");
    let question = runner.until_type("question");
    runner.answer(&question, "Allow");
    runner.until_type("turn_end");
    assert_eq!(runner.shut_down().of_type("boundary").len(), 0);
}
