//! Public bug reports about ACP agents, as tests: cancels, order, tool calls, several at once.
//!
//! Each test is named for the case that it holds: an input that broke some agent, and what is right.
//! They run the built program with its real model, over pipes, with prompts in plain words.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod robust;
mod support;

use std::fs;

use acp_agent::model::{Event, Stop};
use robust::Scene;
use serde_json::{Value, json};
use soak::{
    client::{Client, text, update},
    finding::Found,
    processes,
};
use support::script::{Do, Script};

fn run(command: &str) -> String {
    format!("Run the shell command: {command}")
}

/// An agent that asks before it does anything.
fn asking(scene: &Scene) -> Found<Client> {
    let mut setup = scene.setup();
    setup.args[3] = "default".into();
    Client::start(&setup)
}

fn permission(client: &mut Client) -> Found<Value> {
    client.until(|m| m["method"] == "session/request_permission")
}

#[test]
fn a031_a_cancel_while_idle_is_nothing() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for mark in ["MARK3", "MARK4", "MARK5"] {
        client.cancel(&session)?;
        client.cancel(&session)?;
        assert_eq!(client.turn(&session, &format!("reply {mark}"))?, "end_turn");
        assert_eq!(text(&client.updates()), mark);
    }
    scene.end(client).map(drop)
}

#[test]
fn a032_a_load_does_not_take_a_running_prompt_out_of_reach() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let id = client.prompt(&session, &run(&format!("sleep {}", scene.mark)))?;
    client.running(&session)?;
    assert_eq!(client.load(&session, scene.cwd())?["error"]["code"], -32600);
    client.cancel(&session)?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    assert_eq!(processes::alive(&scene.mark).len(), 1);
    scene.end(client).map(drop)
}

#[test]
fn a033_nothing_of_a_cancelled_turn_comes_behind_its_answer() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let command = "trap '' INT TERM; for i in $(seq 100); do echo old-$i; sleep .1; done";
    let id = client.prompt(&session, &run(command))?;
    client.until(|m| {
        m["params"]["update"]["content"]
            .to_string()
            .contains("old-1")
    })?;
    client.cancel(&session)?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    client.seen();
    assert_eq!(client.turn(&session, "reply MARK6")?, "end_turn");
    let updates = client.updates();
    assert_eq!(text(&updates), "MARK6");
    assert!(
        !updates.iter().any(|u| u.to_string().contains("old-")),
        "{updates:?}"
    );
    assert_eq!(processes::alive(&scene.mark).len(), 1);
    scene.end(client).map(drop)
}

/// For an agent, the inner side is a tool server.
#[test]
fn a034_a_cancel_ends_the_turn_and_nothing_else() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = scene.session_with_server(&mut client, &[])?;
    assert_eq!(client.turn(&session, "Remember K=42")?, "end_turn");
    let id = client.prompt(&session, "Call the tool hang")?;
    scene.logged("hangs")?;
    client.cancel(&session)?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    scene.logged("cancelled")?;
    client.seen();
    assert_eq!(client.turn(&session, "What is K?")?, "end_turn");
    assert!(text(&client.updates()).contains("42"));
    assert_eq!(client.turn(&session, "Call the tool next")?, "end_turn");
    // The same process, which never ended, and heard of one cancel.
    let log = scene.log();
    let pid = log[0].strip_prefix("pid ").unwrap();
    let said = client.updates();
    assert!(
        said.iter()
            .any(|u| u.to_string().contains(&format!("1 from {pid}"))),
        "{said:?}"
    );
    assert_eq!(log[1..], ["hangs", "cancelled"]);
    scene.end(client).map(drop)
}

#[test]
fn a035_a_cancel_of_a_turn_that_has_ended_hits_no_later_one() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = scene.session_with_server(&mut client, &[])?;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}});
    let prompt =
        |words: &str| json!({"sessionId": session, "prompt": [{"type": "text", "text": words}]});
    for number in 1..=20 {
        assert_eq!(client.turn(&session, "reply A")?, "end_turn");
        let (id, next) = client.message("session/prompt", prompt("Call the tool next"));
        client.raw(format!("{cancel}\n{next}\n").as_bytes())?;
        assert_eq!(client.answer(id)?["result"]["stopReason"], "end_turn");
        let said = client.updates();
        assert!(
            said.iter()
                .any(|u| u.to_string().contains(&format!("{number} from"))),
            "{said:?}"
        );
    }
    assert_eq!(
        scene.log().len(),
        1,
        "the inner side hears of no cancel: {:?}",
        scene.log()
    );
    // The other way round it is the cancel of that prompt.
    let (id, next) = client.message("session/prompt", prompt("Call the tool hang"));
    client.raw(format!("{next}\n{cancel}\n").as_bytes())?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    scene.end(client).map(drop)
}

/// The tool server goes on with what it should stop, and answers it later or never.
#[test]
fn a036_a_turn_is_cancelled_also_when_its_inner_side_is_not() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = scene.session_with_server(&mut client, &[])?;
    for _ in 0..3 {
        let id = client.prompt(&session, "Call the tool hang")?;
        client.running(&session)?;
        client.cancel(&session)?;
        assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
        client.seen();
        assert_eq!(client.turn(&session, "reply MARK")?, "end_turn");
        let updates = client.updates();
        assert_eq!(text(&updates), "MARK");
        assert!(
            !updates
                .iter()
                .any(|u| u["sessionUpdate"] == "tool_call_update"),
            "{updates:?}"
        );
    }
    scene.end(client).map(drop)
}

#[test]
fn a037_every_call_of_a_cancelled_turn_has_a_final_status() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = asking(&scene)?;
    let session = client.session(scene.cwd())?;
    // One was allowed and has ended, one waits for its permission.
    let id = client.prompt(&session, "Run `echo one` and then run `echo two`.")?;
    let request = permission(&mut client)?;
    client.choose(&request, "allow_once")?;
    let request = permission(&mut client)?;
    client.cancel(&session)?;
    let outcome = json!({"outcome": {"outcome": "cancelled"}});
    client.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": outcome}))?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    let updates = client.updates();
    for call in updates.iter().filter(|u| u["sessionUpdate"] == "tool_call") {
        let of = updates
            .iter()
            .filter(|u| u["toolCallId"] == call["toolCallId"]);
        let finals = of.filter(|u| u["status"] == "completed" || u["status"] == "failed");
        assert_eq!(finals.count(), 1, "{updates:?}");
    }
    scene.end(client).map(drop)
}

#[test]
fn a038_a_tool_that_failed_is_failed() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for prompt in [run("exit 7"), "Read the file none.txt".to_owned()] {
        assert_eq!(client.turn(&session, &prompt)?, "end_turn");
        let updates = client.updates();
        let failed = updates.iter().find(|u| u["status"] == "failed").unwrap();
        assert!(
            !failed["content"].as_array().unwrap().is_empty(),
            "{failed}"
        );
        assert!(
            !updates.iter().any(|u| u["status"] == "completed"),
            "{updates:?}"
        );
    }
    scene.end(client).map(drop)
}

#[test]
fn a041_all_of_a_turn_comes_before_its_answer() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for _ in 0..20 {
        let prompt = "print the numbers 1..300 one per line, then END";
        assert_eq!(client.turn(&session, prompt)?, "end_turn");
        assert!(text(&client.updates()).ends_with("300\nEND"));
        // A request behind the turn: nothing of the turn comes before its answer.
        client.call("_probe/x", json!({}))?;
        assert_eq!(client.updates(), Vec::<Value>::new());
    }
    scene.end(client).map(drop)
}

#[test]
fn a042_no_update_names_a_session_before_its_answer_does() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let id = client.request("session/new", json!({"cwd": scene.cwd(), "mcpServers": []}))?;
    client.answer(id)?;
    assert!(!client.seen().iter().any(|m| update(m).is_some()));
    let answer = client.load("sess_nobody", scene.cwd())?;
    assert_eq!(answer["error"]["code"], -32002);
    assert!(
        !client
            .seen()
            .iter()
            .any(|m| m["params"]["sessionId"] == "sess_nobody")
    );
    scene.end(client).map(drop)
}

#[test]
fn a053_two_prompts_of_one_session_do_not_mix() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let go = scene.cwd().join("go");
    let wait = format!(
        "until [ -e {} ]; do sleep .01; done; echo ONE",
        go.display()
    );
    let first = client.prompt(&session, &run(&wait))?;
    client.running(&session)?;
    let refused = client.turn(&session, "reply TWO")?;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    fs::write(&go, "").unwrap();
    assert_eq!(client.answer(first)?["result"]["stopReason"], "end_turn");
    let updates = client.updates();
    assert!(
        updates
            .iter()
            .any(|u| u["status"] == "completed" && u.to_string().contains("ONE"))
    );
    assert!(!text(&updates).contains("TWO"));
    assert_eq!(
        client.turn(&session, "list my last two requests")?,
        "end_turn"
    );
    assert!(text(&client.updates()).contains("echo ONE"));
    scene.end(client).map(drop)
}

#[test]
fn a054_an_open_question_blocks_no_other_session() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = asking(&scene)?;
    let first = client.session(scene.cwd())?;
    let id = client.prompt(&first, &run("echo hi"))?;
    let request = permission(&mut client)?;
    let second = client.session(scene.cwd())?;
    client.seen();
    assert_eq!(client.turn(&second, "reply MARK7")?, "end_turn");
    assert_eq!(text(&client.updates()), "MARK7");
    client.choose(&request, "allow_once")?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "end_turn");
    scene.end(client).map(drop)
}

#[test]
fn a055_messages_are_read_while_the_agent_asks() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = asking(&scene)?;
    let session = client.session(scene.cwd())?;
    let id = client.prompt(&session, &run("echo hi"))?;
    let request = permission(&mut client)?;
    assert_eq!(
        client.call("_probe/88", json!({}))?["error"]["code"],
        -32601
    );
    client.choose(&request, "allow_once")?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "end_turn");
    let id = client.prompt(&session, &run("echo again"))?;
    permission(&mut client)?;
    client.cancel(&session)?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    scene.end(client).map(drop)
}

/// With a scripted model, because the real one never fails.
#[tokio::test]
async fn a089_a_failed_model_is_an_error_and_the_next_prompt_works() {
    let failed = Do::Emit(Event::Stop(Stop::Failed("HTTP 400: bad request".into())));
    let script = Script::new([vec![failed], vec![Do::Say("fine"), Do::End]]);
    let mut client = support::client::Client::start(script);
    client.initialize().await;
    let session = client.session().await;
    let answer = client.turn(&session, "the prompt that failed").await;
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("HTTP 400"),
        "{answer}"
    );
    assert_eq!(client.turn(&session, "y").await, "end_turn");
    client.seen();
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    client.call("session/load", params).await;
    let replayed = Value::from(client.updates()).to_string();
    assert_eq!(replayed.matches("the prompt that failed").count(), 1);
}
