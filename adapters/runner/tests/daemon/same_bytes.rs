//! What comes out of the daemon is what the runner said, byte for byte.

use std::fs;

use serde_json::{Value, json};

use crate::{
    cases::runners,
    daemon::Daemon,
    support::{Scene, call, chunk, permission},
};

/// A session with events of nearly all types.
fn eventful() -> Scene {
    let update = |update: Value| json!({"update": update});
    let thought = json!({"type": "text", "text": "hm"});
    let refused = "curl: (6) Could not resolve host: x.example";
    let command = json!({"command": "cat ~/.ssh/id_rsa"});
    let options = json!([
        {"optionId": "a", "name": "Allow", "kind": "allow_once"},
        {"optionId": "r", "name": "Reject", "kind": "reject_once"},
    ]);
    let denied = json!({"ask": {"id": "d", "method": "session/request_permission", "params": {
        "sessionId": "s-1", "options": options,
        "toolCall": {"toolCallId": "d", "kind": "execute", "rawInput": command},
    }}});
    let option = json!([{
        "id": "m", "category": "model", "type": "select", "currentValue": "m-1",
    }]);
    let scene = Scene::new(&json!({
        "answers": {
            "initialize": {"result": {
                "protocolVersion": 1, "agentCapabilities": {"loadSession": true},
            }},
            "session/new": {"result": {"sessionId": "s-1", "configOptions": option}},
        },
        "prompts": [[
            chunk("\u{1}\u{7f} \u{1f600} \"\\ \u{2028}\r\n"),
            update(json!({"sessionUpdate": "agent_thought_chunk", "content": thought})),
            update(json!({"sessionUpdate": "plan", "entries": [
                {"content": "one", "priority": "high", "status": "completed"},
            ]})),
            update(json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t",
                "rawInput": {"z": [1.5, null, true], "a": {"ä": -0.0}}})),
            update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "c",
                "status": "failed", "rawOutput": refused})),
            update(json!({"sessionUpdate": "from_the_future"})),
            permission("q", "edit", "Edit f"),
            denied,
            call("p", "fs/read_text_file", json!({"path": ".env"})),
            {"stop": "max_tokens"},
        ]],
    }));
    fs::write(scene.at("policy"), "mask-file .env\n").unwrap();
    let policy = scene.at("policy").display().to_string();
    scene.env("COLONIZER_PATH_POLICY", policy)
}

/// The bytes of an event, its members in the order of their names, without what the daemon adds and
/// what no two runs share.
fn plain(event: &Value) -> String {
    let mut event = event.clone();
    event.as_object_mut().unwrap().retain(|name, value| {
        if matches!(name.as_str(), "duration_ms" | "at") {
            *value = Value::from(0);
        }
        !matches!(name.as_str(), "seq" | "ts")
    });
    event.sort_all_objects();
    event.to_string()
}

#[test]
#[ignore = "needs the daemon"]
fn i02_question_and_answer_are_the_same_bytes_as_without_the_daemon() {
    let answer = json!({
        "type": "answer", "question_id": "q", "answers": {"Edit f": "Allow"}, "response": null,
    });
    let scene = eventful();
    let mut runner = scene.start();
    runner.say("u-1", "x\u{1f600}");
    runner.until_type("question");
    runner.send(answer.clone());
    runner.until_type("turn_end");
    runner.until_state("idle");
    let direct: Vec<String> = runner.shut_down().events.iter().map(plain).collect();

    let scene = eventful();
    let daemon = Daemon::start(&scene, None);
    let mut client = daemon.ready_client();
    client.say("u-1", "x\u{1f600}");
    client.until_type("question");
    client.send(answer);
    client.until_type("turn_end");
    client.until_state("idle");
    // That the numbers are contiguous and each event has its time is checked at the end of each test.
    let stored = daemon.end();
    let told: Vec<String> = client.events.iter().map(plain).collect();
    let mut events: Vec<String> = runners(&stored).iter().map(plain).collect();
    // The daemon's own word on the exit, and the audit line from standard error.
    events.pop();
    let is_audit = |event: &String| event.contains("exec policy: deny rule=secret-paths");
    assert_eq!(events.iter().filter(|event| is_audit(event)).count(), 1);
    events.retain(|event| !is_audit(event));
    assert_eq!(events, direct);
    let types = [
        "agent_session",
        "model_changed",
        "assistant_text_delta",
        "assistant_text",
        "thinking",
        "tool_call",
        "tool_result",
        "boundary",
        "question",
        "question_answered",
        "path_policy",
        "log",
        "turn_end",
    ];
    for kind in types {
        let kind = format!("\"type\":\"{kind}\"");
        assert!(direct.iter().any(|event| event.contains(&kind)), "{kind}");
        assert!(told.iter().any(|event| event.contains(&kind)), "{kind}");
    }
}
