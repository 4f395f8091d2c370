//! Models of others as a client sees them: stop reasons, errors, tools, cancels.

use acp_agent::{mode::Mode, model::remote::Patience, model::remote::Wire};
use serde_json::{Value, json};
use std::time::Duration;

use crate::{
    asking::{model, openai, patience},
    server::{Act, Server, calls, event, says, status, stream},
    support::client::{Client, Setup, text},
};

/// A client of an agent whose model is at this server, and its session.
async fn ready(server: &Server) -> (Client, String) {
    let setup = Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    };
    let mut client = Client::start_with(openai(&server.url), setup);
    client.initialize().await;
    let session = client.session().await;
    (client, session)
}

fn finish(reason: &str) -> Vec<Act> {
    vec![
        stream(),
        event(json!({"choices": [{"delta": {"content": "Well"}, "finish_reason": reason}]})),
        Act::Send("data: [DONE]\n\n".into()),
    ]
}

#[tokio::test]
async fn stop_reasons() {
    for (finished, stop) in [
        ("stop", "end_turn"),
        ("length", "max_tokens"),
        ("content_filter", "refusal"),
    ] {
        let server = Server::start(vec![finish(finished)]).await;
        let (mut client, session) = ready(&server).await;
        assert_eq!(client.turn(&session, "hello").await, stop);
        assert_eq!(text(&client.updates()), "Well");
    }
}

#[tokio::test]
async fn an_error_is_told_in_words_and_the_session_goes_on() {
    let body = r#"{"error":{"message":"The model m does not exist"}}"#;
    let mut server = Server::start(vec![status(404, "", body), says("hi")]).await;
    let (mut client, session) = ready(&server).await;
    let answer = client.turn(&session, "first").await;
    assert_eq!(answer["error"]["code"], -32603);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("The model m does not exist"), "{message}");
    assert_eq!(client.turn(&session, "second").await, "end_turn");
    server.request().await;
    let asked = server.request().await.body;
    // The prompt that failed is no part of the new one.
    let said: Vec<&str> = asked["messages"][1]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    assert_eq!(said.first(), Some(&"first"));
    assert_eq!(said.last(), Some(&"second"));
    assert_eq!(said.len(), 3, "{said:?}");
}

#[tokio::test]
async fn a_tool_is_called_and_its_result_goes_back() {
    let arguments = r#"{"command": "echo one two"}"#;
    let mut server = Server::start(vec![calls("shell", arguments), says("done")]).await;
    let (mut client, session) = ready(&server).await;
    assert_eq!(client.turn(&session, "go").await, "end_turn");
    let first = server.request().await.body;
    let names: Vec<&Value> = first["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["function"]["name"])
        .collect();
    assert!(names.contains(&&json!("shell")), "{names:?}");
    let second = server.request().await.body;
    let messages = second["messages"].as_array().unwrap();
    let [called, result] = &messages[messages.len() - 2..] else {
        panic!("{messages:?}")
    };
    assert_eq!(called["tool_calls"][0]["id"], "c1");
    let sent = called["tool_calls"][0]["function"]["arguments"].as_str();
    assert_eq!(
        serde_json::from_str::<Value>(sent.unwrap()).unwrap(),
        json!({"command": "echo one two"})
    );
    let expected = json!({"role": "tool", "tool_call_id": "c1", "content": "one two\n"});
    assert_eq!(*result, expected);
}

#[tokio::test]
async fn arguments_that_are_no_json_are_the_models_to_repair() {
    let mut server = Server::start(vec![calls("shell", "{\"command\": "), says("sorry")]).await;
    let (mut client, session) = ready(&server).await;
    assert_eq!(client.turn(&session, "go").await, "end_turn");
    let updates = client.updates();
    let failed = updates.iter().find(|update| update["status"] == "failed");
    assert!(failed.is_some(), "{updates:?}");
    server.request().await;
    let second = server.request().await.body;
    let result = second["messages"].as_array().unwrap().last().unwrap();
    let content = result["content"].as_str().unwrap();
    assert!(content.starts_with("[failed]\n"), "{content}");
    assert!(content.contains("must be an object"), "{content}");
}

#[tokio::test]
async fn a_cancel_drops_the_request() {
    let half = event(json!({"choices": [{"delta": {"content": "half"}}]}));
    for acts in [
        vec![Act::Hold],
        vec![stream(), Act::Hold],
        vec![stream(), half, Act::Hold],
    ] {
        let mut server = Server::start(vec![acts]).await;
        let (mut client, session) = ready(&server).await;
        let prompt = client.prompt(&session, "go").await;
        server.request().await;
        client.cancel(&session).await;
        let answer = client.answer(prompt).await;
        assert_eq!(answer["result"]["stopReason"], "cancelled");
        server.closed().await;
    }
}

#[tokio::test]
async fn a_cancel_ends_a_pause_between_two_tries() {
    let patience = Patience {
        pause: Duration::from_secs(60),
        ..patience()
    };
    let mut server = Server::start(vec![status(503, "", "")]).await;
    let mut client = Client::start(model(Wire::OpenAi, &server.url, patience));
    client.initialize().await;
    let session = client.session().await;
    let prompt = client.prompt(&session, "go").await;
    server.request().await;
    client.cancel(&session).await;
    let answer = client.answer(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert_eq!(server.connections(), 1);
}
