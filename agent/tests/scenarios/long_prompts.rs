//! Prompts that take a while to be read.

use acp_agent::model::Stub;
use serde_json::json;

use crate::{scene::example, support::client::Client};

/// Reading a prompt takes as long as the prompt is; the client does not wait for it.
#[tokio::test]
async fn a_cancel_is_answered_while_a_long_prompt_is_read() {
    let text = "and reply a, what is it? ".repeat(100_000);
    for model in [0, 1] {
        let mut client = match model {
            0 => Client::start(Stub),
            _ => Client::start(example("first.yaml").unwrap()),
        };
        client.initialize().await;
        let session = client.session().await;
        let id = client.prompt(&session, &text).await;
        // An answer shows that the prompt was taken and is being read.
        client.call("session/list", json!({})).await;
        client.cancel(&session).await;
        assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
        // The next one is read at once.
        assert_eq!(client.turn(&session, "/think").await, "end_turn");
    }
}

#[tokio::test]
async fn a_long_prompt_is_answered_at_the_end_of_the_input() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let session = client.session().await;
    let text = "and reply a, what is it? ".repeat(10_000);
    let id = client.prompt(&session, &text).await;
    let (rest, _) = client.end().await;
    let answer = rest
        .iter()
        .find(|m| m["id"] == id && m.get("method").is_none());
    let stop = &answer.expect("an answer")["result"]["stopReason"];
    assert!(
        ["cancelled", "end_turn"].iter().any(|known| stop == known),
        "{stop}"
    );
}
