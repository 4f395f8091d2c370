//! Public bug reports about ACP agents, as tests: stopped turns, permission, modes, content, plans.
//!
//! Each test is named for the case that it holds: an input that broke some agent, and what is right.
//! A scripted model asks for what the case needs; the real one where its words are the matter.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

use acp_agent::{
    mode::Mode,
    model::{Message, Model, Part, Stub},
};
use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde_json::{Value, json};
use soak::processes;
use support::{
    client::{Client, Setup, text},
    script::{Do, Gate, Script},
    watched::Watched,
};

/// One red pixel, a whole PNG.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

fn shell(command: &str) -> Do {
    Do::Call("shell", json!({"command": command}))
}

fn write(path: &str) -> Do {
    Do::Call("write_file", json!({"path": path, "content": "x"}))
}

async fn ready(model: impl Model + 'static, mode: Mode) -> (Client, String) {
    let setup = Setup {
        mode,
        ..Setup::default()
    };
    let mut client = Client::start_with(model, setup);
    client.initialize().await;
    let session = client.session().await;
    (client, session)
}

/// A session with a tool server. It logs to `log` in the workspace.
async fn with_server(model: impl Model + 'static) -> (Client, String) {
    let mut client = Client::start(model);
    client.initialize().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_server/server.py");
    let server = json!({"name": "inner", "command": "python3", "args": [script, "good"],
        "env": [{"name": "LOG", "value": client.workspace.path().join("log")}]});
    let params = json!({"cwd": client.workspace.path(), "mcpServers": [server]});
    let answer = client.call("session/new", params).await;
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    (client, session)
}

/// A prompt of these blocks: its answer.
async fn blocks(client: &mut Client, session: &str, blocks: Value) -> Value {
    let params = json!({"sessionId": session, "prompt": blocks});
    client.call("session/prompt", params).await
}

async fn set_mode(client: &mut Client, session: &str, mode: &str) {
    let params = json!({"sessionId": session, "modeId": mode});
    let answer = client.call("session/set_mode", params).await;
    assert!(answer.get("result").is_some(), "{answer}");
}

async fn load(client: &mut Client, session: &str) -> Value {
    let cwd = client.workspace.path().to_owned();
    let params = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    client.call("session/load", params).await["result"].clone()
}

async fn in_progress(client: &mut Client) -> Value {
    client
        .until(|m| m["params"]["update"]["status"] == "in_progress")
        .await
}

/// Answers every permission request with the first option of this kind, until the prompt is
/// answered. Returns the answer and the requests.
async fn choosing(client: &mut Client, id: i64, kind: &str) -> (Value, Vec<Value>) {
    let mut requests = Vec::new();
    loop {
        let message = client
            .until(|m| m["method"] == "session/request_permission" || m["id"] == id)
            .await;
        if message.get("method").is_none() {
            return (message, requests);
        }
        client.choose(&message, kind).await;
        requests.push(message);
    }
}

fn of_status(updates: &[Value], status: &str) -> Vec<Value> {
    let of_status = |update: &&Value| update["status"] == status;
    updates.iter().filter(of_status).cloned().collect()
}

#[tokio::test]
async fn a028_a_turn_that_was_stopped_in_a_command_is_cancelled() {
    let script = Script::new([vec![shell("sleep 60")], vec![Do::End]]);
    let (mut client, session) = ready(script, Mode::FullAccess).await;
    let id = client.prompt(&session, "x").await;
    in_progress(&mut client).await;
    client.cancel(&session).await;
    let answer = client.answer(id).await;
    assert_eq!(answer["result"], json!({"stopReason": "cancelled"}));
}

#[tokio::test]
async fn a029_a_stop_is_a_stop_reason_and_no_error() {
    let gate = Gate::new();
    let script = Script::new([
        vec![Do::Say("1 2 3 "), Do::Wait(gate.clone()), Do::End],
        vec![shell("echo hi")],
        vec![Do::End],
    ]);
    let (mut client, session) = ready(script, Mode::Default).await;
    let id = client.prompt(&session, "count slowly to 1000").await;
    client
        .until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk")
        .await;
    client.cancel(&session).await;
    let answer = client.answer(id).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");

    let id = client.prompt(&session, "run echo").await;
    let request = client.permission().await;
    client.cancel(&session).await;
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    client.reply(&request, cancelled).await;
    let answer = client.answer(id).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled", "{answer}");
}

/// The command waits for a file instead of for twenty seconds, and the file comes too late.
#[tokio::test]
async fn a030_what_would_have_come_after_a_cancel_never_comes() {
    let mark = processes::mark();
    let command = format!(": {mark}; until [ -e go ]; do sleep .01; done; touch late");
    let script = Script::new([vec![shell(&command)], vec![Do::End]]);
    let (mut client, session) = ready(script, Mode::FullAccess).await;
    let id = client.prompt(&session, "x").await;
    in_progress(&mut client).await;
    client.seen();
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    assert!(client.seen().iter().all(|m| m.get("method").is_some()));
    assert_eq!(processes::alive(&mark), []);
    let workspace = client.workspace.path().to_owned();
    fs::write(workspace.join("go"), "").unwrap();
    let (rest, _) = client.end().await;
    assert_eq!(rest, Vec::<Value>::new());
    assert_eq!(processes::alive(&mark), []);
}

#[tokio::test]
async fn a064_nothing_runs_that_the_client_refuses() {
    let script = Script::new([
        vec![shell("touch p1"), write("p2"), Do::Call("hang", json!({}))],
        vec![Do::End],
    ]);
    let (mut client, session) = with_server(script).await;
    let id = client.prompt(&session, "x").await;
    let (answer, requests) = choosing(&mut client, id, "reject_once").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    assert_eq!(requests.len(), 3, "{requests:?}");
    let workspace = client.workspace.path();
    assert!(!workspace.join("p1").exists() && !workspace.join("p2").exists());
    // The server would have logged the call.
    let log = fs::read_to_string(workspace.join("log")).unwrap();
    assert!(!log.contains("hangs"), "{log}");
    assert_eq!(of_status(&client.updates(), "failed").len(), 3);
}

#[tokio::test]
async fn a065_an_answer_by_the_schema_is_understood() {
    for meta in [None, Some(json!({"x": 1}))] {
        let script = Script::new([vec![shell("echo ran >> runs")], vec![Do::End]]);
        let (mut client, session) = ready(script, Mode::Default).await;
        let id = client.prompt(&session, "x").await;
        let request = client.permission().await;
        let option = &request["params"]["options"][0];
        assert_eq!(option["kind"], "allow_once");
        let mut outcome = json!({"outcome": "selected", "optionId": option["optionId"]});
        let mut result = json!({});
        if let Some(meta) = meta {
            outcome["_meta"] = meta.clone();
            result["_meta"] = meta;
        }
        result["outcome"] = outcome;
        client.seen();
        client.reply(&request, result).await;
        assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
        let updates = client.updates();
        let mut statuses: Vec<_> = updates
            .iter()
            .filter_map(|u| u["status"].as_str())
            .collect();
        statuses.dedup();
        assert_eq!(statuses, ["in_progress", "completed"]);
        let runs = fs::read_to_string(client.workspace.path().join("runs")).unwrap();
        assert_eq!(runs, "ran\n");
    }
}

#[tokio::test]
async fn a066_a_stopped_question_needs_no_answer() {
    for variant in ["cancelled", "error", "nothing"] {
        let script = Script::new([
            vec![shell("echo one"), shell("echo two")],
            vec![Do::Say("MARK21"), Do::End],
        ]);
        let (mut client, session) = ready(script, Mode::Default).await;
        let id = client.prompt(&session, "x").await;
        let request = client.permission().await;
        client.cancel(&session).await;
        match variant {
            "cancelled" => {
                let cancelled = json!({"outcome": {"outcome": "cancelled"}});
                client.reply(&request, cancelled).await;
            }
            "error" => client.reply_error(&request, -32603, "gone").await,
            _ => {}
        }
        let answer = client.answer(id).await;
        assert_eq!(answer["result"]["stopReason"], "cancelled", "{variant}");
        let id = client.prompt(&session, "reply MARK21").await;
        assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
        let seen = client.seen();
        let requests = |m: &&Value| m["method"] == "session/request_permission";
        assert_eq!(seen.iter().filter(requests).count(), 0, "{seen:?}");
        let updates: Vec<_> = seen.iter().map(|m| m["params"]["update"].clone()).collect();
        assert_eq!(text(&updates), "MARK21");
    }
}

#[tokio::test]
async fn a067_always_is_for_the_same_command_in_the_same_session() {
    let run = |command: &str| [vec![shell(command)], vec![Do::End]];
    let commands = ["echo a", "echo a", "rm -r x", "echo a"];
    let script = Script::new(commands.into_iter().flat_map(run));
    let (mut client, session) = ready(script, Mode::Default).await;
    let id = client.prompt(&session, "1").await;
    let (_, requests) = choosing(&mut client, id, "allow_always").await;
    assert_eq!(requests.len(), 1);
    let named = requests[0]["params"]["options"].to_string();
    assert!(named.contains("in this session"), "the scope: {named}");
    let other = client.session().await;
    for (session, asks) in [(&session, 0), (&session, 1), (&other, 1)] {
        let id = client.prompt(session, "next").await;
        let (answer, requests) = choosing(&mut client, id, "reject_once").await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        assert_eq!(requests.len(), asks, "{requests:?}");
    }
}

#[tokio::test]
async fn a070_a_question_shows_what_it_is_about() {
    let edit = json!({"path": "f.txt", "old_text": "old", "new_text": "new"});
    let script = Script::new([
        vec![
            shell("git status --short"),
            Do::Call("edit_file", edit),
            Do::Call("echo", json!({"word": "MARK"})),
        ],
        vec![Do::End],
    ]);
    let (mut client, session) = with_server(script).await;
    fs::write(client.workspace.path().join("f.txt"), "old\n").unwrap();
    let id = client.prompt(&session, "x").await;
    let (_, requests) = choosing(&mut client, id, "reject_once").await;
    assert_eq!(requests.len(), 3, "{requests:?}");
    let legal = ["allow_once", "allow_always", "reject_once", "reject_always"];
    let shown = [
        ("execute", vec!["git status --short"]),
        (
            "edit",
            vec!["\"oldText\":\"old\\n\"", "\"newText\":\"new\\n\""],
        ),
        ("other", vec!["\"word\":\"MARK\""]),
    ];
    for (request, (kind, words)) in requests.iter().zip(shown) {
        let call = &request["params"]["toolCall"];
        assert!(!call["title"].as_str().unwrap().is_empty(), "{call}");
        assert_eq!(call["kind"], kind, "{call}");
        for words in words {
            assert!(call.to_string().contains(words), "{words} in {call}");
        }
        let options = request["params"]["options"].as_array().unwrap();
        let ids: BTreeSet<_> = options.iter().map(|o| o["optionId"].as_str()).collect();
        assert!(!ids.is_empty() && ids.len() == options.len(), "{options:?}");
        assert!(
            options
                .iter()
                .all(|o| legal.iter().any(|kind| o["kind"] == *kind))
        );
    }
}

#[tokio::test]
async fn a071_plan_mode_changes_nothing_and_still_reads() {
    let tries = || {
        vec![
            write("f"),
            shell("echo x > g"),
            shell("python3 -c \"open('h','w')\""),
        ]
    };
    let looks = vec![
        Do::Call("read_file", json!({"path": "kept.txt"})),
        Do::Call("create_plan", json!({"steps": ["one"]})),
        Do::Call("look", json!({})),
    ];
    let script = Script::new([tries(), looks, vec![Do::End], tries(), vec![Do::End]]);
    let (mut client, session) = with_server(script).await;
    let workspace = client.workspace.path().to_owned();
    fs::write(workspace.join("kept.txt"), "kept").unwrap();
    set_mode(&mut client, &session, "plan").await;
    client.seen();
    let id = client.prompt(&session, "x").await;
    let (answer, _) = choosing(&mut client, id, "allow_once").await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    for name in ["f", "g", "h"] {
        assert!(!workspace.join(name).exists(), "{name}");
    }
    let updates = client.updates();
    let failed = of_status(&updates, "failed");
    assert_eq!(failed.len(), 3, "{updates:?}");
    assert!(failed[0]["content"].to_string().contains("plan mode"));
    assert_eq!(of_status(&updates, "completed").len(), 3, "{updates:?}");

    set_mode(&mut client, &session, "default").await;
    let id = client.prompt(&session, "x").await;
    choosing(&mut client, id, "allow_once").await;
    for name in ["f", "g", "h"] {
        assert!(workspace.join(name).exists(), "{name}");
    }
}

#[tokio::test]
async fn a072_a_mode_that_is_set_by_its_option_holds() {
    let script = Script::new([vec![shell("touch x")], vec![Do::End]]);
    let (mut client, session) = ready(script, Mode::FullAccess).await;
    let set = |session: &str, id: &str, value: &str| json!({"sessionId": session, "configId": id, "value": value});
    let method = "session/set_config_option";
    let answer = client.call(method, set(&session, "mode", "plan")).await;
    let options = answer["result"]["configOptions"].clone();
    assert_eq!(options[0]["currentValue"], "plan", "{answer}");
    let id = client.prompt(&session, "x").await;
    choosing(&mut client, id, "allow_once").await;
    assert!(!client.workspace.path().join("x").exists());
    // The whole list, which is what a load gives.
    assert_eq!(load(&mut client, &session).await["configOptions"], options);
    client.seen();
    for (params, code) in [
        (set("nobody", "mode", "full-access"), -32002),
        (set(&session, "bogus", "full-access"), -32602),
        (set(&session, "mode", "bogus"), -32602),
    ] {
        let answer = client.call(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    assert_eq!(client.updates(), Vec::<Value>::new());
    assert_eq!(load(&mut client, &session).await["configOptions"], options);
}

#[tokio::test]
async fn a074_leaving_plan_mode_is_asked_for_once_and_not_for_ever() {
    for answer in ["reject_once", "cancelled", "error", "allow_once"] {
        let script = Script::new([
            vec![Do::Call("switch_mode", json!({"mode": "default"}))],
            vec![write("f")],
            vec![Do::End],
        ]);
        let (mut client, session) = ready(script, Mode::Plan).await;
        let id = client.prompt(&session, "make a plan and start").await;
        let request = client.permission().await;
        assert_eq!(request["params"]["toolCall"]["kind"], "switch_mode");
        match answer {
            "error" => client.reply_error(&request, -32601, "no").await,
            "cancelled" => {
                let cancelled = json!({"outcome": {"outcome": "cancelled"}});
                client.reply(&request, cancelled).await;
            }
            kind => client.choose(&request, kind).await,
        }
        let (ended, requests) = choosing(&mut client, id, "allow_once").await;
        assert_eq!(ended["result"]["stopReason"], "end_turn", "{answer}");
        let left = answer == "allow_once";
        // Once plan mode is left, the write is asked for.
        assert_eq!(requests.len(), usize::from(left), "{answer}");
        assert_eq!(client.workspace.path().join("f").exists(), left, "{answer}");
        let updates = client.updates();
        let told = updates.iter().any(|u| u["currentModeId"] == "default");
        assert_eq!(told, left, "{answer}: {updates:?}");
        let mode = if left { "default" } else { "plan" };
        let loaded = load(&mut client, &session).await;
        assert_eq!(loaded["modes"]["currentModeId"], mode, "{answer}");
    }
}

fn link(name: &str, uri: &str) -> Value {
    json!({"type": "resource_link", "name": name, "uri": uri})
}

fn words(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

/// The model reads what is linked with its own tool, so nothing is fetched by itself.
#[tokio::test]
async fn a075_links_are_accepted_and_can_be_read() {
    let (model, heard) = Watched::new(Stub);
    let (mut client, session) = ready(model, Mode::Default).await;
    let file = client.workspace.path().join("n.txt");
    fs::write(&file, "MARK8\n").unwrap();
    let plain = link("n.txt", &format!("file://{}", file.display()));
    let mut full = plain.clone();
    full["mimeType"] = "text/plain".into();
    full["size"] = 6.into();
    for link in [plain, full] {
        let ask = words("Reply with the content of the linked file.");
        let answer = blocks(&mut client, &session, json!([ask, link])).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        assert!(text(&client.updates()).contains("MARK8"));
    }
    let missing = format!("file://{}.none", file.display());
    let ask = words("Reply with the content of the linked file.");
    let prompt = json!([ask, link("n.txt.none", &missing)]);
    let answer = blocks(&mut client, &session, prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let updates = client.updates();
    let told = of_status(&updates, "failed");
    assert!(told[0].to_string().contains("n.txt.none"), "{updates:?}");

    let prompt = json!([words("hi"), link("x", "https://example.invalid/x")]);
    let answer = blocks(&mut client, &session, prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
    let updates = client.updates();
    let calls = |u: &Value| u["sessionUpdate"] == "tool_call";
    assert!(!updates.iter().any(calls), "{updates:?}");
    let Some(Message::User(parts)) = heard.last().pop() else {
        panic!("{:?}", heard.last());
    };
    let far = Part::ResourceLink {
        name: "x".into(),
        uri: "https://example.invalid/x".into(),
        path: None,
    };
    assert!(parts.contains(&far), "{parts:?}");
}

/// What the model was given with the latest prompt.
fn given(heard: &support::watched::Heard) -> Vec<Part> {
    let messages = heard.last();
    let user = messages.iter().rev().find_map(|message| match message {
        Message::User(parts) => Some(parts.clone()),
        _ => None,
    });
    user.unwrap()
}

#[tokio::test]
async fn a076_images_come_in_many_ways_and_none_is_lost() {
    let (model, heard) = Watched::new(Script::new([vec![Do::End]]));
    let (mut client, session) = ready(model, Mode::Default).await;
    let (first, rest) = PIXEL.split_at(20);
    let blob = json!({"uri": "file:///p.png", "mimeType": "image/png", "blob": PIXEL});
    let image = Part::Image {
        mime_type: "image/png".into(),
        data: BASE64.decode(PIXEL).unwrap(),
    };
    for block in [
        json!({"type": "image", "mimeType": "image/png", "data": PIXEL}),
        json!({"type": "image", "mimeType": "IMAGE/PNG", "data": PIXEL}),
        json!({"type": "image", "mimeType": "image/png", "data": format!("{first}\r\n {rest}\n")}),
        json!({"type": "resource", "resource": blob}),
    ] {
        let answer = blocks(&mut client, &session, json!([block])).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        assert_eq!(given(&heard), std::slice::from_ref(&image), "{block}");
    }
    let bad = json!({"uri": "file:///p.png", "mimeType": "image/png", "blob": "*"});
    for block in [
        json!({"type": "image", "mimeType": "image/png", "data": "*"}),
        json!({"type": "resource", "resource": bad}),
    ] {
        let answer = blocks(&mut client, &session, json!([block])).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    linked_images().await;
}

/// A link is named to the model; what lies outside is not read without permission.
async fn linked_images() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("p.png");
    fs::write(&secret, "OUTSIDE").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workspace = fs::canonicalize(folder.path()).unwrap();
    fs::write(workspace.join("in.png"), "INSIDE").unwrap();
    symlink(&secret, workspace.join("link.png")).unwrap();
    let up = "../".repeat(workspace.components().count());
    let dots = workspace.join(format!(
        "{up}{}",
        secret.strip_prefix("/").unwrap().display()
    ));
    for (path, asks) in [
        (workspace.join("in.png"), 0),
        (workspace.join("link.png"), 1),
        (dots, 1),
    ] {
        let read = Do::Call("read_file", json!({"path": path}));
        let (model, heard) = Watched::new(Script::new([vec![read], vec![Do::End]]));
        let mut client = Client::start(model);
        client.initialize().await;
        let params = json!({"cwd": workspace, "mcpServers": []});
        let session = client.call("session/new", params).await["result"]["sessionId"].clone();
        let link = link("p.png", &format!("file://{}", path.display()));
        let prompt = json!({"sessionId": session, "prompt": [link]});
        let id = client.request("session/prompt", prompt).await;
        let (answer, requests) = choosing(&mut client, id, "reject_once").await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        assert_eq!(requests.len(), asks, "{}", path.display());
        let given = Part::ResourceLink {
            name: "p.png".into(),
            uri: format!("file://{}", path.display()),
            path: Some(path),
        };
        assert_eq!(heard.all()[0], [Message::User(vec![given])]);
        let said = Value::from(client.updates()).to_string();
        assert!(!said.contains("OUTSIDE"), "{said}");
        assert_eq!(said.contains("INSIDE"), asks == 0, "{said}");
    }
}

#[tokio::test]
async fn a077_an_image_that_is_none_costs_its_prompt_at_most() {
    let (mut client, session) = ready(Stub, Mode::Default).await;
    let cut = BASE64.encode(&BASE64.decode(PIXEL).unwrap()[..12]);
    for (mime_type, data, code) in [
        ("image/heic", PIXEL, None),
        ("image/png", "not base64!", Some(-32602)),
        ("image/png", "", Some(-32602)),
        ("image/png", cut.as_str(), None),
    ] {
        let image = json!({"type": "image", "mimeType": mime_type, "data": data});
        let prompt = json!([words("What colour is this image?"), image]);
        let answer = blocks(&mut client, &session, prompt).await;
        match code {
            Some(code) => assert_eq!(answer["error"]["code"], code, "{answer}"),
            None => assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}"),
        }
        client.seen();
        assert_eq!(client.turn(&session, "reply MARK9").await, "end_turn");
        assert_eq!(text(&client.updates()), "MARK9");
    }
}

#[tokio::test]
async fn a078_escapes_in_links_are_decoded_once() {
    let (mut client, session) = ready(Stub, Mode::Default).await;
    let workspace = client.workspace.path().to_owned();
    fs::write(workspace.join("a b#1?&+%25é.txt"), "MARK10\n").unwrap();
    fs::create_dir(workspace.join("sub")).unwrap();
    fs::write(workspace.join("sub/x.txt"), "MARK11\n").unwrap();
    for (name, mark) in [
        ("a%20b%231%3F%26%2B%2525%C3%A9.txt", Some("MARK10")),
        ("sub%2Fx.txt", None),
    ] {
        let link = link(
            "the file",
            &format!("file://{}/{name}", workspace.display()),
        );
        let ask = words("Reply with the content of the linked file.");
        let answer = blocks(&mut client, &session, json!([ask, link])).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{answer}");
        let said = text(&client.updates());
        match mark {
            Some(mark) => assert!(said.contains(mark), "{said}"),
            None => assert!(!said.contains("MARK"), "{said}"),
        }
    }
}

/// The scripted model gives its calls the same ids in every reply.
#[tokio::test]
async fn a093_no_two_calls_of_a_session_share_an_id() {
    let one = || [vec![shell("true")], vec![Do::End]];
    let steps = one().into_iter().chain(one()).chain(one());
    let two = [vec![shell("true"), shell("true")], vec![Do::End]];
    let (mut client, session) = ready(Script::new(steps.chain(two)), Mode::FullAccess).await;
    for _ in 0..4 {
        client.turn(&session, "x").await;
    }
    let ids = |updates: Vec<Value>| -> Vec<String> {
        let calls = updates.iter().filter(|u| u["sessionUpdate"] == "tool_call");
        calls
            .map(|u| u["toolCallId"].as_str().unwrap().to_owned())
            .collect()
    };
    let live = ids(client.updates());
    assert_eq!(live.len(), 5);
    assert_eq!(live.iter().collect::<BTreeSet<_>>().len(), 5, "{live:?}");
    load(&mut client, &session).await;
    assert_eq!(ids(client.updates()), live);
}

#[tokio::test]
async fn a094_each_change_of_a_plan_is_the_whole_plan() {
    let plan = |statuses: &[&str]| {
        let names = ["first", "second", "third", "fourth"];
        let entries = names
            .iter()
            .zip(statuses)
            .map(|(name, status)| json!({"content": name, "priority": "medium", "status": status}));
        Value::Array(entries.collect())
    };
    let plans = [
        plan(&["pending", "pending", "pending"]),
        plan(&["completed", "in_progress", "pending"]),
        plan(&["completed", "completed", "pending"]),
        plan(&["completed", "completed", "pending", "pending"]),
    ];
    let steps = plans
        .iter()
        .map(|plan| vec![Do::Call("update_plan", json!({"entries": plan}))]);
    let script = Script::new(steps.chain([vec![Do::End]]));
    let (mut client, session) = ready(script, Mode::Default).await;
    assert_eq!(client.turn(&session, "plan").await, "end_turn");
    let updates = client.updates();
    let told = updates.iter().filter(|u| u["sessionUpdate"] == "plan");
    let told: Vec<_> = told.map(|u| u["entries"].clone()).collect();
    assert_eq!(told, plans);
}
