//! The life of sessions: listed, loaded, resumed, closed, deleted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::{mode::Mode, model::Stub};
use serde_json::{Value, json};
use soak::processes;
use support::{
    client::{Client, Setup, text},
    script::{Do, Gate, Script},
};

fn sleeping() -> Script {
    Script::new([
        vec![Do::Call("shell", json!({"command": "sleep 300"}))],
        vec![Do::End],
    ])
}

async fn running(client: &mut Client, session: &str) -> i64 {
    let id = client.prompt(session, "x").await;
    client
        .until(|m| m["params"]["update"]["status"] == "in_progress")
        .await;
    id
}

fn full_access() -> Setup {
    Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    }
}

#[tokio::test]
async fn a084_close_answers_the_prompt_first_and_frees_the_session() {
    let mark = processes::mark();
    let sleep = Do::Call("shell", json!({"command": format!("sleep {mark}")}));
    let script = Script::new([vec![sleep], vec![Do::End]]);
    let mut client = Client::start_with(script, full_access());
    client.initialize().await;
    let session = client.session().await;
    let prompt = running(&mut client, &session).await;
    let close = client
        .request("session/close", json!({"sessionId": session}))
        .await;
    let first = client.until(|m| m.get("result").is_some()).await;
    assert_eq!(
        (&first["id"], &first["result"]["stopReason"]),
        (&json!(prompt), &json!("cancelled"))
    );
    assert_eq!(client.answer(close).await["result"], json!({}));
    assert_eq!(processes::alive(&mark), []);
    assert_eq!(client.turn(&session, "y").await["error"]["code"], -32002);
    assert_eq!(
        client
            .call("session/close", json!({"sessionId": session}))
            .await["error"]["code"],
        -32002
    );
    let load = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    assert!(
        client
            .call("session/load", load)
            .await
            .get("result")
            .is_some()
    );
}

#[tokio::test]
async fn a_deleted_session_never_comes_back() {
    let mut client = Client::start_with(sleeping(), full_access());
    client.initialize().await;
    let session = client.session().await;
    let prompt = running(&mut client, &session).await;
    let delete = client
        .request("session/delete", json!({"sessionId": session}))
        .await;
    assert_eq!(
        client.answer(prompt).await["result"]["stopReason"],
        "cancelled"
    );
    assert!(client.answer(delete).await.get("result").is_some());
    let list = client.call("session/list", json!({})).await;
    assert_eq!(list["result"]["sessions"], json!([]));
    for _ in 0..2 {
        assert!(
            client
                .call("session/delete", json!({"sessionId": session}))
                .await
                .get("result")
                .is_some()
        );
    }
    for id in ["../../etc/passwd", ""] {
        assert!(
            client
                .call("session/delete", json!({"sessionId": id}))
                .await
                .get("result")
                .is_some()
        );
    }
    let state = client.state.clone();
    client.end().await;
    let mut client = Client::start_with(
        Stub,
        Setup {
            state,
            ..Setup::default()
        },
    );
    assert_eq!(
        client.call("session/list", json!({})).await["result"]["sessions"],
        json!([])
    );
}

#[tokio::test]
async fn resume_remembers_and_says_nothing() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let session = client.session().await;
    client
        .turn(
            &session,
            "Remember this word: WORD-1234. Reply with exactly ACK and nothing else.",
        )
        .await;
    let state = client.state.clone();
    client.end().await;
    let mut client = Client::start_with(
        Stub,
        Setup {
            state,
            ..Setup::default()
        },
    );
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    let answer = client.call("session/resume", params).await;
    assert!(answer.get("result").is_some());
    assert_eq!(client.seen(), Vec::<Value>::new());
    client
        .turn(&session, "Which word did I ask you to remember?")
        .await;
    assert!(text(&client.updates()).contains("WORD-1234"));
}

#[tokio::test]
async fn a083_pages_hold_all_sessions_once() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let other = tempfile::tempdir().unwrap();
    let mut all: Vec<String> = Vec::new();
    for _ in 0..70 {
        all.push(client.session().await);
    }
    for _ in 0..5 {
        let params = json!({"cwd": other.path(), "mcpServers": []});
        let answer = client.call("session/new", params).await;
        all.push(answer["result"]["sessionId"].as_str().unwrap().to_owned());
    }
    let mut listed = Vec::new();
    let mut params = json!({});
    loop {
        let page = client.call("session/list", params).await["result"].clone();
        let ids = page["sessions"].as_array().unwrap().iter();
        listed.extend(ids.map(|s| s["sessionId"].as_str().unwrap().to_owned()));
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    listed.sort();
    all.sort();
    assert_eq!(listed, all);
    let count = |page: Value| page["result"]["sessions"].as_array().unwrap().len();
    assert_eq!(
        count(
            client
                .call("session/list", json!({"cwd": other.path()}))
                .await
        ),
        5
    );
    assert_eq!(
        count(client.call("session/list", json!({"cwd": "/none"})).await),
        0
    );
    for bad in [json!({"cursor": "garbage"}), json!({"cwd": "relative"})] {
        assert_eq!(
            client.call("session/list", bad).await["error"]["code"],
            -32602
        );
    }
}

#[tokio::test]
async fn a_close_during_a_load_is_refused_and_harmless() {
    let gate = Gate::new();
    let mut client = Client::start(Script::new([vec![Do::Wait(gate.clone()), Do::End]]));
    client.initialize().await;
    let session = client.session().await;
    let prompt = client.prompt(&session, "x").await;
    gate.reached().await;
    let close = client
        .request("session/close", json!({"sessionId": session}))
        .await;
    let load = client
        .request(
            "session/load",
            json!({"sessionId": session, "cwd": "/", "mcpServers": []}),
        )
        .await;
    assert_eq!(
        client.answer(prompt).await["result"]["stopReason"],
        "cancelled"
    );
    // The refusal of the load may have come before the answer to the prompt.
    let mut answers = client.seen();
    while answers
        .iter()
        .filter(|m| m["id"] == close || m["id"] == load)
        .count()
        < 2
    {
        answers.push(client.receive().await.unwrap());
    }
    let find = |id: i64| answers.iter().find(|m| m["id"] == id).unwrap();
    let (closed, loaded) = (find(close), find(load));
    assert!(closed.get("result").is_some());
    // Depending on how far the close was, the load was refused or found the session on the disk.
    assert!(
        loaded.get("result").is_some() || loaded["error"]["code"] == -32600,
        "{loaded}"
    );
}
