//! A: handshake, turns, and their order.

use serde_json::{Value, json};

use crate::support::{Scene, call, chunk, processes, prompts, runner::outline};

#[test]
fn a01_a02_two_messages_are_two_turns_in_order() {
    let scene = Scene::new(&prompts(json!([[chunk("H"), chunk("i")]])));
    let mut runner = scene.start();
    runner.say("initial", "one");
    runner.say("u-2", "two");
    runner.until_type("turn_end");
    runner.until_type("turn_end");
    runner.until_state("idle");
    let ended = runner.shut_down();

    assert_eq!(
        scene.methods(),
        [
            "initialize",
            "session/new",
            "session/prompt",
            "session/prompt"
        ]
    );
    let received = scene.received();
    let initialize = &received[1]["params"];
    assert_eq!(initialize["protocolVersion"], 1);
    assert_eq!(
        initialize["clientCapabilities"],
        json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true})
    );
    let new = json!({"cwd": scene.workspace(), "mcpServers": []});
    assert_eq!(received[2]["params"], new);
    let prompt =
        |text: &str| json!({"sessionId": "s-1", "prompt": [{"type": "text", "text": text}]});
    assert_eq!(received[3]["params"], prompt("one"));
    assert_eq!(received[4]["params"], prompt("two"));

    assert_eq!(ended.events[0], json!({"type": "status", "state": "idle"}));
    let echo = json!({"type": "user_message", "id": "initial", "text": "one"});
    assert!(ended.events.contains(&echo));
    let turn: Vec<_> = ended
        .outline()
        .into_iter()
        .filter(|name| name != "user_message")
        .collect();
    let one = [
        "working",
        "assistant_text_delta",
        "assistant_text_delta",
        "assistant_text",
        "turn_end",
        "idle",
    ];
    assert_eq!(turn, [&["idle"][..], &one, &one, &["exited"]].concat());
    let text =
        json!({"type": "assistant_text", "message_id": "msg-1", "block_index": 0, "text": "Hi"});
    assert!(ended.events.contains(&text));
    for end in ended.of_type("turn_end") {
        assert_eq!(
            (&end["is_error"], &end["result"]),
            (&json!(false), &json!("Hi"))
        );
        assert!(end["cost_usd"].is_null() && end["duration_ms"].is_number());
    }
}

#[test]
fn a03_a_message_is_echoed_while_another_turn_runs() {
    let scene = Scene::new(&json!({}));
    let gate = scene.at("gate");
    scene.script(&prompts(
        json!([[chunk("a"), {"wait_file": gate}], [chunk("b")]]),
    ));
    let mut runner = scene.start();
    runner.say("1", "one");
    runner.until_type("assistant_text_delta");
    runner.say("2", "two");
    runner.until(|event| event["type"] == "user_message" && event["id"] == "2");
    assert!(!outline(&runner.events).contains(&"turn_end".to_owned()));
    std::fs::write(gate, "").unwrap();
    runner.until_type("turn_end");
    assert_eq!(runner.until_type("status")["state"], "idle");
    assert_eq!(runner.until_type("status")["state"], "working");
    runner.until_type("turn_end");
    runner.shut_down();
}

#[test]
fn a04_a_shutdown_when_idle() {
    let scene = Scene::new(&prompts(json!([[chunk("a"), {"spawn": ["sleep", "600"]}]])));
    let mut runner = scene.start();
    runner.turn("x");
    assert!(!processes::alive(&scene.token).is_empty());
    runner.shut_down();
}

#[test]
fn a05_the_end_of_the_input_is_a_shutdown() {
    let scene = Scene::new(&json!({}));
    let mut runner = scene.start();
    runner.turn("x");
    runner.close_input();
    runner.ended_well();
}

#[test]
fn a06_signals_are_a_shutdown() {
    use nix::sys::signal::Signal;
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let scene = Scene::new(&json!({}));
        let mut runner = scene.start();
        runner.turn("x");
        runner.signal(signal);
        runner.ended_well();
    }
}

#[test]
fn a07_a08_a09_what_is_no_command_is_ignored_and_what_is_one_is_not() {
    let scene = Scene::new(&json!({}));
    let mut runner = scene.start();
    for line in [
        r#"{"type":"user_message","id":"a"}"#,
        r#"{"type":"user_message","id":"b","text":"  "}"#,
        r#"{"type":"user_message","id":"c","text":7}"#,
        "not json",
        "[1]",
        "",
        r#"{"type":"brand_new"}"#,
        r#"{"text":"works","extra":[1],"id":"d","type":"user_message"}"#,
    ] {
        runner.line(line);
    }
    // Also with the other end of a line.
    runner.line("{\"type\":\"user_message\",\"id\":\"e\",\"text\":\"too\"}\r");
    runner.until_type("turn_end");
    runner.until_type("turn_end");
    let ended = runner.shut_down();
    let no_text = "ignored a user_message without text";
    let not_json = "ignored a command line that is not valid JSON";
    assert_eq!(
        ended.log("warn"),
        [no_text, no_text, no_text, not_json, not_json]
    );
    let echoes: Vec<&Value> = ended
        .of_type("user_message")
        .iter()
        .map(|echo| &echo["id"])
        .collect();
    assert_eq!(echoes, ["d", "e"]);
}

#[test]
fn a10_commands_are_served_during_the_handshake() {
    let scene = Scene::new(&json!({"answers": {"initialize": null}, "ignores_eof": true}));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("user_message");
    runner.interrupt();
    processes::until("the agent is asked", || {
        scene.methods().contains(&"initialize".to_owned())
    });
    let ended = runner.shut_down();
    assert_eq!(ended.outline(), ["idle", "user_message", "exited"]);
}

#[test]
fn a11_another_version_is_a_warning() {
    let initialize = json!({"result": {"protocolVersion": 2, "agentCapabilities": {}}});
    let scene = Scene::new(&json!({"answers": {"initialize": initialize}}));
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    let warning = "the agent speaks ACP protocol version 2, this runner negotiates 1";
    assert_eq!(ended.log("warn"), [warning]);
}

#[test]
fn a12_a_message_without_an_id_gets_one() {
    let scene = Scene::new(&json!({}));
    let mut runner = scene.start();
    runner.line(r#"{"type":"user_message","text":"x"}"#);
    let echo = runner.until_type("user_message");
    assert!(echo["id"].as_str().is_some_and(|id| !id.is_empty()));
    runner.until_type("turn_end");
    runner.shut_down();
}

#[test]
fn a13_lines_of_the_agent_that_are_no_message() {
    let steps = json!([[
        {"raw": "INFO starting up"},
        {"raw": "null"},
        {"raw": "7"},
        {"raw": r#"{"jsonrpc":"2.0","id":"nobody","result":{}}"#},
        {"raw": r#"{"jsonrpc":"2.0","method":"_x/unknown","params":{}}"#},
        chunk("fine"),
    ]]);
    let scene = Scene::new(&prompts(steps));
    let mut runner = scene.start();
    assert_eq!(runner.turn("x")["result"], "fine");
    let ended = runner.shut_down();
    let warning = |line: &str| format!("the agent emitted a line that is not JSON: {line}");
    assert_eq!(
        ended.log("warn"),
        ["INFO starting up", "null", "7"].map(warning)
    );
    // And none of them was answered.
    assert!(
        scene
            .received()
            .iter()
            .all(|line| line.get("error").is_none())
    );
}

#[test]
fn a14_ids_of_both_sides_are_their_own() {
    // The prompt is the third request of the runner; the agent uses the same number.
    let read = |id: Value| call(id, "fs/read_text_file", json!({"path": "f"}));
    let steps = json!([[
        read(json!(3)),
        read(json!("3")),
        read(json!("x")),
        chunk("done")
    ]]);
    let scene = Scene::new(&prompts(steps));
    std::fs::write(scene.at("ws/f"), "content").unwrap();
    let mut runner = scene.start();
    assert_eq!(runner.turn("x")["result"], "done");
    runner.shut_down();
    for id in [json!(3), json!("3"), json!("x")] {
        assert_eq!(scene.answer(id)["result"]["content"], "content");
    }
}
