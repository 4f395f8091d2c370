//! Turns: order, cancels and their races, with a scripted model and gates instead of sleeps.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::{
    mode::Mode,
    model::{Event, PlanEntry, Priority, Progress, Stop, Stub},
    serve::Outcome,
};
use serde_json::{Value, json};
use support::{
    client::{Client, Setup, text},
    script::{Do, Gate, Script},
};

async fn ready(script: Script, setup: Setup) -> (Client, String) {
    let mut client = Client::start_with(script, setup);
    client.initialize().await;
    let session = client.session().await;
    (client, session)
}

fn full_access() -> Setup {
    Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    }
}

fn shell(command: &str) -> Do {
    Do::Call("shell", json!({"command": command}))
}

#[tokio::test]
async fn all_chunks_come_before_the_answer() {
    let mut steps: Vec<Do> = (0..300).map(|_| Do::Say("x\n")).collect();
    steps.extend([Do::Say("END"), Do::End]);
    let (mut client, session) = ready(Script::new([steps]), Setup::default()).await;
    for _ in 0..20 {
        assert_eq!(client.turn(&session, "go").await, "end_turn");
        assert!(text(&client.updates()).ends_with("x\nEND"));
    }
}

#[tokio::test]
async fn a_cancel_while_the_model_speaks() {
    let gate = Gate::new();
    let script = Script::new([vec![
        Do::Say("one"),
        Do::Wait(gate.clone()),
        Do::Say("two"),
        Do::End,
    ]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    let id = client.prompt(&session, "count").await;
    gate.reached().await;
    client.cancel(&session).await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    assert_eq!(text(&client.updates()), "one");
}

#[tokio::test]
async fn a_cancel_in_the_same_write_as_its_prompt_hits_it() {
    let gate = Gate::new();
    let (mut client, session) = ready(
        Script::new([vec![Do::Wait(gate.clone()), Do::End]]),
        Setup::default(),
    )
    .await;
    for _ in 0..50 {
        let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": "x"}]});
        let (id, prompt) = client.message("session/prompt", params);
        let cancel =
            json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
        client.raw(format!("{prompt}\n{cancel}\n").as_bytes()).await;
        assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    }
}

#[tokio::test]
async fn a_cancel_while_idle_does_not_stay_armed() {
    let (mut client, session) = ready(
        Script::new([vec![Do::Say("hi"), Do::End]]),
        Setup::default(),
    )
    .await;
    for _ in 0..3 {
        client.cancel(&session).await;
        client.cancel(&session).await;
        assert_eq!(client.turn(&session, "x").await, "end_turn");
    }
}

#[tokio::test]
async fn a_second_prompt_is_refused_and_the_first_untouched() {
    let gate = Gate::new();
    let script = Script::new([vec![Do::Wait(gate.clone()), Do::Say("ONE"), Do::End]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    let first = client.prompt(&session, "one").await;
    gate.reached().await;
    let second = client.turn(&session, "two").await;
    assert_eq!(second["error"]["code"], -32600);
    gate.open();
    assert_eq!(
        client.answer(first).await["result"]["stopReason"],
        "end_turn"
    );
    assert_eq!(text(&client.updates()), "ONE");
}

#[tokio::test]
async fn cancel_request_of_a_prompt_is_a_cancel() {
    let gate = Gate::new();
    let (mut client, session) = ready(
        Script::new([vec![Do::Wait(gate.clone()), Do::End]]),
        Setup::default(),
    )
    .await;
    let id = client.prompt(&session, "x").await;
    gate.reached().await;
    client
        .notify("$/cancel_request", json!({"requestId": id}))
        .await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_cancelled_permission_ends_both_calls() {
    let script = Script::new([
        vec![shell("echo one"), shell("echo two")],
        vec![Do::Say("AGAIN"), Do::End],
    ]);
    let (mut client, session) = ready(script, Setup::default()).await;
    let id = client.prompt(&session, "x").await;
    let request = client.permission().await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    let updates = client.updates();
    let ended = updates.iter().filter(|u| u["status"] == "failed").count();
    assert_eq!(ended, 2, "{updates:?}");
    // The late answer is harmless, in each of its forms.
    client.choose(&request, "allow_once").await;
    let error = json!({"code": -32603, "message": "gone"});
    client
        .send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}))
        .await;
    assert_eq!(client.turn(&session, "y").await, "end_turn");
    assert_eq!(text(&client.updates()), "AGAIN");
}

#[tokio::test]
async fn what_a_refusal_can_look_like() {
    let answers: [fn(&Value) -> Value; 5] = [
        |_| json!({"result": {"outcome": {"outcome": "cancelled"}}}),
        |_| json!({"result": {"outcome": {"outcome": "selected", "optionId": "bogus"}}}),
        |_| json!({"error": {"code": -32601, "message": "no"}}),
        |_| json!({"result": {"outcome": {"outcome": "maybe"}}}),
        |_| json!({"result": null}),
    ];
    for answer in answers {
        let script = Script::new([vec![shell("touch p1")], vec![Do::Say("refused"), Do::End]]);
        let (mut client, session) = ready(script, Setup::default()).await;
        let id = client.prompt(&session, "x").await;
        let request = client.permission().await;
        let mut message = answer(&request);
        message["jsonrpc"] = "2.0".into();
        message["id"] = request["id"].clone();
        client.send(message.clone()).await;
        assert_eq!(
            client.answer(id).await["result"]["stopReason"],
            "end_turn",
            "{message}"
        );
        assert!(!client.workspace.path().join("p1").exists());
        let updates = client.updates();
        assert_eq!(
            updates.iter().filter(|u| u["status"] == "failed").count(),
            1
        );
    }
}

#[tokio::test]
async fn always_is_remembered_for_the_same_thing_only_and_after_a_load() {
    let script = Script::new([
        vec![shell("echo a")],
        vec![Do::End],
        vec![shell("echo a")],
        vec![Do::End],
        vec![shell("echo b")],
        vec![Do::End],
        vec![shell("echo a")],
        vec![Do::End],
    ]);
    let (mut client, session) = ready(script, Setup::default()).await;
    let id = client.prompt(&session, "1").await;
    let request = client.permission().await;
    assert_eq!(
        request["params"]["toolCall"]["rawInput"]["command"],
        "echo a"
    );
    assert_eq!(request["params"]["toolCall"]["kind"], "execute");
    client.choose(&request, "allow_always").await;
    client.answer(id).await;
    client.seen();
    assert_eq!(client.turn(&session, "2").await, "end_turn");
    assert!(
        client
            .seen()
            .iter()
            .all(|m| m["method"] != "session/request_permission")
    );
    let id = client.prompt(&session, "3").await;
    let request = client.permission().await;
    client.choose(&request, "reject_once").await;
    client.answer(id).await;
    let cwd = client.workspace.path().to_owned();
    client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": cwd, "mcpServers": []}),
        )
        .await;
    client.seen();
    assert_eq!(client.turn(&session, "4").await, "end_turn");
    assert!(
        client
            .seen()
            .iter()
            .all(|m| m["method"] != "session/request_permission")
    );
}

#[tokio::test]
async fn an_open_permission_holds_up_nobody_else() {
    let script = Script::new([vec![shell("echo a")], vec![Do::Say("MARK7"), Do::End]]);
    let (mut client, first) = ready(script, Setup::default()).await;
    let id = client.prompt(&first, "x").await;
    let request = client.permission().await;
    let second = client.session().await;
    assert_eq!(client.turn(&second, "y").await, "end_turn");
    assert_eq!(text(&client.updates()), "MARK7");
    client.choose(&request, "allow_once").await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
}

#[tokio::test]
async fn the_mode_at_the_moment_of_the_answer_decides() {
    let write = Do::Call("write_file", json!({"path": "f", "content": "x"}));
    let script = Script::new([vec![write], vec![Do::End]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    let id = client.prompt(&session, "x").await;
    let request = client.permission().await;
    client
        .call(
            "session/set_mode",
            json!({"sessionId": session, "modeId": "plan"}),
        )
        .await;
    client.choose(&request, "allow_once").await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    assert!(!client.workspace.path().join("f").exists());
}

#[tokio::test]
async fn a_failed_model_is_an_error_and_the_next_prompt_works() {
    let fail = Do::Emit(Event::Stop(Stop::Failed("HTTP 400: no".into())));
    let script = Script::new([vec![fail], vec![Do::Say("fine"), Do::End]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    let answer = client.turn(&session, "x").await;
    assert_eq!(answer["error"]["code"], -32603);
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("HTTP 400")
    );
    assert_eq!(client.turn(&session, "y").await, "end_turn");
}

#[tokio::test]
async fn every_stop_of_the_model_has_its_reason() {
    let stop = |stop| vec![Do::Emit(Event::Stop(stop))];
    let script = Script::new([stop(Stop::MaxTokens), stop(Stop::Refusal), vec![Do::End]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    for reason in ["max_tokens", "refusal", "end_turn"] {
        assert_eq!(client.turn(&session, "x").await, reason);
    }
}

#[tokio::test]
async fn a_model_that_never_stops_calling_is_stopped() {
    let script = Script::new([vec![Do::Call("list_directory", json!({"path": "."}))]]);
    let (mut client, session) = ready(script, Setup::default()).await;
    assert_eq!(client.turn(&session, "x").await, "max_turn_requests");
}

#[tokio::test]
async fn the_plan_is_sent_whole_and_replayed() {
    let entry = |status| PlanEntry {
        content: "step".into(),
        priority: Priority::High,
        status,
    };
    let plan = Event::Plan(vec![entry(Progress::Completed), entry(Progress::Pending)]);
    let (mut client, session) = ready(
        Script::new([vec![Do::Emit(plan), Do::End]]),
        Setup::default(),
    )
    .await;
    client.turn(&session, "x").await;
    let live = client.updates();
    assert_eq!(live[0]["entries"].as_array().unwrap().len(), 2);
    let cwd = client.workspace.path().to_owned();
    client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": cwd, "mcpServers": []}),
        )
        .await;
    assert!(client.updates().contains(&live[0]));
}

#[tokio::test]
async fn failed_tools_are_failed() {
    let script = Script::new([
        vec![
            shell("exit 7"),
            Do::Call("read_file", json!({"path": "none.txt"})),
            Do::Call("bogus", json!({})),
        ],
        vec![Do::End],
    ]);
    let (mut client, session) = ready(script, full_access()).await;
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let updates = client.updates();
    let failed: Vec<_> = updates.iter().filter(|u| u["status"] == "failed").collect();
    assert_eq!(failed.len(), 3, "{updates:?}");
    assert!(failed[0].to_string().contains('7'));
}

#[tokio::test]
async fn ids_of_calls_never_come_twice_over_a_load() {
    let script = Script::new([vec![shell("true"), shell("true")], vec![Do::End]]);
    let (mut client, session) = ready(script, full_access()).await;
    client.turn(&session, "x").await;
    let cwd = client.workspace.path().to_owned();
    client.seen();
    client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": cwd, "mcpServers": []}),
        )
        .await;
    let ids = |updates: Vec<Value>| -> Vec<Value> {
        let calls = updates
            .into_iter()
            .filter(|u| u["sessionUpdate"] == "tool_call");
        calls.map(|u| u["toolCallId"].clone()).collect()
    };
    let replayed = ids(client.updates());
    assert_eq!(replayed.len(), 2);
    let script = [vec![shell("true")], vec![Do::End]];
    let state = client.state.clone();
    client.end().await;
    let mut client = Client::start_with(
        Script::new(script),
        Setup {
            state,
            ..full_access()
        },
    );
    client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": "/", "mcpServers": []}),
        )
        .await;
    assert_eq!(ids(client.updates()), replayed);
    client.turn(&session, "y").await;
    let live = ids(client.updates());
    assert!(live.len() == 1 && !replayed.contains(&live[0]));
}

#[tokio::test]
async fn the_end_of_input_cancels_a_command_and_saves_the_turn() {
    let script = Script::new([vec![Do::Say("starting"), shell("echo up; exec sleep 300")]]);
    let (mut client, session) = ready(script, full_access()).await;
    let id = client.prompt(&session, "x").await;
    client
        .until(|m| m["params"]["update"]["status"] == "in_progress")
        .await;
    let state = client.state.clone();
    let (messages, outcome) = client.end().await;
    let answer = messages
        .iter()
        .find(|m| m["id"] == id && m.get("method").is_none())
        .unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert_eq!(outcome, Outcome::Clean);
    let mut client = Client::start_with(
        Stub,
        Setup {
            state,
            ..Setup::default()
        },
    );
    client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": "/", "mcpServers": []}),
        )
        .await;
    assert_eq!(text(&client.updates()), "starting");
}

#[tokio::test]
async fn a_signal_ends_like_the_end_of_input() {
    let script = Script::new([vec![shell("sleep 300")]]);
    let (mut client, session) = ready(script, full_access()).await;
    let id = client.prompt(&session, "x").await;
    client
        .until(|m| m["params"]["update"]["status"] == "in_progress")
        .await;
    client.signal();
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    assert_eq!(client.end().await.1, Outcome::Clean);
}

#[tokio::test]
async fn a_load_while_a_turn_runs_is_refused() {
    let gate = Gate::new();
    let (mut client, session) = ready(
        Script::new([vec![Do::Wait(gate.clone()), Do::End]]),
        Setup::default(),
    )
    .await;
    let id = client.prompt(&session, "x").await;
    gate.reached().await;
    let load = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    assert_eq!(
        client.call("session/load", load.clone()).await["error"]["code"],
        -32600
    );
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    assert!(
        client
            .call("session/load", load)
            .await
            .get("result")
            .is_some()
    );
}

#[tokio::test]
async fn a044_sixty_turns_are_replayed_whole_and_in_order() {
    let (mut client, session) = {
        let mut client = Client::start(Stub);
        client.initialize().await;
        let session = client.session().await;
        (client, session)
    };
    for turn in 1..=60 {
        client
            .turn(
                &session,
                &format!("Reply with exactly M{turn} and nothing else."),
            )
            .await;
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
    client
        .call(
            "session/load",
            json!({"sessionId": session, "cwd": "/", "mcpServers": []}),
        )
        .await;
    let updates = client.updates();
    assert_eq!(updates.len(), 120);
    for (turn, pair) in updates.chunks(2).enumerate() {
        let marker = format!("M{}", turn + 1);
        assert_eq!(pair[0]["sessionUpdate"], "user_message_chunk");
        let said = pair[0]["content"]["text"].as_str().unwrap();
        assert!(said.contains(&format!("{marker} ")), "{said}");
        assert_eq!(pair[1]["content"]["text"], marker.as_str());
    }
}
