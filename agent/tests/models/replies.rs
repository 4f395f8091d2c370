//! What is asked for and what is made of the answer, on the real wire.

use acp_agent::model::{Event, Stop, remote::Wire};
use serde_json::json;

use crate::{
    asking::{model, openai, patience, reply},
    server::{Act, Server, event, says, status, stream},
};

#[tokio::test]
async fn a_request_of_openais_wire() {
    let mut server = Server::start(vec![says("hi")]).await;
    let said = reply(&openai(&server.url)).await;
    assert_eq!(said, [Event::Text("hi".into()), Event::Stop(Stop::EndTurn)]);
    let request = server.request().await;
    let head = request.head.to_ascii_lowercase();
    assert!(
        head.starts_with("post /v1/chat/completions http/1.1\r\n"),
        "{head}"
    );
    for line in [
        "authorization: bearer sk-test-key",
        "content-type: application/json",
        "accept: text/event-stream",
    ] {
        assert!(head.contains(line), "{head}");
    }
    assert_eq!(request.body["model"], "m");
    assert_eq!(request.body["stream"], true);
    assert_eq!(
        request.body["messages"][1],
        json!({"role": "user", "content": "hello"})
    );
}

#[tokio::test]
async fn a_request_of_anthropics_wire_that_pauses() {
    let block = |text: &str| {
        let start = json!({"type": "text", "text": ""});
        let delta = json!({"type": "text_delta", "text": text});
        vec![
            stream(),
            event(json!({"type": "content_block_start", "index": 0, "content_block": start})),
            event(json!({"type": "content_block_delta", "index": 0, "delta": delta})),
        ]
    };
    let end = |reason: &str| {
        let delta = json!({"stop_reason": reason});
        [
            event(json!({"type": "message_delta", "delta": delta})),
            event(json!({"type": "message_stop"})),
        ]
    };
    let paused = [block("I look. "), end("pause_turn").into()].concat();
    let ended = [block("Found."), end("end_turn").into()].concat();
    let mut server = Server::start(vec![paused, ended]).await;
    let said = reply(&model(Wire::Anthropic, &server.url, patience())).await;
    assert_eq!(
        said,
        [
            Event::Text("I look. ".into()),
            Event::Text("Found.".into()),
            Event::Stop(Stop::EndTurn)
        ]
    );
    let first = server.request().await;
    let head = first.head.to_ascii_lowercase();
    assert!(head.starts_with("post /v1/messages http/1.1\r\n"), "{head}");
    for line in ["x-api-key: sk-test-key", "anthropic-version: 2023-06-01"] {
        assert!(head.contains(line), "{head}");
    }
    let mut messages = first.body["messages"].as_array().unwrap().clone();
    // What was said so far is given back, as it was.
    let content = json!([{"type": "text", "text": "I look. "}]);
    messages.push(json!({"role": "assistant", "content": content}));
    let second = server.request().await;
    assert_eq!(second.body["messages"], json!(messages));
}

#[tokio::test]
async fn a_server_that_pauses_for_ever_is_given_up() {
    let pause = vec![
        stream(),
        event(json!({"type": "message_delta", "delta": {"stop_reason": "pause_turn"}})),
        event(json!({"type": "message_stop"})),
    ];
    let server = Server::start(vec![pause]).await;
    let said = reply(&model(Wire::Anthropic, &server.url, patience())).await;
    let [Event::Stop(Stop::Failed(why))] = &said[..] else {
        panic!("{said:?}")
    };
    assert!(why.contains("16 pauses"), "{why}");
    assert_eq!(server.connections(), 17);
}

#[tokio::test]
async fn a_prompt_that_is_refused_before_a_reply() {
    let body = r#"{"error": {"message": "no", "code": "content_filter"}}"#;
    let server = Server::start(vec![status(400, "", body)]).await;
    assert_eq!(
        reply(&openai(&server.url)).await,
        [Event::Stop(Stop::Refusal)]
    );
}

#[tokio::test]
async fn a_reply_in_chunks_that_cut_everything() {
    let text = "data: {\"choices\": [{\"delta\": {\"content\": \"häh\"}}]}\r\n\r\n\
                data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\r\n\r\n\
                data: [DONE]\r\n\r\n";
    let mut acts = vec![Act::Send(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n\
         transfer-encoding: chunked\r\n\r\n"
            .into(),
    )];
    for char in text.chars() {
        acts.push(Act::Send(format!("{:x}\r\n{char}\r\n", char.len_utf8())));
    }
    // The last word is heard before the last chunk.
    acts.push(Act::Hold);
    let mut server = Server::start(vec![acts]).await;
    assert_eq!(
        reply(&openai(&server.url)).await,
        [Event::Text("häh".into()), Event::Stop(Stop::EndTurn)]
    );
    server.closed().await;
}
