//! K: refusals of the colony, told to the host and, once, to the agent. Which words are one is tested
//! beside the code.

use serde_json::{Value, json};

use crate::support::{Scene, prompts, runner::Ended};

fn failed(id: &str, status: &str, output: &str) -> Value {
    json!({"update": {
        "sessionUpdate": "tool_call_update", "toolCallId": id, "status": status, "rawOutput": output,
    }})
}

fn steps() -> Value {
    json!([
        [
            {"update": {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "curl", "rawInput": {"command": "curl https://x.example/a"}}},
            failed("1", "failed", "curl: (6) Could not resolve host: x.example"),
            failed("2", "failed", "connect ECONNREFUSED"),
            failed("3", "failed", "touch: cannot touch '/opt/x': Read-only file system"),
            failed("4", "failed", "exit code 1"),
            failed("5", "completed", "ECONNREFUSED, but it went well"),
        ],
        [failed("6", "failed", "ENETUNREACH")],
        [],
    ])
}

fn run(layer: &str) -> (Scene, Ended) {
    let scene = Scene::new(&prompts(steps())).env("COLONIZER_ACP_DENIAL_HINTS", layer);
    let mut runner = scene.start();
    for text in ["one", "two", "three"] {
        runner.turn(text);
    }
    let ended = runner.shut_down();
    (scene, ended)
}

#[test]
fn k_refusals_are_told_to_the_host_and_once_to_the_agent() {
    let (scene, ended) = run("on");
    let classes: Vec<&Value> = ended
        .of_type("tool_result")
        .iter()
        .map(|result| &result["denial"]["class"])
        .collect();
    assert_eq!(
        classes,
        [
            &json!("egress"),
            &json!("egress"),
            &json!("read_only"),
            &Value::Null,
            &Value::Null,
            &json!("egress")
        ]
    );
    let boundaries: Vec<_> = ended
        .of_type("boundary")
        .iter()
        .map(|event| {
            (
                event["kind"].clone(),
                event["control"].clone(),
                event["target"].clone(),
            )
        })
        .collect();
    let egress = |target: Value| (json!("egress_denied"), json!("egress"), target);
    assert_eq!(
        boundaries,
        [
            egress(json!("x.example")),
            egress(Value::Null),
            (
                json!("sandbox_denied"),
                json!("read_only_mount"),
                json!("/opt/x")
            ),
            egress(Value::Null),
        ]
    );
    let received = scene.received();
    let prompts: Vec<usize> = received
        .iter()
        .filter(|line| line["method"] == "session/prompt")
        .map(|line| line["params"]["prompt"].as_array().unwrap().len())
        .collect();
    // Both classes in front of the second prompt, and never again.
    assert_eq!(prompts, [1, 3, 1]);
}

#[test]
fn k_strip_test_without_the_layer_only_its_own_words_are_gone() {
    let plain = |ended: Ended| -> Vec<Value> {
        let events = ended
            .events
            .into_iter()
            .filter(|event| event["type"] != "boundary");
        events
            .map(|mut event| {
                let members = event.as_object_mut().unwrap();
                members.remove("denial");
                members.remove("duration_ms");
                event
            })
            .collect()
    };
    let (_, with) = run("on");
    let (_, without) = run("off");
    assert!(
        without
            .events
            .iter()
            .all(|event| event.get("denial").is_none())
    );
    assert_eq!(without.of_type("boundary").len(), 0);
    assert_eq!(plain(with), plain(without));
}
