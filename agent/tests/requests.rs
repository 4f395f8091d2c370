//! Requests, good and bad, over the in-memory wire: the table of methods and its errors.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::{model::Stub, serve::Outcome};
use serde_json::{Value, json};
use support::client::{Client, text};

/// Unknown sessions, by every method that takes one.
#[tokio::test]
async fn a051_an_unknown_session_is_resource_not_found() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let long = "a".repeat(10_000);
    for id in [
        "does-not-exist",
        "../../etc/passwd",
        "",
        long.as_str(),
        "a/b",
        "sess_\u{0}",
    ] {
        for (method, more) in [
            ("session/load", json!({"cwd": "/", "mcpServers": []})),
            ("session/resume", json!({"cwd": "/", "mcpServers": []})),
            (
                "session/prompt",
                json!({"prompt": [{"type": "text", "text": "hi"}]}),
            ),
            ("session/set_mode", json!({"modeId": "plan"})),
            (
                "session/set_config_option",
                json!({"configId": "mode", "value": "plan"}),
            ),
        ] {
            let mut params = more;
            params["sessionId"] = id.into();
            let answer = client.call(method, params).await;
            assert_eq!(answer["error"]["code"], -32002, "{method} {answer}");
        }
    }
    assert!(
        !client.state.path().join("sessions").exists() || {
            std::fs::read_dir(client.state.path().join("sessions"))
                .unwrap()
                .next()
                .is_none()
        }
    );
}

#[tokio::test]
async fn bad_params_are_named_and_the_next_request_works() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let session = client.session().await;
    for (method, params) in [
        ("initialize", json!({"protocolVersion": "1"})),
        ("initialize", json!({})),
        ("session/new", json!({"cwd": "relative", "mcpServers": []})),
        (
            "session/new",
            json!({"cwd": "/does/not/exist", "mcpServers": []}),
        ),
        ("session/new", json!({"mcpServers": []})),
        ("session/new", json!([])),
        ("session/prompt", json!({"sessionId": session})),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": "hi"}),
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": [{"type": "text"}]}),
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": [{"type": "image", "mimeType": "image/png", "data": "*"}]}),
        ),
        (
            "session/prompt",
            json!({"sessionId": session, "prompt": [{"type": "audio", "mimeType": "audio/wav", "data": "AAAA"}]}),
        ),
        (
            "session/set_mode",
            json!({"sessionId": session, "modeId": "bogus"}),
        ),
        (
            "session/set_config_option",
            json!({"sessionId": session, "configId": "bogus", "value": "plan"}),
        ),
        (
            "session/set_config_option",
            json!({"sessionId": session, "configId": "mode", "value": "bogus"}),
        ),
        (
            "session/set_config_option",
            json!({"sessionId": session, "configId": "mode", "type": "boolean", "value": true}),
        ),
        (
            "session/new",
            json!({"cwd": "/", "mcpServers": [{"type": "sse", "name": "x", "url": "http://127.0.0.1:1", "headers": []}]}),
        ),
    ] {
        let answer = client.call(method, params.clone()).await;
        assert_eq!(
            answer["error"]["code"], -32602,
            "{method} {params} {answer}"
        );
    }
    assert_eq!(
        client
            .turn(&session, "Reply with exactly OK1 and nothing else.")
            .await,
        "end_turn"
    );
    assert_eq!(text(&client.updates()), "OK1");
}

#[tokio::test]
async fn unknown_methods_get_an_error_and_unknown_notifications_nothing() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    client.notify("_x/y", json!({})).await;
    client
        .notify("$/cancel_request", json!({"requestId": 99}))
        .await;
    client
        .notify("session/cancel", json!({"sessionId": "nobody"}))
        .await;
    client.notify("session/cancel", json!({})).await;
    for method in ["_probe/x", "session/fork", "foo"] {
        let id = client.request(method, json!({})).await;
        let answer = client.receive().await.unwrap();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(id), &json!(-32601))
        );
    }
}

#[tokio::test]
async fn a027_capabilities_of_any_shape_are_accepted() {
    let mut client = Client::start(Stub);
    for capabilities in [
        json!({"session": {}, "fs": null, "terminal": false, "elicitation": null, "auth": {}, "_meta": {"x": 1}, "futureThing": {"a": []}}),
        Value::Null,
        json!("nonsense"),
    ] {
        for version in [0, 1, 2, 65535] {
            let params = json!({"protocolVersion": version, "clientCapabilities": capabilities});
            let answer = client.call("initialize", params).await;
            assert_eq!(answer["result"]["protocolVersion"], 1, "{answer}");
        }
    }
    // All of these mean that nothing is offered, so nothing is asked for but permission.
    let session = client.session().await;
    client.seen();
    let prompt = "Run the shell command: echo hi > f; then read the file f.";
    let id = client.prompt(&session, prompt).await;
    let request = client.permission().await;
    client.choose(&request, "allow_once").await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    let seen = client.seen();
    assert!(seen.iter().all(|m| m.get("id").is_none()), "{seen:?}");
    assert!(client.workspace.path().join("f").exists());
}

#[tokio::test]
async fn what_was_sent_before_the_end_of_input_is_answered() {
    let mut client = Client::start(Stub);
    let (one, init) = client.message("initialize", json!({"protocolVersion": 1}));
    let (two, new) = client.message("session/new", json!({"cwd": "/", "mcpServers": []}));
    client.raw(format!("{init}\n{new}").as_bytes()).await;
    let (messages, outcome) = client.end().await;
    let answered: Vec<_> = messages
        .iter()
        .filter(|m| m.get("result").is_some())
        .map(|m| m["id"].clone())
        .collect();
    assert_eq!(answered, [json!(one), json!(two)]);
    assert_eq!(outcome, Outcome::Clean);
}

#[tokio::test]
async fn a_reply_that_needs_nobody_is_finished_at_the_end_of_input() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let session = client.session().await;
    let id = client
        .prompt(&session, "Reply with exactly LAST and nothing else.")
        .await;
    let (messages, outcome) = client.end().await;
    let answer = messages.iter().find(|m| m["id"] == id).unwrap();
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(outcome, Outcome::Clean);
}

#[tokio::test]
async fn a073_both_views_of_the_mode_stay_in_step() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let session = client.session().await;
    client.seen();
    client
        .call(
            "session/set_mode",
            json!({"sessionId": session, "modeId": "plan"}),
        )
        .await;
    let updates = client.updates();
    assert_eq!(updates[0]["currentModeId"], "plan");
    assert_eq!(updates[1]["configOptions"][0]["currentValue"], "plan");
    let params = json!({"sessionId": session, "configId": "mode", "value": "accept-edits"});
    let answer = client.call("session/set_config_option", params).await;
    assert_eq!(
        answer["result"]["configOptions"][0]["currentValue"],
        "accept-edits"
    );
    assert_eq!(client.updates()[0]["currentModeId"], "accept-edits");
    let cwd = client.workspace.path().to_owned();
    let loaded = client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": cwd, "mcpServers": []}),
        )
        .await;
    assert_eq!(loaded["result"]["modes"]["currentModeId"], "accept-edits");
    assert_eq!(
        loaded["result"]["configOptions"][0]["currentValue"],
        "accept-edits"
    );
}

/// The environment of a tool server may hold a secret: it must not come back.
#[tokio::test]
async fn the_wrong_tool_server_is_named_and_nothing_of_it_is_repeated() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let good = json!({"name": "good", "command": "/bin/true", "args": [], "env": []});
    let bad =
        json!({"name": "bad", "command": "/bin/true", "env": [{"name": "K", "value": "SECRET"}]});
    let params = json!({"cwd": "/", "mcpServers": [good, bad]});
    let answer = client.call("session/new", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    let text = answer.to_string();
    assert!(
        text.contains("mcpServers[1]") && text.contains("bad"),
        "{text}"
    );
    assert!(!text.contains("SECRET"), "{text}");
}
