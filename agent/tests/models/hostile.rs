//! Servers that never answer, drip, flood, lie or break off: each ends in a failure that says what
//! it is, in bounded time and memory.

use std::time::Duration;

use acp_agent::model::{
    Event, Stop,
    remote::{Patience, Wire},
};
use serde_json::json;

use crate::{
    asking::{failure, model, openai, patience, reply},
    server::{Act, Server, event, says, status, stream},
};

/// Runs out at once, for what never comes.
const SOON: Duration = Duration::from_millis(200);

/// The failure of a model with this patience, asked once, at a server that does this.
async fn why(acts: Vec<Act>, patience: Patience) -> String {
    let server = Server::start(vec![acts]).await;
    let once = Patience {
        tries: 1,
        ..patience
    };
    failure(&model(Wire::OpenAi, &server.url, once)).await
}

#[tokio::test]
async fn a_server_that_never_answers() {
    let impatient = Patience {
        answer: SOON,
        ..patience()
    };
    let mut server = Server::start(vec![vec![Act::Hold]]).await;
    let why = failure(&model(Wire::OpenAi, &server.url, impatient)).await;
    assert!(why.contains("did not answer for 0.2 s"), "{why}");
    server.closed().await;
    assert_eq!(server.connections(), 1, "waited for once");
}

#[tokio::test]
async fn a_server_that_stops_in_the_middle() {
    let impatient = Patience {
        piece: SOON,
        ..patience()
    };
    let half = event(json!({"choices": [{"delta": {"content": "half"}}]}));
    let mut server = Server::start(vec![vec![stream(), half, Act::Hold]]).await;
    let mut said = reply(&model(Wire::OpenAi, &server.url, impatient)).await;
    assert!(matches!(
        said.pop(),
        Some(Event::Stop(Stop::Failed(why))) if why.contains("did not go on")
    ));
    assert_eq!(said, [Event::Text("half".into())]);
    server.closed().await;
}

#[tokio::test]
async fn a_server_that_drips_for_ever() {
    for drip in [": still here\n\n", "x"] {
        let impatient = Patience {
            whole: SOON,
            ..patience()
        };
        let mut server = Server::start(vec![vec![stream(), Act::Drip(drip)]]).await;
        let why = failure(&model(Wire::OpenAi, &server.url, impatient)).await;
        assert!(why.contains("did not come to the end"), "{why}");
        server.closed().await;
    }
}

#[tokio::test]
async fn a_server_that_drips_its_headers() {
    let impatient = Patience {
        answer: SOON,
        ..patience()
    };
    let acts = vec![Act::Send("HTTP/1.1 200 OK\r\n".into()), Act::Drip("x")];
    assert!(why(acts, impatient).await.contains("did not answer"));
}

#[tokio::test]
async fn floods() {
    let mebibyte = "x".repeat(1 << 20);
    let most = 1 << 30;
    let line = vec![stream(), Act::Flood(mebibyte.clone(), most)];
    let why_line = why(line, patience()).await;
    assert!(
        why_line.contains("8388608 bytes in one event"),
        "{why_line}"
    );

    let comments = vec![stream(), Act::Flood(format!(": {mebibyte}\n\n"), most)];
    let why_comments = why(comments, patience()).await;
    assert!(why_comments.contains("67108864 bytes"), "{why_comments}");

    let data = vec![stream(), Act::Flood("data: xxxxxxxx\n".repeat(1000), most)];
    let why_data = why(data, patience()).await;
    assert!(why_data.contains("in one event"), "{why_data}");
}

#[tokio::test]
async fn an_error_with_a_flood_for_a_text() {
    let head = "HTTP/1.1 400 X\r\nconnection: close\r\n\r\nno ".to_owned();
    let acts = vec![Act::Send(head), Act::Flood("no ".repeat(1000), 1 << 30)];
    let why = why(acts, patience()).await;
    assert!(why.contains("HTTP 400"), "{why}");
    assert!(why.len() < 1000, "{} bytes", why.len());
}

#[tokio::test]
async fn what_is_no_reply() {
    let page = "<html>a page of a router</html>";
    for (acts, words) in [
        (
            status(200, "content-type: text/html\r\n", page),
            "--model-url",
        ),
        (
            status(200, "content-type: application/json\r\n", "{}"),
            "no stream of events",
        ),
        (
            status(404, "content-type: text/html\r\n", page),
            "no such model",
        ),
        (
            status(302, "location: http://127.0.0.1:1/\r\n", ""),
            "redirects",
        ),
        (
            vec![Act::Send("SSH-2.0-x\r\n\r\n".into())],
            "cannot be reached",
        ),
        (vec![], "cannot be reached"),
        (
            vec![stream(), Act::Send("data: {\n\n".into())],
            "is no JSON",
        ),
        (vec![stream(), event(json!("text"))], "another shape"),
        (
            vec![
                stream(),
                event(json!({"error": {"message": "out of memory"}})),
            ],
            "out of memory",
        ),
    ] {
        let shown = format!("{acts:?}");
        let why = why(acts, patience()).await;
        assert!(why.contains(words), "{shown}: {why}");
    }
}

#[tokio::test]
async fn replies_that_end_too_early() {
    let said = || event(json!({"choices": [{"delta": {"content": "x"}}]}));
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\
                   content-type: text/event-stream\r\n\r\n";
    for acts in [
        vec![stream()],
        vec![stream(), said()],
        vec![stream(), said(), Act::Send("data: {\"choices\"".into())],
        vec![stream(), said(), Act::Send("data: [DONE]".into())],
        vec![stream(), said(), Act::Send("data: [DONE]\n\n".into())],
        vec![Act::Send(format!("{chunked}5\r\n: x\n\n\r\n"))],
    ] {
        let shown = format!("{acts:?}");
        let why = why(acts, patience()).await;
        assert!(why.contains("broke off"), "{shown}: {why}");
    }
}

#[tokio::test]
async fn what_comes_after_the_end_is_not_read() {
    let mut acts = says("hi");
    acts.push(event(json!({"choices": [{"delta": {"content": "more"}}]})));
    acts.push(Act::Hold);
    let mut server = Server::start(vec![acts]).await;
    assert_eq!(
        reply(&openai(&server.url)).await,
        [Event::Text("hi".into()), Event::Stop(Stop::EndTurn)]
    );
    server.closed().await;
}
