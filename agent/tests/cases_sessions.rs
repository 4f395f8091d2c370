//! Public bug reports about ACP agents, as tests: sessions, what they remember, where they work.
//!
//! Each test is named for the case that it holds: an input that broke some agent, and what is right.
//! What needs a kill or several processes runs the built program; the rest an agent in memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod robust;
mod support;

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::Arc,
};

use acp_agent::{
    mode::Mode,
    model::{Message, Model, Stub},
};
use robust::Scene;
use serde_json::{Value, json};
use soak::{finding::Found, processes};
use support::{
    client::{Client, Setup, text},
    script::{Do, Gate, Script},
    watched::Watched,
};
use tempfile::TempDir;

fn full_access() -> Setup {
    Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    }
}

fn shell(command: &str) -> Do {
    Do::Call("shell", json!({"command": command}))
}

/// An agent that has been initialized, on this state.
async fn on(state: &Arc<TempDir>, mode: Mode, model: impl Model + 'static) -> Client {
    let setup = Setup {
        state: Arc::clone(state),
        mode,
        ..Setup::default()
    };
    let mut client = Client::start_with(model, setup);
    client.initialize().await;
    client
}

async fn load(client: &mut Client, session: &str, cwd: &Path) -> Value {
    let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    client.call("session/load", params).await
}

fn of_kind(updates: &[Value], kind: &str) -> Vec<Value> {
    let of_kind = |update: &&Value| update["sessionUpdate"] == kind;
    updates.iter().filter(of_kind).cloned().collect()
}

/// The ids of the announced calls, in their order.
fn calls(updates: &[Value]) -> Vec<String> {
    let calls = of_kind(updates, "tool_call");
    calls
        .iter()
        .map(|call| call["toolCallId"].as_str().unwrap().to_owned())
        .collect()
}

/// Waits until a call runs, stops it, and returns the stop reason.
async fn cancelled_turn(client: &mut Client, session: &str, prompt: &str) -> Value {
    let id = client.prompt(session, prompt).await;
    client
        .until(|m| m["params"]["update"]["status"] == "in_progress")
        .await;
    client.cancel(session).await;
    client.answer(id).await["result"]["stopReason"].clone()
}

#[tokio::test]
async fn a039_what_a_cancelled_turn_said_is_remembered() {
    let told = "The code word is LYNX. Now run: sleep 30";
    let state = Arc::new(tempfile::tempdir().unwrap());
    let mut client = on(&state, Mode::FullAccess, Stub).await;
    let session = client.session().await;
    assert_eq!(
        cancelled_turn(&mut client, &session, told).await,
        "cancelled"
    );
    client.seen();
    client.turn(&session, "What is the code word?").await;
    assert!(text(&client.updates()).contains("LYNX"));
    client.end().await;

    let mut client = on(&state, Mode::FullAccess, Stub).await;
    load(&mut client, &session, Path::new("/")).await;
    let replayed = of_kind(&client.updates(), "user_message_chunk");
    let told = replayed.iter().filter(|u| u["content"]["text"] == told);
    assert_eq!(told.count(), 1, "{replayed:?}");
    client.turn(&session, "What is the code word?").await;
    assert!(text(&client.updates()).contains("LYNX"));
}

/// Each call has its one result right behind it, and nobody speaks twice in a row.
fn well_formed(messages: &[Message]) {
    let mut open = None;
    let mut user_spoke = false;
    for message in messages {
        match (message, open.take()) {
            (Message::ToolResult(result), Some(call)) => {
                assert_eq!(result.id, call, "{messages:?}");
            }
            (Message::ToolResult(_), None) | (_, Some(_)) => panic!("{messages:?}"),
            (Message::ToolCall(call), None) => open = Some(call.id.clone()),
            (Message::User(_), None) => assert!(!user_spoke, "{messages:?}"),
            (Message::Assistant(_) | Message::Note(_), None) => {}
        }
        user_spoke = matches!(message, Message::User(_));
    }
    assert_eq!(open, None, "{messages:?}");
}

/// Of two calls the first is refused, then both are stopped, then the agent is killed in one.
#[tokio::test]
async fn a040_the_history_stays_well_formed_whatever_became_of_a_call() {
    let Scene {
        state,
        workspace,
        mark,
    } = Scene::new().unwrap();
    let (state, cwd) = (Arc::new(state), workspace.path());
    let two = || vec![shell("echo one"), shell("echo two")];
    let (model, heard) = Watched::new(Script::new([
        two(),
        vec![Do::Say("one was refused"), Do::End],
        two(),
        vec![Do::Say("MARK13"), Do::End],
    ]));
    let mut client = on(&state, Mode::Default, model).await;
    let session = client.session().await;
    let id = client.prompt(&session, "run two").await;
    let request = client.permission().await;
    client.choose(&request, "reject_once").await;
    let request = client.permission().await;
    client.choose(&request, "allow_once").await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    let id = client.prompt(&session, "run two again").await;
    let request = client.permission().await;
    client.cancel(&session).await;
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    client.reply(&request, cancelled).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    client.seen();
    assert_eq!(client.turn(&session, "reply MARK13").await, "end_turn");
    assert_eq!(text(&client.updates()), "MARK13");
    client.end().await;
    let all = heard.all();
    assert_eq!(all.len(), 4);
    all.iter()
        .for_each(|conversation| well_formed(conversation));

    kill_in_a_call(&state, &session, cwd, &mark).unwrap();
    let (model, heard) = Watched::new(Stub);
    let mut client = on(&state, Mode::Default, model).await;
    load(&mut client, &session, cwd).await;
    client.seen();
    assert_eq!(client.turn(&session, "reply MARK14").await, "end_turn");
    assert_eq!(text(&client.updates()), "MARK14");
    let history = heard.last();
    well_formed(&history);
    let results = |message: &&Message| matches!(message, Message::ToolResult(_));
    assert_eq!(history.iter().filter(results).count(), 4, "{history:?}");
}

/// Kills the program while a command runs.
fn kill_in_a_call(state: &TempDir, session: &str, cwd: &Path, mark: &str) -> Found<()> {
    let setup = soak::program::Setup::reference(&robust::program(), state.path(), mark);
    let mut client = soak::client::Client::start(&setup)?;
    client.load(session, cwd)?;
    client.prompt(session, &format!("Run the shell command: sleep {mark}"))?;
    client.running(session)?;
    client.program.kill()?;
    processes::wait_until_gone(mark, robust::GONE).unwrap();
    Ok(())
}

#[tokio::test]
async fn a045_text_and_calls_and_plans_are_replayed() {
    let entries = json!([{"content": "look", "priority": "high", "status": "pending"}]);
    let script = Script::new([
        vec![Do::Say("some text"), Do::End],
        vec![
            shell("echo out"),
            Do::Call("update_plan", json!({"entries": entries})),
        ],
        vec![Do::End],
    ]);
    let state = Arc::new(tempfile::tempdir().unwrap());
    let mut client = on(&state, Mode::FullAccess, script).await;
    let session = client.session().await;
    client.turn(&session, "first").await;
    client.turn(&session, "second").await;
    client.end().await;

    let mut client = on(&state, Mode::FullAccess, Stub).await;
    let answer = load(&mut client, &session, Path::new("/")).await;
    assert!(answer.get("result").is_some(), "{answer}");
    let seen = client.seen();
    let of_session = |m: &Value| m["params"]["sessionId"] == session.as_str();
    assert!(seen.iter().all(of_session), "{seen:?}");
    let replayed: Vec<Value> = seen.iter().map(|m| m["params"]["update"].clone()).collect();
    let said = of_kind(&replayed, "user_message_chunk");
    let said: Vec<_> = said.iter().map(|u| &u["content"]["text"]).collect();
    assert_eq!(said, ["first", "second"]);
    assert_eq!(text(&replayed), "some text");
    let call = &of_kind(&replayed, "tool_call")[0];
    assert_eq!(call["status"], "completed", "{call}");
    assert!(call["content"].to_string().contains("out"), "{call}");
    assert_eq!(of_kind(&replayed, "plan")[0]["entries"], entries);
}

fn stored(state: &TempDir, session: &str) -> PathBuf {
    state.path().join(format!("sessions/{session}.jsonl"))
}

#[tokio::test]
async fn a046_a_torn_last_line_costs_that_line_only() {
    let state = Arc::new(tempfile::tempdir().unwrap());
    let mut client = on(&state, Mode::Default, Stub).await;
    let (torn, whole) = (client.session().await, client.session().await);
    for session in [&torn, &whole] {
        client.turn(session, "Reply with exactly BEFORE.").await;
    }
    client.end().await;
    let path = stored(&state, &torn);
    let length = fs::metadata(&path).unwrap().len();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_len(length - 5).unwrap();

    for _ in 0..2 {
        let mut client = on(&state, Mode::Default, Stub).await;
        for session in [&torn, &whole] {
            let answer = load(&mut client, session, Path::new("/")).await;
            assert!(answer.get("result").is_some(), "{answer}");
            assert!(text(&client.updates()).starts_with("BEFORE"));
            assert_eq!(client.turn(session, "hi").await, "end_turn");
            client.seen();
        }
        client.end().await;
        let lines = fs::read_to_string(&path).unwrap();
        for line in lines.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
        }
    }
}

/// The scripted model begins to count its calls again in every reply.
#[tokio::test]
async fn a047_calls_of_different_turns_have_different_ids_over_a_load() {
    let turn = |number: u32| vec![shell(&format!("echo out-{number}"))];
    let turns = |numbers: std::ops::RangeInclusive<u32>| {
        Script::new(numbers.flat_map(|number| [turn(number), vec![Do::End]]))
    };
    let state = Arc::new(tempfile::tempdir().unwrap());
    let mut client = on(&state, Mode::FullAccess, turns(1..=4)).await;
    let session = client.session().await;
    for _ in 1..=4 {
        client.turn(&session, "x").await;
    }
    client.end().await;

    let mut client = on(&state, Mode::FullAccess, turns(5..=5)).await;
    load(&mut client, &session, Path::new("/")).await;
    client.turn(&session, "x").await;
    let updates = client.updates();
    let ids = calls(&updates);
    assert_eq!(ids.len(), 5, "{updates:?}");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 5, "{ids:?}");
    for (number, id) in (1..).zip(&ids) {
        let of_call: Vec<_> = updates.iter().filter(|u| u["toolCallId"] == *id).collect();
        assert_eq!(of_call[0]["sessionUpdate"], "tool_call", "{of_call:?}");
        let last = of_call.last().unwrap();
        assert_eq!(last["status"], "completed", "{last}");
        let out = format!("out-{number}");
        assert!(last["content"].to_string().contains(&out), "{last}");
    }
}

/// Eight agents, each with five sessions; in the second round half of them are killed in a turn.
#[test]
fn a050_agents_side_by_side_lose_no_session() -> Found<()> {
    let scene = Scene::new()?;
    let mut made: Vec<String> = Vec::new();
    for with_kill in [false, true] {
        let mut agents = Vec::new();
        for _ in 0..8 {
            agents.push(soak::client::Client::start_silent(&scene.setup())?);
        }
        let mut sessions = vec![Vec::new(); agents.len()];
        for _ in 0..5 {
            // First all ask, then all are answered, so that they work at once.
            let mut asked = Vec::new();
            for agent in &mut agents {
                let params = json!({"cwd": scene.cwd(), "mcpServers": []});
                asked.push(agent.request("session/new", params)?);
            }
            for ((agent, own), id) in agents.iter_mut().zip(&mut sessions).zip(asked) {
                let answer = agent.answer(id)?;
                own.push(answer["result"]["sessionId"].as_str().unwrap().to_owned());
            }
            let mut asked = Vec::new();
            for (agent, own) in agents.iter_mut().zip(&sessions) {
                asked.push(agent.prompt(own.last().unwrap(), "x")?);
            }
            for (agent, id) in agents.iter_mut().zip(asked) {
                assert_eq!(agent.answer(id)?["result"]["stopReason"], "end_turn");
            }
        }
        made.extend(sessions.iter().flatten().cloned());
        for (index, mut agent) in agents.into_iter().enumerate() {
            if with_kill && index % 2 == 0 {
                let session = &sessions[index][4];
                agent.prompt(session, &format!("Run: `sleep {}`", scene.mark))?;
                agent.running(session)?;
                agent.program.kill()?;
            } else {
                assert!(agent.end()?.status.success());
            }
        }
        scene.nothing_left()?;
        all_are_there(&scene, &made)?;
    }
    Ok(())
}

/// A new agent lists and loads all of them.
fn all_are_there(scene: &Scene, made: &[String]) -> Found<()> {
    let mut client = scene.client()?;
    let (mut listed, mut params) = (BTreeSet::new(), json!({}));
    loop {
        let page = client.call("session/list", params)?["result"].clone();
        for session in page["sessions"].as_array().unwrap() {
            listed.insert(session["sessionId"].as_str().unwrap().to_owned());
        }
        match page.get("nextCursor") {
            Some(cursor) => params = json!({"cursor": cursor}),
            None => break,
        }
    }
    assert_eq!(listed, made.iter().cloned().collect());
    for session in made {
        let answer = client.load(session, scene.cwd())?;
        assert!(answer.get("result").is_some(), "{answer}");
        let said = soak::client::text_of("user_message_chunk", &client.updates());
        assert!(said.starts_with('x'), "{said}");
        client.call("session/close", json!({"sessionId": session}))?;
    }
    scene.end(client).map(drop)
}

#[tokio::test]
async fn a052_each_new_session_has_an_id_and_all_work_at_once() {
    let gate = Gate::new();
    let script = Script::new([vec![Do::Wait(gate.clone()), Do::Say("here"), Do::End]]);
    let mut client = Client::start(script);
    client.initialize().await;
    let cwd = client.workspace.path().to_owned();
    let mut sessions = BTreeSet::new();
    for more in [
        json!({}),
        json!({}),
        json!({"_meta": {"x": 1}, "future": [1]}),
    ] {
        let mut params = json!({"cwd": cwd, "mcpServers": []});
        for (name, value) in more.as_object().unwrap() {
            params[name] = value.clone();
        }
        let answer = client.call("session/new", params).await;
        sessions.insert(answer["result"]["sessionId"].as_str().unwrap().to_owned());
    }
    assert_eq!(sessions.len(), 3);
    assert!(sessions.iter().all(|id| !id.is_empty()));
    let mut prompts = Vec::new();
    for session in &sessions {
        prompts.push(client.prompt(session, "x").await);
        gate.reached().await;
    }
    for id in prompts {
        gate.open();
        assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    }
}

#[tokio::test]
async fn a085_what_is_deleted_while_it_runs_stays_away() {
    let methods: [&[&str]; 3] = [
        &["session/delete"],
        &["session/close", "session/delete"],
        &["session/delete", "session/new"],
    ];
    for methods in methods {
        let mark = processes::mark();
        let script = Script::new([vec![shell(&format!("sleep {mark}; echo x"))], vec![Do::End]]);
        let state = Arc::new(tempfile::tempdir().unwrap());
        let mut client = on(&state, Mode::FullAccess, script).await;
        let session = client.session().await;
        let prompt = client.prompt(&session, "x").await;
        client
            .until(|m| m["params"]["update"]["status"] == "in_progress")
            .await;
        let cwd = client.workspace.path().to_owned();
        let mut new = Vec::new();
        for (index, method) in methods.iter().enumerate() {
            let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
            let answer = client.call(method, params).await;
            assert!(answer.get("result").is_some(), "{method}: {answer}");
            if index == 0 {
                assert_eq!(processes::alive(&mark), []);
            }
            new.extend(answer["result"]["sessionId"].as_str().map(str::to_owned));
        }
        let seen = client.seen();
        let answer = seen.iter().find(|m| m["id"] == prompt).unwrap();
        assert_eq!(answer["result"]["stopReason"], "cancelled");
        for _ in 0..2 {
            let listed = client.call("session/list", json!({})).await;
            let listed = listed["result"]["sessions"].as_array().unwrap();
            let ids: Vec<_> = listed.iter().map(|s| &s["sessionId"]).collect();
            assert_eq!(ids, new.iter().collect::<Vec<_>>(), "{methods:?}");
            client.end().await;
            client = on(&state, Mode::FullAccess, Stub).await;
        }
        let answer = load(&mut client, &session, Path::new("/")).await;
        assert_eq!(answer["error"]["code"], -32002, "{answer}");
    }
}

/// With the agent's own hands, and by way of a client that has files.
#[tokio::test]
async fn a086_a_link_is_followed_before_the_dots_behind_it() {
    for offers in [
        json!({}),
        json!({"fs": {"readTextFile": true, "writeTextFile": true}}),
    ] {
        let state = Arc::new(tempfile::tempdir().unwrap());
        let workspace = tempfile::tempdir().unwrap();
        let w = fs::canonicalize(workspace.path()).unwrap();
        fs::create_dir_all(w.join("deep/dir")).unwrap();
        symlink("deep/dir", w.join("alias")).unwrap();
        fs::write(w.join("target"), "sentinel").unwrap();
        fs::write(w.join("deep/target"), "deep").unwrap();
        let path = w.join("alias/../target");
        let script = Script::new([
            vec![
                Do::Call("read_file", json!({"path": path})),
                Do::Call("write_file", json!({"path": path, "content": "written"})),
            ],
            vec![Do::End],
        ]);
        let setup = Setup {
            state,
            ..full_access()
        };
        let mut client = Client::start_with(script, setup);
        client.initialize_with(offers.clone()).await;
        let params = json!({"cwd": w, "mcpServers": []});
        let session = client.call("session/new", params).await["result"]["sessionId"].clone();
        let id = client.prompt(session.as_str().unwrap(), "x").await;
        loop {
            let message = client
                .until(|m| m["id"] == id || m.get("method").is_some() && m.get("id").is_some())
                .await;
            let Some(method) = message["method"].as_str() else {
                break;
            };
            let path = message["params"]["path"].as_str().unwrap();
            assert_eq!(path, w.join("deep/target").to_str().unwrap(), "{message}");
            let result = match method {
                "fs/read_text_file" => json!({"content": fs::read_to_string(path).unwrap()}),
                _ => {
                    fs::write(path, message["params"]["content"].as_str().unwrap()).unwrap();
                    json!({})
                }
            };
            client.reply(&message, result).await;
        }
        let updates = client.updates();
        let read = updates.iter().find(|u| u["status"] == "completed").unwrap();
        assert!(read["content"].to_string().contains("deep"), "{read}");
        assert_eq!(fs::read_to_string(w.join("target")).unwrap(), "sentinel");
        let deep = fs::read_to_string(w.join("deep/target")).unwrap();
        assert_eq!(deep, "written", "{offers}");
    }
}

#[tokio::test]
async fn a087_a_load_with_another_folder_works_there() {
    let state = Arc::new(tempfile::tempdir().unwrap());
    let mut client = on(&state, Mode::FullAccess, Stub).await;
    let first = tempfile::tempdir().unwrap();
    let params = json!({"cwd": first.path(), "mcpServers": []});
    let answer = client.call("session/new", params).await;
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    client.turn(&session, "hi").await;
    client.end().await;

    let script = Script::new([
        vec![
            shell("pwd"),
            Do::Call("write_file", json!({"path": "rel.txt", "content": "x"})),
        ],
        vec![Do::End],
    ]);
    let mut client = on(&state, Mode::FullAccess, script).await;
    let second = fs::canonicalize(client.workspace.path()).unwrap();
    let answer = load(&mut client, &session, &second).await;
    assert!(answer.get("result").is_some(), "{answer}");
    client.seen();
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let updates = client.updates();
    let done: Vec<_> = updates
        .iter()
        .filter(|u| u["status"] == "completed")
        .collect();
    assert_eq!(done.len(), 2, "{updates:?}");
    let said = done[0]["content"].to_string();
    assert!(said.contains(second.to_str().unwrap()), "{said}");
    assert!(second.join("rel.txt").exists());
    assert!(!first.path().join("rel.txt").exists());
}

/// What leads outside is asked for, and not looked at when it is refused.
#[tokio::test]
async fn a088_links_and_dots_and_like_names_do_not_lead_outside() {
    let folder = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(folder.path()).unwrap();
    let w = top.join("w");
    for folder in ["w", "w-evil", "etc", "home"] {
        fs::create_dir(top.join(folder)).unwrap();
    }
    for file in ["etc/hostname", "x", "w-evil/y"] {
        fs::write(top.join(file), "OUTSIDE").unwrap();
    }
    fs::write(w.join("inside.txt"), "INSIDE").unwrap();
    symlink(top.join("etc"), w.join("link")).unwrap();
    symlink(top.join("home"), w.join("link2")).unwrap();
    symlink(&w, top.join("door")).unwrap();
    let read = |path: PathBuf| Do::Call("read_file", json!({"path": path}));
    let outside = vec![
        read(w.join("link/hostname")),
        read(w.join("../x")),
        read(top.join("w-evil/y")),
        Do::Call(
            "write_file",
            json!({"path": w.join("link2/new"), "content": "x"}),
        ),
    ];
    let inside = vec![
        read("inside.txt".into()),
        read(w.join("inside.txt")),
        read(top.join("door/inside.txt")),
    ];
    for cwd in [&w, &top.join("door")] {
        let script = Script::new([outside.clone(), inside.clone(), vec![Do::End]]);
        let mut client = Client::start(script);
        client.initialize().await;
        let params = json!({"cwd": cwd, "mcpServers": []});
        let session = client.call("session/new", params).await["result"]["sessionId"].clone();
        let id = client.prompt(session.as_str().unwrap(), "x").await;
        for _ in 0..outside.len() {
            let request = client.permission().await;
            client.choose(&request, "reject_once").await;
        }
        assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
        let seen = client.seen();
        let asks = |m: &&Value| m["method"] == "session/request_permission";
        assert_eq!(
            seen.iter().filter(asks).count(),
            0,
            "inside is not asked for"
        );
        let updates: Vec<_> = seen.iter().map(|m| &m["params"]["update"]).collect();
        let ended = |status: &str| updates.iter().filter(|u| u["status"] == status).count();
        assert_eq!((ended("failed"), ended("completed")), (4, 3), "{updates:?}");
        let all = Value::from(seen.clone()).to_string();
        assert!(all.contains("INSIDE") && !all.contains("OUTSIDE"), "{all}");
        assert!(!top.join("home/new").exists());
    }
}
