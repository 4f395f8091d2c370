//! B: updates of the agent, as events.

use serde_json::{Value, json};

use crate::support::{Scene, chunk, processes, prompts, runner::Ended};

/// One turn with these updates: what came of it.
fn turn(updates: &[Value]) -> Ended {
    let steps: Vec<Value> = updates
        .iter()
        .map(|update| json!({"update": update}))
        .collect();
    steps_turn(json!(steps))
}

fn steps_turn(steps: Value) -> Ended {
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down()
}

fn text(kind: &str, text: &str) -> Value {
    json!({"sessionUpdate": kind, "content": {"type": "text", "text": text}})
}

fn update(id: &str, more: Value) -> Value {
    let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": id});
    more.as_object()
        .unwrap()
        .iter()
        .for_each(|(name, value)| update[name] = value.clone());
    update
}

fn words(words: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": words}})
}

#[test]
fn b01_chunks_make_one_text() {
    let ended = steps_turn(json!([chunk("Hel"), chunk(""), chunk("lo")]));
    let deltas: Vec<&Value> = ended
        .of_type("assistant_text_delta")
        .iter()
        .map(|e| &e["delta"])
        .collect();
    assert_eq!(deltas, ["Hel", "lo"]);
    assert_eq!(ended.of_type("assistant_text")[0]["text"], "Hello");
    assert_eq!(ended.of_type("turn_end")[0]["result"], "Hello");
}

#[test]
fn b02_what_is_no_text_is_named() {
    let block = |kind: &str| json!({"sessionUpdate": "agent_message_chunk", "content": {"type": kind, "data": "", "mimeType": "x/y"}});
    let ended = turn(&[block("image"), block("audio")]);
    assert_eq!(ended.of_type("assistant_text")[0]["text"], "[image][audio]");
}

#[test]
fn b03_b04_thoughts_are_one_event_before_the_text() {
    let ended = turn(&[
        text("agent_thought_chunk", "we"),
        text("agent_message_chunk", "t"),
        text("agent_thought_chunk", "igh"),
    ]);
    let outline = ended.outline();
    let expected = [
        "idle",
        "user_message",
        "working",
        "assistant_text_delta",
        "thinking",
        "assistant_text",
        "turn_end",
        "idle",
        "exited",
    ];
    assert_eq!(outline, expected);
    let thinking = ended.of_type("thinking")[0];
    assert_eq!(
        (&thinking["text"], &thinking["block_index"]),
        (&json!("weigh"), &json!(1))
    );
}

#[test]
fn b05_b06_b07_a_call_and_its_result() {
    let call = |id: &str, more: Value| {
        let mut call = json!({"sessionUpdate": "tool_call", "toolCallId": id});
        more.as_object()
            .unwrap()
            .iter()
            .for_each(|(name, value)| call[name] = value.clone());
        call
    };
    let ended = turn(&[
        call(
            "1",
            json!({"title": "Read f", "kind": "read", "rawInput": {"path": "f"}}),
        ),
        update("1", json!({"status": "in_progress"})),
        update("1", json!({"status": "completed", "rawOutput": "out"})),
        call(
            "2",
            json!({"title": "", "kind": "edit", "rawInput": "text"}),
        ),
        call("3", json!({"rawInput": [1]})),
    ]);
    let calls = ended.of_type("tool_call");
    let seen: Vec<_> = calls
        .iter()
        .map(|call| (&call["name"], &call["input"]))
        .collect();
    assert_eq!(seen[0], (&json!("Read f"), &json!({"path": "f"})));
    assert_eq!(seen[1], (&json!("edit"), &json!({})));
    assert_eq!(seen[2], (&json!("tool"), &json!({})));
    let results = ended.of_type("tool_result");
    let first =
        json!({"type": "tool_result", "tool_call_id": "1", "output": "out", "is_error": false});
    assert_eq!(results[0], &first);
    assert_eq!(results.len(), 3);
}

#[test]
fn b08_b09_outputs() {
    let ended = turn(&[
        update(
            "new",
            json!({"status": "failed", "content": [words("boom")]}),
        ),
        update(
            "both",
            json!({"status": "completed", "rawOutput": "out", "content": [words("block")]}),
        ),
        update(
            "object",
            json!({"status": "completed", "rawOutput": {"b": 1, "a": 2}}),
        ),
        update(
            "diff",
            json!({"status": "completed", "content": [{"type": "diff", "path": "p", "newText": ""}]}),
        ),
        update("none", json!({"status": "completed"})),
        // One result for each call, whatever the agent sends.
        update("none", json!({"status": "failed"})),
    ]);
    let results: Vec<_> = ended
        .of_type("tool_result")
        .iter()
        .map(|result| {
            (
                result["output"].as_str().unwrap().to_owned(),
                result["is_error"] == true,
            )
        })
        .collect();
    let expected = [
        ("boom", true),
        ("out\nblock", false),
        ("{\"b\":1,\"a\":2}", false),
        ("[diff p]", false),
        ("{}", false),
    ];
    assert_eq!(
        results,
        expected.map(|(output, is_error)| (output.to_owned(), is_error))
    );
}

#[test]
fn b10_outputs_are_cut_at_twenty_thousand_characters() {
    let outputs = ["a".repeat(20_000), "a".repeat(20_001), "😀".repeat(10_001)];
    let updates: Vec<Value> = outputs
        .iter()
        .enumerate()
        .map(|(id, output)| {
            update(
                &id.to_string(),
                json!({"status": "completed", "rawOutput": output}),
            )
        })
        .collect();
    let ended = turn(&updates);
    let results = ended.of_type("tool_result");
    assert_eq!(results[0]["output"], outputs[0]);
    assert_eq!(results[1]["output"], format!("{}…", "a".repeat(19_999)));
    assert_eq!(results[2]["output"], format!("{}…", "😀".repeat(9_999)));
}

#[test]
fn b11_a_plan_is_a_checklist_at_once() {
    let plan = json!({"sessionUpdate": "plan", "entries": [
        {"content": "one", "status": "completed", "priority": "high"},
        {"content": "two", "status": "pending", "priority": "low"},
    ]});
    let ended = turn(&[plan, text("agent_message_chunk", "t")]);
    assert_eq!(
        ended.of_type("thinking")[0]["text"],
        "Plan:\n- [x] one\n- [ ] two"
    );
    let place = |kind: &str| {
        ended
            .outline()
            .iter()
            .position(|name| name == kind)
            .unwrap()
    };
    assert!(place("thinking") < place("assistant_text_delta"));
}

#[test]
fn b12_b13_b14_known_updates_are_silent_and_unknown_ones_are_told_once() {
    let quiet =
        |kind: &str| json!({"sessionUpdate": kind, "content": {"type": "text", "text": "x"}});
    let cost = |amount: f64| json!({"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": amount, "currency": "USD"}});
    let ended = turn(&[
        quiet("user_message_chunk"),
        quiet("available_commands_update"),
        quiet("current_mode_update"),
        quiet("session_info_update"),
        quiet("config_option_update"),
        cost(0.1),
        cost(0.4),
        json!({"sessionUpdate": "from_the_future", "x": 1}),
        json!({"sessionUpdate": "from_the_future", "x": 2}),
        json!({"x": 3}),
    ]);
    let warnings = ended.log("warn");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].starts_with("ignored an unknown session/update type: "));
    assert!(warnings[0].contains("from_the_future"));
    let end = ended.of_type("turn_end")[0];
    assert_eq!(
        (&end["is_error"], &end["cost_usd"]),
        (&json!(false), &json!(0.4))
    );
    assert_eq!(ended.of_type("assistant_text").len(), 0);
}

#[test]
fn b15_updates_outside_a_turn_are_dropped() {
    let scene = Scene::new(&json!({}));
    let gate = scene.at("gate");
    scene.script(&json!({
        "start": [chunk("early"), {"request": {"id": "early", "method": "nope/x", "params": {}}}],
        "prompts": [[chunk("in"), {"stop": "end_turn"}, {"wait_file": gate}, chunk("late"),
                     {"request": {"id": "late", "method": "nope/x", "params": {}}}]],
    }));
    let came = |id: &str| scene.received().iter().any(|line| line["id"] == id);
    let mut runner = scene.start();
    processes::until("the early ones came", || came("early"));
    runner.turn("x");
    std::fs::write(gate, "").unwrap();
    processes::until("the late ones came", || came("late"));
    let ended = runner.shut_down();
    let deltas: Vec<&Value> = ended
        .of_type("assistant_text_delta")
        .iter()
        .map(|e| &e["delta"])
        .collect();
    assert_eq!(deltas, ["in"]);
}

#[test]
fn b16_other_reasons_to_stop_are_a_warning() {
    for result in [
        json!({"stopReason": "max_tokens"}),
        json!({"stopReason": "max_turn_requests"}),
        json!({"stopReason": "weird"}),
        json!({}),
    ] {
        let ended = steps_turn(json!([chunk("t"), {"result": result}]));
        let end = ended.of_type("turn_end")[0];
        assert_eq!(
            (&end["is_error"], &end["result"]),
            (&json!(false), &json!("t"))
        );
        let warnings = ended.log("warn");
        assert_eq!(warnings.len(), 1);
        assert!(
            warnings[0].starts_with("the turn stopped on "),
            "{warnings:?}"
        );
    }
}

#[test]
fn b17_a_refusal_is_an_error_with_its_text() {
    let ended = steps_turn(json!([chunk("no"), {"stop": "refusal"}]));
    let end = ended.of_type("turn_end")[0];
    assert_eq!(
        (&end["is_error"], &end["result"]),
        (&json!(true), &json!("the agent refused to continue"))
    );
    assert_eq!(ended.of_type("assistant_text")[0]["text"], "no");
}

#[test]
fn b18_an_error_ends_the_turn_and_not_the_run() {
    let scene = Scene::new(&prompts(json!([
        [chunk("t"), {"error": {"code": -32000, "message": "overloaded_error 529"}}],
        [chunk("again")],
    ])));
    let mut runner = scene.start();
    let end = runner.turn("x");
    assert_eq!(end["is_error"], true);
    assert_eq!(end["result"], "the turn failed: overloaded_error 529");
    assert_eq!(runner.turn("y")["result"], "again");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("assistant_text").len(), 1);
}

#[test]
fn b19_b20_every_call_has_a_result_at_the_end_of_its_turn() {
    let call = |id: &str, status: &str| json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": status});
    let ended = turn(&[call("open", "pending"), call("done", "completed")]);
    let order: Vec<_> = ended.outline();
    let results = ended.of_type("tool_result");
    assert_eq!(
        (&results[0]["tool_call_id"], &results[0]["is_error"]),
        (&json!("done"), &json!(false))
    );
    let open = json!({"type": "tool_result", "tool_call_id": "open", "output": "cancelled", "is_error": true});
    assert_eq!(results[1], &open);
    let place = |kind: &str| order.iter().rposition(|name| name == kind).unwrap();
    assert!(place("tool_result") < place("turn_end"));
}

#[test]
fn b21_no_line_is_longer_than_the_host_takes() {
    let large = "x\n".repeat(512 * 1024);
    let ended = turn(&[
        text("agent_message_chunk", &large),
        text("agent_thought_chunk", &large),
        json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": large, "rawInput": {"a": large, "b": 1}}),
        update("c", json!({"status": "completed", "rawOutput": large})),
        json!({"sessionUpdate": large}),
        json!({"sessionUpdate": "plan", "entries": [{"content": large}]}),
    ]);
    // The length of each line is checked where it is read. All of the text came in pieces.
    let deltas: String = ended
        .of_type("assistant_text_delta")
        .iter()
        .map(|event| event["delta"].as_str().unwrap())
        .collect();
    assert_eq!(deltas, large);
    assert_eq!(ended.of_type("tool_call")[0]["input"]["b"], 1);
}
