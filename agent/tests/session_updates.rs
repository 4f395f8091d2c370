//! What a client is told about a session as a whole: its title, its usage, its commands.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::model::{Stop, Stub};
use serde_json::{Value, json};
use support::{
    client::{Client, Setup},
    script::{Do, Script},
};

const WORD: &str = "Reply with exactly W1 and nothing else.";

fn of_kind(updates: &[Value], kind: &str) -> Vec<Value> {
    let of_kind = |update: &&Value| update["sessionUpdate"] == kind;
    updates.iter().filter(of_kind).cloned().collect()
}

async fn ready(model: impl acp_agent::model::Model + 'static, setup: Setup) -> (Client, String) {
    let mut client = Client::start_with(model, setup);
    client.initialize().await;
    let session = client.session().await;
    (client, session)
}

#[tokio::test]
async fn the_first_exchange_gives_a_title_which_stays() {
    let (mut client, session) = ready(Stub, Setup::default()).await;
    assert_eq!(client.turn(&session, WORD).await, "end_turn");
    let told = of_kind(&client.all_updates(), "session_info_update");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["title"], WORD);
    assert!(told[0]["updatedAt"].as_str().unwrap().ends_with('Z'));
    client.turn(&session, "Reply with exactly W2.").await;
    assert!(of_kind(&client.all_updates(), "session_info_update").is_empty());

    let state = client.state.clone();
    client.end().await;
    let setup = Setup {
        state,
        ..Setup::default()
    };
    let mut client = Client::start_with(Stub, setup);
    client.initialize().await;
    let listed = client.call("session/list", json!({})).await;
    assert_eq!(listed["result"]["sessions"][0]["title"], WORD);
    let load = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    client.call("session/load", load).await;
    client.turn(&session, "Reply with exactly W3.").await;
    assert!(of_kind(&client.all_updates(), "session_info_update").is_empty());
}

#[tokio::test]
async fn a_turn_that_came_to_nothing_gives_no_title() {
    let failed = Do::Emit(acp_agent::model::Event::Stop(Stop::Failed("no".into())));
    let script = Script::new([vec![failed], vec![Do::Say("x"), Do::End]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    client.turn(&session, "one").await;
    assert!(of_kind(&client.all_updates(), "session_info_update").is_empty());
    client.turn(&session, "two").await;
    let told = of_kind(&client.all_updates(), "session_info_update");
    assert_eq!(told[0]["title"], "one", "{told:?}");
}

#[tokio::test]
async fn usage_is_told_in_each_turn_and_grows() {
    let (mut client, session) = ready(Stub, Setup::default()).await;
    let mut before = 0;
    for _ in 0..3 {
        client.turn(&session, WORD).await;
        let told = of_kind(&client.all_updates(), "usage_update");
        assert_eq!(told.len(), 1, "{told:?}");
        let used = told[0]["used"].as_u64().unwrap();
        assert!(used > before && told[0]["size"] == 200_000, "{told:?}");
        before = used;
    }
}

#[tokio::test]
async fn plain_sends_nothing_that_old_clients_do_not_know() {
    let setup = Setup {
        plain: true,
        ..Setup::default()
    };
    let (mut client, session) = ready(Stub, setup).await;
    assert_eq!(client.turn(&session, WORD).await, "end_turn");
    let updates = client.all_updates();
    assert!(of_kind(&updates, "usage_update").is_empty(), "{updates:?}");
    assert_eq!(of_kind(&updates, "session_info_update").len(), 1);
}

/// A042: before the answer, nobody knows the session.
#[tokio::test]
async fn commands_are_told_behind_the_answer_that_opens_the_session() {
    let (mut client, session) = ready(Stub, Setup::default()).await;
    assert!(client.all_updates().is_empty());
    for method in ["session/new", "session/load", "session/resume"] {
        client
            .until(|m| m["params"]["update"]["sessionUpdate"] == "available_commands_update")
            .await;
        client.seen();
        let cwd = client.workspace.path().to_owned();
        let mut params = json!({"cwd": cwd, "mcpServers": []});
        if method != "session/new" {
            params["sessionId"] = session.as_str().into();
        }
        let answer = client.call(method, params).await;
        assert!(answer.get("result").is_some(), "{method}: {answer}");
        assert!(client.all_updates().is_empty(), "{method}");
    }
    let told = client
        .until(|m| m["params"]["update"]["sessionUpdate"] == "available_commands_update")
        .await;
    let commands = told["params"]["update"]["availableCommands"].clone();
    let commands = commands.as_array().unwrap();
    assert!(commands.iter().any(|c| c["name"] == "permission"), "{told}");
    assert!(commands.iter().any(|c| c["input"]["hint"].is_string()));
    let unknown = json!({"sessionId": "none", "cwd": "/", "mcpServers": []});
    client.call("session/load", unknown).await;
    assert!(client.all_updates().is_empty());
}
