//! The slash commands of the stub model, through the agent: each behaviour on demand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::{mode::Mode, model::Stub};
use serde_json::{Value, json};
use support::client::{Client, Setup, text};

async fn ready(mode: Mode) -> (Client, String) {
    let setup = Setup {
        mode,
        ..Setup::default()
    };
    let mut client = Client::start_with(Stub, setup);
    client.initialize().await;
    let session = client.session().await;
    (client, session)
}

fn kinds(updates: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<_> = updates
        .iter()
        .map(|update| update["sessionUpdate"].as_str().unwrap())
        .collect();
    kinds.dedup();
    kinds
}

#[tokio::test]
async fn replies_of_every_kind() {
    let (mut client, session) = ready(Mode::Default).await;
    for (prompt, stop, seen) in [
        ("/stream 20", "end_turn", vec!["agent_message_chunk"]),
        (
            "/think",
            "end_turn",
            vec!["agent_thought_chunk", "agent_message_chunk"],
        ),
        ("/plan", "end_turn", vec!["plan", "agent_message_chunk"]),
        (
            "/image",
            "end_turn",
            vec!["tool_call", "agent_message_chunk"],
        ),
        (
            "/resource",
            "end_turn",
            vec!["tool_call", "agent_message_chunk"],
        ),
        ("/slow 1ms", "end_turn", vec!["agent_message_chunk"]),
        ("/refuse", "refusal", vec!["agent_message_chunk"]),
        ("/max-tokens", "max_tokens", vec!["agent_message_chunk"]),
        (
            "/parallel 3",
            "end_turn",
            vec!["tool_call", "tool_call_update", "agent_message_chunk"],
        ),
    ] {
        assert_eq!(client.turn(&session, prompt).await, stop, "{prompt}");
        assert_eq!(kinds(&client.updates()), seen, "{prompt}");
    }
    let answer = client.turn(&session, "/error out of order").await;
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("out of order")
    );
    client.seen();
    client.turn(&session, "/usage 1234").await;
    let updates = client.all_updates();
    let usage: Vec<_> = updates
        .iter()
        .filter(|u| u["sessionUpdate"] == "usage_update")
        .collect();
    assert_eq!((usage.len(), &usage[0]["used"]), (1, &json!(1234)));
}

#[tokio::test]
async fn what_was_shown_is_replayed() {
    let (mut client, session) = ready(Mode::Default).await;
    client.turn(&session, "/image").await;
    let live = client.updates();
    assert_eq!(live[0]["content"][0]["content"]["type"], "image");
    let cwd = client.workspace.path().to_owned();
    let load = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    client.call("session/load", load).await;
    assert!(client.updates().contains(&live[0]));
}

#[tokio::test]
async fn a_hang_ends_with_the_cancel() {
    let (mut client, session) = ready(Mode::Default).await;
    for prompt in ["/hang", "/slow 10min"] {
        let id = client.prompt(&session, prompt).await;
        client
            .until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk")
            .await;
        client.cancel(&session).await;
        assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    }
}

#[tokio::test]
async fn permission_is_asked_for_and_a_refusal_is_told() {
    let (mut client, session) = ready(Mode::Default).await;
    for (kind, words) in [
        ("allow_once", "It is done"),
        ("reject_once", "It was not allowed"),
    ] {
        let id = client.prompt(&session, "/permission").await;
        let request = client.permission().await;
        client.choose(&request, kind).await;
        client.answer(id).await;
        assert!(text(&client.updates()).contains(words), "{kind}");
    }
}

#[tokio::test]
async fn tools_of_every_kind() {
    let (mut client, session) = ready(Mode::FullAccess).await;
    assert_eq!(client.turn(&session, "/diff").await, "end_turn");
    let updates = client.updates();
    let diffs = updates.iter().filter(|u| u["content"][0]["type"] == "diff");
    assert!(diffs.count() >= 2, "{updates:?}");
    let file = client.workspace.path().join("acp-demo.txt");
    assert!(std::fs::read_to_string(file).unwrap().contains("edited"));
    assert_eq!(
        client.turn(&session, "/terminal echo LIVE7").await,
        "end_turn"
    );
    assert!(text(&client.updates()).contains("LIVE7"));
    assert_eq!(client.turn(&session, "/big-output 1MB").await, "end_turn");
    let updates = client.updates();
    let done = updates.iter().find(|u| u["status"] == "completed").unwrap();
    assert!(done["rawOutput"]["omittedBytes"].as_u64().unwrap() > 0);
    assert_eq!(client.turn(&session, "/switch-mode").await, "end_turn");
    let updates = client.updates();
    assert!(
        updates.iter().any(|u| u["currentModeId"] == "plan"),
        "{updates:?}"
    );
}

/// Without a way to show a question, it is put in words, and the next prompt is the answer.
#[tokio::test]
async fn a_question_in_words_and_its_answer() {
    let (mut client, session) = ready(Mode::Default).await;
    client.turn(&session, "/ask").await;
    assert!(text(&client.updates()).contains('?'));
    client.turn(&session, "MARK7").await;
    assert!(text(&client.updates()).contains("MARK7"));
}
