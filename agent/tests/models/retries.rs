//! What is asked for again, and what is not.

use std::time::Duration;

use acp_agent::model::{
    Event, Stop,
    remote::{Patience, Wire},
};
use serde_json::json;
use tokio::net::TcpListener;

use crate::{
    asking::{failure, model, openai, patience, reply},
    server::{Server, event, says, status, stream},
};

fn hi() -> Vec<Event> {
    vec![Event::Text("hi".into()), Event::Stop(Stop::EndTurn)]
}

#[tokio::test]
async fn a_failure_that_passes_is_not_seen() {
    let overloaded = vec![
        stream(),
        event(json!({"error": {"message": "busy", "type": "overloaded_error"}})),
    ];
    for first in [
        status(429, "retry-after: 0\r\n", ""),
        status(500, "", "oops"),
        status(529, "", ""),
        // The connection is closed without a word.
        vec![],
        // A reply that broke off before anything was said.
        vec![stream()],
        overloaded,
    ] {
        let shown = format!("{first:?}");
        let server = Server::start(vec![first, says("hi")]).await;
        assert_eq!(reply(&openai(&server.url)).await, hi(), "{shown}");
        assert_eq!(server.connections(), 2);
    }
}

#[tokio::test]
async fn a_failure_that_lasts_is_told() {
    for (first, tries, words) in [
        (status(503, "", "down"), 4, "HTTP 503"),
        (status(401, "", ""), 1, "another key"),
        (status(400, "", r#"{"error":{"message":"bad"}}"#), 1, "bad"),
        (
            status(429, "", r#"{"error":{"code":"insufficient_quota"}}"#),
            1,
            "HTTP 429",
        ),
        (status(500, "x-should-retry: false\r\n", ""), 1, "HTTP 500"),
        // It asks for a longer wait than anybody wants to watch.
        (status(429, "retry-after: 3600\r\n", ""), 1, "rate limit"),
    ] {
        let server = Server::start(vec![first]).await;
        let why = failure(&openai(&server.url)).await;
        assert!(why.contains(words), "{why}");
        assert_eq!(server.connections(), tries, "{why}");
    }
}

#[tokio::test]
async fn what_was_said_is_not_said_again() {
    let half = vec![
        stream(),
        event(json!({"choices": [{"delta": {"content": "half"}}]})),
    ];
    let server = Server::start(vec![half, says("hi")]).await;
    let said = reply(&openai(&server.url)).await;
    let [Event::Text(half), Event::Stop(Stop::Failed(why))] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(half, "half");
    assert!(why.contains("broke off"), "{why}");
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let why = failure(&openai(&url)).await;
    assert!(why.contains("cannot be reached"), "{why}");
    assert!(!why.contains("/v1"), "no URL: {why}");
}

#[tokio::test]
async fn a_pause_ends_with_the_reply() {
    let impatient = Patience {
        pause: Duration::from_secs(3600),
        longest_pause: Duration::from_secs(3600),
        whole: Duration::from_secs(60),
        ..patience()
    };
    // A pause beyond the deadline of the whole is not begun.
    let server = Server::start(vec![status(503, "", "")]).await;
    let why = failure(&model(Wire::OpenAi, &server.url, impatient)).await;
    assert!(why.contains("503"), "{why}");
    assert_eq!(server.connections(), 1);
}
