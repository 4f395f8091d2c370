//! Races, each made certain by a rendezvous: the model waits at a gate, and the test does what it
//! wants to do in exactly that moment.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use std::sync::Arc;

use acp_agent::{mode::Mode, model::Stub, serve::Outcome};
use serde_json::{Value, json};
use support::{
    client::{Client, Setup, text},
    script::{Do, Gate, Script},
};

fn full_access() -> Setup {
    Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    }
}

fn shell(command: &str) -> Do {
    Do::Call("shell", json!({"command": command}))
}

async fn ready(script: impl IntoIterator<Item = Vec<Do>>, setup: Setup) -> (Client, String) {
    let mut client = Client::start_with(Script::new(script), setup);
    client.initialize().await;
    let session = client.session().await;
    (client, session)
}

fn load(client: &Client, session: &str) -> Value {
    json!({"sessionId": session, "cwd": client.workspace.path(), "mcpServers": []})
}

fn cancel(session: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}})
}

fn prompt(client: &mut Client, session: &str) -> (i64, Value) {
    let text = json!([{"type": "text", "text": "x"}]);
    client.message(
        "session/prompt",
        json!({"sessionId": session, "prompt": text}),
    )
}

/// Everything that comes until all these requests are answered, in its order.
async fn all(client: &mut Client, ids: &[i64]) -> Vec<Value> {
    let mut came = client.seen();
    let answered = |came: &[Value], id: &i64| came.iter().any(|m| is_answer(m, *id));
    while !ids.iter().all(|id| answered(&came, id)) {
        came.push(client.receive().await.unwrap());
    }
    came
}

fn is_answer(message: &Value, id: i64) -> bool {
    message["id"] == id && message.get("method").is_none()
}

fn reason(came: &[Value], id: i64) -> Value {
    let mut answers = came.iter().filter(|m| is_answer(m, id));
    let answer = answers.next().unwrap();
    assert!(answers.next().is_none(), "two answers: {came:?}");
    match answer.get("error") {
        Some(error) => error["code"].clone(),
        None => answer["result"]["stopReason"].clone(),
    }
}

/// Just before, just after, and at the same time as the model's last word: the answer is one of the
/// two, and the next turn is untouched.
#[tokio::test]
async fn a_cancel_around_the_end_of_a_turn_is_never_lost_and_never_late() {
    const ROUNDS: usize = 60;
    let gates: Vec<_> = (0..ROUNDS).map(|_| Gate::new()).collect();
    let script = gates.iter().flat_map(|gate| {
        let last_word = vec![Do::Say("x"), Do::Wait(gate.clone()), Do::End];
        [last_word, vec![Do::Say("next"), Do::End]]
    });
    let (mut client, session) = ready(script, Setup::default()).await;
    for (round, gate) in gates.iter().enumerate() {
        let (id, first) = prompt(&mut client, &session);
        client.send(first).await;
        gate.reached().await;
        match round % 3 {
            0 => {
                gate.open();
                client.send(cancel(&session)).await;
            }
            1 => {
                client.send(cancel(&session)).await;
                gate.open();
            }
            _ => gate.open(),
        }
        let came = all(&mut client, &[id]).await;
        let reason = reason(&came, id);
        match round % 3 {
            2 => {
                assert_eq!(reason, "end_turn");
                client.send(cancel(&session)).await;
            }
            _ => assert!(reason == "end_turn" || reason == "cancelled", "{reason}"),
        }
        assert_eq!(client.turn(&session, "y").await, "end_turn");
        assert_eq!(text(&client.updates()), "next");
    }
}

#[tokio::test]
async fn a_cancel_twice_is_a_cancel_once() {
    let gate = Gate::new();
    let (mut client, session) =
        ready([vec![Do::Wait(gate.clone()), Do::End]], Setup::default()).await;
    let (id, message) = prompt(&mut client, &session);
    client.send(message).await;
    gate.reached().await;
    let twice = format!("{0}\n{0}\n", cancel(&session));
    client.raw(twice.as_bytes()).await;
    let came = all(&mut client, &[id]).await;
    assert_eq!(reason(&came, id), "cancelled");
    gate.open();
    assert_eq!(client.turn(&session, "y").await, "end_turn");
}

/// The answer to the permission and the cancel are in one write, in both orders.
#[tokio::test]
async fn a_permission_and_a_cancel_in_the_same_instant() {
    for cancel_first in [true, false] {
        let script = [
            vec![shell("echo once >> ran")],
            vec![Do::End],
            vec![Do::Say("NEXT"), Do::End],
        ];
        let (mut client, session) = ready(script, Setup::default()).await;
        let (id, message) = prompt(&mut client, &session);
        client.send(message).await;
        let request = client.permission().await;
        let outcome = json!({"outcome": "selected", "optionId": "allow-once"});
        let allow = json!({"jsonrpc": "2.0", "id": request["id"], "result": {"outcome": outcome}});
        let lines = match cancel_first {
            true => format!("{}\n{allow}\n", cancel(&session)),
            false => format!("{allow}\n{}\n", cancel(&session)),
        };
        client.raw(lines.as_bytes()).await;
        let came = all(&mut client, &[id]).await;
        assert_eq!(reason(&came, id), "cancelled");
        let finals = finals(&came);
        assert_eq!(finals.len(), 1, "{came:?}");
        if cancel_first {
            assert!(!client.workspace.path().join("ran").exists());
        }
    }
}

/// The final statuses among these messages, by the id of their tool call.
fn finals(came: &[Value]) -> Vec<(String, String)> {
    let updates = came.iter().map(|m| &m["params"]["update"]);
    let done = updates.filter(|u| u["status"] == "completed" || u["status"] == "failed");
    done.map(|u| (u["toolCallId"].to_string(), u["status"].to_string()))
        .collect()
}

#[tokio::test]
async fn a_cancel_during_a_load_does_nothing() {
    let (mut client, session) = ready([vec![Do::Say("SAID"), Do::End]], Setup::default()).await;
    client.turn(&session, "x").await;
    client.seen();
    let params = load(&client, &session);
    let (id, message) = client.message("session/load", params);
    let line = cancel(&session);
    client
        .raw(format!("{line}\n{message}\n{line}\n").as_bytes())
        .await;
    assert!(client.answer(id).await.get("result").is_some());
    assert_eq!(text(&client.updates()), "SAID");
    assert_eq!(client.turn(&session, "y").await, "end_turn");
}

#[tokio::test]
async fn close_delete_and_set_mode_during_a_turn() {
    for method in ["session/close", "session/delete"] {
        let gate = Gate::new();
        let script = [vec![Do::Say("a"), Do::Wait(gate.clone()), Do::End]];
        let (mut client, session) = ready(script, Setup::default()).await;
        let (id, message) = prompt(&mut client, &session);
        client.send(message).await;
        gate.reached().await;
        let mode = json!({"sessionId": session, "modeId": "plan"});
        assert!(
            client
                .call("session/set_mode", mode)
                .await
                .get("result")
                .is_some()
        );
        let (closed, close) = client.message(method, json!({"sessionId": session}));
        let (late, again) = prompt(&mut client, &session);
        client.raw(format!("{close}\n{again}\n").as_bytes()).await;
        let came = all(&mut client, &[id, closed, late]).await;
        assert_eq!(reason(&came, id), "cancelled");
        let code = reason(&came, late);
        assert!(code == -32600 || code == -32002, "{code}");
        let at = |id| came.iter().position(|m| is_answer(m, id)).unwrap();
        assert!(at(id) < at(closed), "{came:?}");
        let params = load(&client, &session);
        let found = client.call("session/load", params).await;
        let wanted = method == "session/close";
        assert_eq!(found.get("result").is_some(), wanted, "{found}");
    }
}

/// The next prompt stands behind the first in the pipe, so it is read in the very moment in which
/// the first one ends, or before: it is refused or runs, and nothing mixes.
#[tokio::test]
async fn a_prompt_in_the_instant_of_the_answer() {
    let script = [vec![Do::Say("WORD"), Do::End]];
    let (mut client, session) = ready(script, Setup::default()).await;
    let (mut ran, mut refused) = (0, 0);
    for _ in 0..200 {
        let (one, first) = prompt(&mut client, &session);
        let (two, second) = prompt(&mut client, &session);
        client.raw(format!("{first}\n{second}\n").as_bytes()).await;
        let came = all(&mut client, &[one, two]).await;
        assert_eq!(reason(&came, one), "end_turn");
        let end = came.iter().position(|m| is_answer(m, one)).unwrap();
        let chunks = |part: &[Value]| {
            part.iter()
                .filter(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk")
                .count()
        };
        assert_eq!(chunks(&came[..end]), 1, "{came:?}");
        match reason(&came, two) {
            code if code == -32600 => refused += 1,
            reason => {
                assert_eq!(reason, "end_turn");
                assert_eq!(chunks(&came[end..]), 1);
                ran += 1;
            }
        }
    }
    assert_eq!(ran + refused, 200);
}

/// A hundred prompts at once: exactly one turn, and ninety-nine refusals.
#[tokio::test]
async fn many_prompts_at_once_are_one_turn() {
    let gate = Gate::new();
    let (mut client, session) = ready(
        [vec![Do::Wait(gate.clone()), Do::Say("ONE"), Do::End]],
        Setup::default(),
    )
    .await;
    let (first, message) = prompt(&mut client, &session);
    let mut lines = format!("{message}\n");
    let mut others = Vec::new();
    for _ in 0..99 {
        let (id, message) = prompt(&mut client, &session);
        lines += &format!("{message}\n");
        others.push(id);
    }
    client.raw(lines.as_bytes()).await;
    gate.reached().await;
    let came = all(&mut client, &others).await;
    assert!(others.iter().all(|id| reason(&came, *id) == -32600));
    gate.open();
    let came = all(&mut client, &[first]).await;
    assert_eq!(reason(&came, first), "end_turn");
}

/// The input ends while the model speaks, while it is asked, while the user is asked, while a
/// command runs, and between two calls: the prompt is answered, all calls are ended, all is saved.
#[tokio::test]
async fn the_end_of_input_at_each_step() {
    enum At {
        Speaking,
        Asking,
        Running,
        Idle,
    }
    for (at, mode) in [
        (At::Speaking, Mode::Default),
        (At::Asking, Mode::Default),
        (At::Running, Mode::FullAccess),
        (At::Idle, Mode::Default),
    ] {
        let gate = Gate::new();
        let script = match at {
            At::Speaking => vec![vec![Do::Say("half"), Do::Wait(gate.clone()), Do::End]],
            At::Asking => vec![
                vec![Do::Say("half"), shell("echo a"), shell("echo b")],
                vec![Do::End],
            ],
            At::Running => vec![
                vec![Do::Say("half"), shell("sleep 300"), shell("echo b")],
                vec![Do::End],
            ],
            At::Idle => vec![vec![Do::Say("half"), Do::End]],
        };
        let setup = Setup {
            mode,
            ..Setup::default()
        };
        let (mut client, session) = ready(script, setup).await;
        let state = Arc::clone(&client.state);
        let (id, message) = prompt(&mut client, &session);
        client.send(message).await;
        let wanted = match at {
            At::Speaking => {
                gate.reached().await;
                "cancelled"
            }
            At::Asking => {
                client
                    .until(|m| m["method"] == "session/request_permission")
                    .await;
                "cancelled"
            }
            At::Running => {
                client
                    .until(|m| m["params"]["update"]["status"] == "in_progress")
                    .await;
                "cancelled"
            }
            At::Idle => {
                client
                    .until(|m| m["params"]["update"]["content"]["text"] == "half")
                    .await;
                "end_turn"
            }
        };
        let (came, outcome) = client.end().await;
        assert_eq!(
            (reason(&came, id), outcome),
            (json!(wanted), Outcome::Clean)
        );
        let announced = came
            .iter()
            .filter(|m| m["params"]["update"]["sessionUpdate"] == "tool_call")
            .count();
        assert_eq!(finals(&came).len(), announced, "{came:?}");
        let mut client = Client::start_with(
            Stub,
            Setup {
                state,
                ..Setup::default()
            },
        );
        let params = load(&client, &session);
        assert!(
            client
                .call("session/load", params)
                .await
                .get("result")
                .is_some()
        );
        let replayed = client.updates();
        assert_eq!(text(&replayed), "half");
        let calls = replayed
            .iter()
            .filter(|u| u["sessionUpdate"] == "tool_call");
        assert!(
            calls.clone().count() == announced && calls.clone().all(|u| u["status"] == "failed")
        );
    }
}

/// Requests that were read before a signal are answered, whatever they are.
#[tokio::test]
async fn a_signal_leaves_no_request_without_an_answer() {
    let gate = Gate::new();
    let (mut client, session) = ready([vec![Do::Wait(gate.clone()), Do::End]], full_access()).await;
    let (id, message) = prompt(&mut client, &session);
    client.send(message).await;
    gate.reached().await;
    let (mut ids, mut lines) = (vec![id], String::new());
    for _ in 0..50 {
        let (id, message) = client.message("session/list", json!({}));
        lines += &format!("{message}\n");
        ids.push(id);
    }
    client.raw(lines.as_bytes()).await;
    client.signal();
    let came = all(&mut client, &ids).await;
    assert_eq!(reason(&came, id), "cancelled");
    assert_eq!(client.end().await.1, Outcome::Clean);
}
