//! Logging in and out, of an agent that requires it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::model::Stub;
use serde_json::{Value, json};
use support::client::{Client, Setup};

fn requiring() -> Client {
    let setup = Setup {
        require_auth: true,
        ..Setup::default()
    };
    Client::start_with(Stub, setup)
}

fn new_session() -> Value {
    json!({"cwd": "/", "mcpServers": []})
}

#[tokio::test]
async fn sessions_need_a_login_until_somebody_logs_in_and_again_after_the_logout() {
    let mut client = requiring();
    let answer = client.initialize().await;
    let methods = answer["result"]["authMethods"].as_array().unwrap().clone();
    assert_eq!(methods.len(), 1, "{methods:?}");
    let auth = &answer["result"]["agentCapabilities"]["auth"];
    assert!(auth["logout"].is_object(), "{answer}");
    let reopen = json!({"sessionId": "x", "cwd": "/", "mcpServers": []});
    let prompt = json!({"sessionId": "x", "prompt": [{"type": "text", "text": "hi"}]});
    for (method, params) in [
        ("session/new", new_session()),
        ("session/load", reopen.clone()),
        ("session/resume", reopen),
        ("session/prompt", prompt),
    ] {
        let answer = client.call(method, params).await;
        assert_eq!(answer["error"]["code"], -32000, "{method}");
    }
    assert!(
        client
            .call("session/list", json!({}))
            .await
            .get("result")
            .is_some()
    );

    // Both in one write: the second finds what the first has changed.
    let id = methods[0]["id"].clone();
    let (login, first) = client.message("authenticate", json!({"methodId": id}));
    let (new, second) = client.message("session/new", new_session());
    client.raw(format!("{first}\n{second}\n").as_bytes()).await;
    let mut answers = Vec::new();
    while answers.len() < 2 {
        let message = client.until(|m| m.get("method").is_none()).await;
        assert!(message.get("result").is_some(), "{message}");
        answers.push(message);
    }
    let of = |id: i64| answers.iter().find(|m| m["id"] == id).unwrap();
    assert_eq!(of(login)["result"], json!({}));
    let session = of(new)["result"]["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(client.turn(&session, "Say hello.").await, "end_turn");

    assert_eq!(client.call("logout", json!({})).await["result"], json!({}));
    let answer = client.turn(&session, "Say hello.").await;
    assert_eq!(answer["error"]["code"], -32000);
}

#[tokio::test]
async fn a_login_is_kept() {
    let mut client = requiring();
    client.initialize().await;
    client
        .call("authenticate", json!({"methodId": "agent-login"}))
        .await;
    let setup = Setup {
        require_auth: true,
        state: client.state.clone(),
        ..Setup::default()
    };
    client.end().await;
    let mut client = Client::start_with(Stub, setup);
    client.initialize().await;
    client.session().await;
}

#[tokio::test]
async fn the_terminal_method_is_for_clients_with_a_terminal_and_not_for_authenticate() {
    let mut client = requiring();
    let answer = client
        .initialize_with(json!({"auth": {"terminal": true}}))
        .await;
    let methods = &answer["result"]["authMethods"];
    assert_eq!(methods[1]["type"], "terminal", "{methods}");
    assert_eq!(methods[1]["args"], json!(["--login"]));
    for id in [methods[1]["id"].clone(), json!("bogus")] {
        let answer = client.call("authenticate", json!({"methodId": id})).await;
        assert_eq!(answer["error"]["code"], -32602, "{id}");
    }
}

#[tokio::test]
async fn without_require_auth_there_is_nothing_to_log_in_to() {
    let mut client = Client::start(Stub);
    let answer = client
        .initialize_with(json!({"auth": {"terminal": true}}))
        .await;
    let result = &answer["result"];
    let none = |value: &Value| value.as_array().is_none_or(Vec::is_empty);
    assert!(none(&result["authMethods"]), "{result}");
    assert!(result["agentCapabilities"]["auth"]["logout"].is_null());
    let answer = client
        .call("authenticate", json!({"methodId": "agent-login"}))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        client.call("logout", json!({})).await["error"]["code"],
        -32601
    );
    client.session().await;
}
