//! The client's own files, terminals and questions: used where they are offered, and only there.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use acp_agent::mode::Mode;
use serde_json::{Value, json};
use support::{
    client::{Client, Setup},
    script::{Do, Script},
};

/// What a client may be asked for, but for permission.
const CLIENT_METHODS: [&str; 8] = [
    "fs/read_text_file",
    "fs/write_text_file",
    "terminal/create",
    "terminal/output",
    "terminal/wait_for_exit",
    "terminal/kill",
    "terminal/release",
    "elicitation/create",
];

/// A client that offers this, and a session in full access.
async fn offering(offers: Value, steps: Vec<Do>) -> (Client, String) {
    let script = Script::new([steps, vec![Do::Say("done"), Do::End]]);
    let setup = Setup {
        mode: Mode::FullAccess,
        ..Setup::default()
    };
    let mut client = Client::start_with(script, setup);
    client.initialize_with(offers).await;
    let session = client.session().await;
    (client, session)
}

fn call(name: &'static str, arguments: Value) -> Do {
    Do::Call(name, arguments)
}

fn shell(command: &str) -> Do {
    call("shell", json!({"command": command}))
}

/// The methods of the client that were called, in their order.
fn methods(seen: &[Value]) -> Vec<&str> {
    let methods = seen.iter().filter_map(|message| message["method"].as_str());
    methods
        .filter(|method| CLIENT_METHODS.contains(method))
        .collect()
}

/// A079: what was not offered is not asked for, and the work is done all the same.
#[tokio::test]
async fn a079_nothing_is_asked_for_that_was_not_offered() {
    for (offers, may) in [
        (json!({}), vec![]),
        (
            json!({"fs": {"readTextFile": true}}),
            vec!["fs/read_text_file"],
        ),
        (
            json!({"fs": {"writeTextFile": true}}),
            vec!["fs/write_text_file"],
        ),
        (
            json!({"terminal": true, "elicitation": {}}),
            vec![
                "terminal/create",
                "terminal/wait_for_exit",
                "terminal/output",
                "terminal/release",
            ],
        ),
    ] {
        let steps = vec![
            call("write_file", json!({"path": "a.txt", "content": "one\n"})),
            call("read_file", json!({"path": "a.txt"})),
            call("ask_user", json!({"question": "Which?"})),
            shell("echo hi"),
        ];
        let (mut client, session) = offering(offers.clone(), steps).await;
        let id = client.prompt(&session, "x").await;
        let mut asked = Vec::new();
        let answer = loop {
            let message = client.receive().await.unwrap();
            let Some(method) = message["method"].as_str() else {
                break message;
            };
            if message.get("id").is_none() {
                continue;
            }
            asked.push(method.to_owned());
            let result = match method {
                "fs/read_text_file" => json!({"content": "one\n"}),
                "terminal/create" => json!({"terminalId": "t"}),
                "terminal/wait_for_exit" => json!({"exitCode": 0}),
                "terminal/output" => json!({"output": "hi\n", "truncated": false}),
                _ => json!({}),
            };
            client.reply(&message, result).await;
        };
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["stopReason"], "end_turn", "{offers}");
        assert!(
            asked.iter().all(|method| may.contains(&method.as_str())),
            "{offers} {asked:?}"
        );
        assert!(
            may.iter()
                .all(|method| asked.iter().any(|one| one == method)),
            "{offers} {asked:?}"
        );
        let written = client.workspace.path().join("a.txt").exists();
        assert_eq!(written, !may.contains(&"fs/write_text_file"), "{offers}");
    }
}

const FILES: &str = r#"{"fs": {"readTextFile": true, "writeTextFile": true}}"#;

#[tokio::test]
async fn an_edit_starts_from_what_is_not_saved() {
    let edit = json!({"path": "a.txt", "old_text": "unsaved", "new_text": "edited"});
    let offers = serde_json::from_str(FILES).unwrap();
    let (mut client, session) = offering(offers, vec![call("edit_file", edit)]).await;
    let file = client.workspace.path().join("a.txt");
    std::fs::write(&file, "on the disk\n").unwrap();
    let id = client.prompt(&session, "x").await;
    for _ in 0..2 {
        let read = client.asked("fs/read_text_file").await;
        assert_eq!(read["params"]["path"], file.to_str().unwrap());
        client
            .reply(&read, json!({"content": "first\nunsaved\n"}))
            .await;
    }
    let write = client.asked("fs/write_text_file").await;
    assert_eq!(write["params"]["content"], "first\nedited\n");
    client.reply(&write, Value::Null).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    let updates = client.updates();
    let announced = &updates[0];
    assert_eq!(announced["content"][0]["type"], "diff");
    assert_eq!(announced["content"][0]["oldText"], "first\nunsaved\n");
    assert_eq!(announced["locations"][0]["line"], 2);
    assert!(
        updates.iter().any(|u| u["status"] == "completed"),
        "{updates:?}"
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "on the disk\n");
}

#[tokio::test]
async fn what_the_user_typed_meanwhile_is_not_overwritten() {
    let write = json!({"path": "a.txt", "content": "new"});
    let offers = serde_json::from_str(FILES).unwrap();
    let (mut client, session) = offering(offers, vec![call("write_file", write)]).await;
    let id = client.prompt(&session, "x").await;
    for text in ["one", "two"] {
        let read = client.asked("fs/read_text_file").await;
        client.reply(&read, json!({"content": text})).await;
    }
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    let seen = client.seen();
    assert_eq!(methods(&seen), [""; 0]);
    let failed = seen
        .iter()
        .find(|m| m["params"]["update"]["status"] == "failed");
    assert!(
        failed
            .unwrap()
            .to_string()
            .contains("changed by someone else")
    );
}

/// A file that is not there, whatever error a client has for it, is a new one.
#[tokio::test]
async fn a_new_file_is_written_through_the_client() {
    let write = json!({"path": "new.txt", "content": "text"});
    let offers = serde_json::from_str(FILES).unwrap();
    let (mut client, session) = offering(offers, vec![call("write_file", write)]).await;
    let id = client.prompt(&session, "x").await;
    for _ in 0..2 {
        let read = client.asked("fs/read_text_file").await;
        client.reply_error(&read, -32603, "ENOENT").await;
    }
    let write = client.asked("fs/write_text_file").await;
    client.reply(&write, json!({})).await;
    client.answer(id).await;
    assert!(client.updates().iter().any(|u| u["status"] == "completed"));
}

#[tokio::test]
async fn lines_are_asked_for_as_the_model_did() {
    let read = json!({"path": "a.txt", "line": 5, "limit": 2});
    let offers = serde_json::from_str(FILES).unwrap();
    let (mut client, session) = offering(offers, vec![call("read_file", read)]).await;
    std::fs::write(client.workspace.path().join("a.txt"), "x").unwrap();
    let id = client.prompt(&session, "x").await;
    let read = client.asked("fs/read_text_file").await;
    assert_eq!(
        (&read["params"]["line"], &read["params"]["limit"]),
        (&json!(5), &json!(3))
    );
    client
        .reply(&read, json!({"content": "five\nsix\nseven\n"}))
        .await;
    client.answer(id).await;
    let updates = client.updates();
    let done = updates.iter().find(|u| u["status"] == "completed").unwrap();
    let text = done["content"][0]["content"]["text"].as_str().unwrap();
    assert!(
        text.starts_with("five\nsix\n") && text.contains("from line 7"),
        "{text}"
    );
}

/// Going through the client widens nothing: what lies outside is asked about before it is looked
/// at, and plan mode changes nothing.
#[tokio::test]
async fn the_permission_rules_are_the_same() {
    let script = Script::new([
        vec![
            call("read_file", json!({"path": "/etc/hostname"})),
            call("write_file", json!({"path": "a.txt", "content": "x"})),
        ],
        vec![Do::End],
    ]);
    let setup = Setup {
        mode: Mode::Plan,
        ..Setup::default()
    };
    let mut client = Client::start_with(script, setup);
    client
        .initialize_with(serde_json::from_str(FILES).unwrap())
        .await;
    let session = client.session().await;
    let id = client.prompt(&session, "x").await;
    // The file inside is looked at for the diff.
    let read = client.asked("fs/read_text_file").await;
    assert!(read["params"]["path"].as_str().unwrap().ends_with("a.txt"));
    client.reply(&read, json!({"content": "old"})).await;
    let request = client.permission().await;
    assert_eq!(methods(&client.seen()), [""; 0]);
    client.choose(&request, "reject_once").await;
    client.answer(id).await;
    let seen = client.seen();
    assert_eq!(methods(&seen), [""; 0]);
}

#[tokio::test]
async fn a_cancel_while_the_client_reads_ends_the_turn() {
    let edit = json!({"path": "a.txt", "old_text": "a", "new_text": "b"});
    let offers = serde_json::from_str(FILES).unwrap();
    let (mut client, session) = offering(offers, vec![call("edit_file", edit)]).await;
    let id = client.prompt(&session, "x").await;
    client.asked("fs/read_text_file").await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    let seen = client.seen();
    assert!(seen.iter().any(|m| m["method"] == "$/cancel_request"));
    let updates: Vec<_> = seen.iter().map(|m| &m["params"]["update"]).collect();
    let announced = updates.iter().filter(|u| u["sessionUpdate"] == "tool_call");
    let failed = updates.iter().filter(|u| u["status"] == "failed");
    assert_eq!((announced.count(), failed.count()), (1, 1));
}

/// A080, A081: a command line goes to the shell, the terminal is shown before its release.
#[tokio::test]
async fn a080_a081_a_command_runs_in_a_terminal_of_the_client() {
    let command = "printf '%s\\n' 'a b' \"c'd\" | wc -l";
    let (mut client, session) = offering(json!({"terminal": true}), vec![shell(command)]).await;
    let id = client.prompt(&session, "x").await;
    let create = client.asked("terminal/create").await;
    let params = &create["params"];
    assert_eq!(params["command"], "/bin/sh");
    assert_eq!(params["args"], json!(["-c", command]));
    assert_eq!(params["cwd"], client.workspace.path().to_str().unwrap());
    assert!(params["outputByteLimit"].as_u64().unwrap() > 0);
    client.reply(&create, json!({"terminalId": "term-1"})).await;
    let wait = client.asked("terminal/wait_for_exit").await;
    client
        .reply(&wait, json!({"exitCode": 3, "signal": null}))
        .await;
    let output = client.asked("terminal/output").await;
    let shown = json!({"output": "2\n", "truncated": false, "exitStatus": {"exitCode": 3}});
    client.reply(&output, shown).await;
    let release = client.asked("terminal/release").await;
    assert_eq!(release["params"]["terminalId"], "term-1");
    let before = client.seen();
    let embedded = |m: &Value| m["params"]["update"]["content"][0]["terminalId"] == "term-1";
    assert!(before.iter().any(embedded), "{before:?}");
    client.reply(&release, json!({})).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    let after = client.seen();
    assert_eq!(methods(&after), [""; 0]);
    let end = after
        .iter()
        .find(|m| m["params"]["update"]["status"] == "failed");
    let end = &end.unwrap()["params"]["update"];
    assert_eq!(
        end["content"],
        json!([{"type": "terminal", "terminalId": "term-1"}])
    );
    assert_eq!(end["rawOutput"]["exitCode"], 3);

    // A terminal of the past cannot be shown; what it said can.
    let load = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    client.call("session/load", load).await;
    let replayed = client.updates();
    let replayed = replayed.iter().find(|u| u["sessionUpdate"] == "tool_call");
    let text = &replayed.unwrap()["content"][0]["content"]["text"];
    assert_eq!(text, "2\n\n[exit code 3]".replace("\n\n", "\n").as_str());
}

#[tokio::test]
async fn a_cancel_kills_and_releases_the_terminal() {
    let (mut client, session) = offering(json!({"terminal": true}), vec![shell("sleep 300")]).await;
    let id = client.prompt(&session, "x").await;
    let create = client.asked("terminal/create").await;
    client.reply(&create, json!({"terminalId": "term-1"})).await;
    client.asked("terminal/wait_for_exit").await;
    client.cancel(&session).await;
    let kill = client.asked("terminal/kill").await;
    client.reply(&kill, json!({})).await;
    let wait = client.asked("terminal/wait_for_exit").await;
    client.reply(&wait, json!({"signal": "SIGKILL"})).await;
    let output = client.asked("terminal/output").await;
    client
        .reply(&output, json!({"output": "", "truncated": false}))
        .await;
    let release = client.asked("terminal/release").await;
    client.reply(&release, json!({})).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    assert_eq!(methods(&client.seen()), [""; 0]);
}

#[tokio::test]
async fn a_cancel_before_the_terminal_is_there_releases_it() {
    let (mut client, session) = offering(json!({"terminal": true}), vec![shell("sleep 300")]).await;
    let id = client.prompt(&session, "x").await;
    let create = client.asked("terminal/create").await;
    client.cancel(&session).await;
    // Answered when the cancel has been taken: a request behind it has its answer.
    client.call("session/list", json!({})).await;
    client.reply(&create, json!({"terminalId": "late"})).await;
    let release = client.asked("terminal/release").await;
    assert_eq!(release["params"]["terminalId"], "late");
    client.reply(&release, json!({})).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
}

#[tokio::test]
async fn a_client_that_cannot_make_a_terminal_fails_the_call_only() {
    let (mut client, session) = offering(json!({"terminal": true}), vec![shell("true")]).await;
    let id = client.prompt(&session, "x").await;
    let create = client.asked("terminal/create").await;
    client.reply_error(&create, -32603, "no pty left").await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
    let seen = client.seen();
    assert_eq!(methods(&seen), [""; 0]);
    assert!(seen.iter().any(|m| m.to_string().contains("no pty left")));
}

/// The kernel keeps a command in plan mode from changing anything; a client cannot.
#[tokio::test]
async fn a_command_in_plan_mode_runs_here() {
    let script = Script::new([vec![shell("echo here")], vec![Do::End]]);
    let setup = Setup {
        mode: Mode::Plan,
        ..Setup::default()
    };
    let mut client = Client::start_with(script, setup);
    client.initialize_with(json!({"terminal": true})).await;
    let session = client.session().await;
    let id = client.prompt(&session, "x").await;
    let request = client.permission().await;
    client.choose(&request, "allow_once").await;
    client.answer(id).await;
    let seen = client.seen();
    assert_eq!(methods(&seen), [""; 0]);
    assert!(
        seen.iter()
            .any(|m| m["params"]["update"]["status"] == "completed")
    );
}

/// A055: while the client is asked, it can ask.
#[tokio::test]
async fn a055_requests_are_answered_while_the_client_is_asked() {
    let steps = vec![
        call("read_file", json!({"path": "a.txt"})),
        shell("echo hi"),
    ];
    let offers = json!({"fs": {"readTextFile": true}, "terminal": true});
    let (mut client, session) = offering(offers, steps).await;
    let id = client.prompt(&session, "x").await;
    let read = client.asked("fs/read_text_file").await;
    let unknown = client.request("foo/bar", json!({})).await;
    assert_eq!(client.answer(unknown).await["error"]["code"], -32601);
    client.reply(&read, json!({"content": "text"})).await;
    client.asked("terminal/create").await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
}

fn question(options: &[&str]) -> Do {
    call(
        "ask_user",
        json!({"question": "Which one?", "options": options}),
    )
}

#[tokio::test]
async fn a_question_is_a_form() {
    let offers = json!({"elicitation": {"form": {}}});
    for (answer, status, words) in [
        (
            json!({"action": "accept", "content": {"answer": "red"}}),
            "completed",
            "red",
        ),
        (json!({"action": "decline"}), "failed", "declined"),
        (
            json!({"action": "cancel"}),
            "failed",
            "put the question away",
        ),
        (
            json!({"action": "accept", "content": {"answer": "mauve"}}),
            "failed",
            "offered",
        ),
    ] {
        let steps = vec![question(&["red", "blue"])];
        let (mut client, session) = offering(offers.clone(), steps).await;
        let id = client.prompt(&session, "x").await;
        let asked = client.asked("elicitation/create").await;
        let params = &asked["params"];
        assert_eq!(
            (&params["mode"], &params["message"]),
            (&json!("form"), &json!("Which one?"))
        );
        assert_eq!(params["sessionId"], session.as_str());
        assert!(params["toolCallId"].is_string());
        let field = &params["requestedSchema"]["properties"]["answer"];
        assert_eq!(field["enum"], json!(["red", "blue"]));
        client.reply(&asked, answer.clone()).await;
        assert_eq!(client.answer(id).await["result"]["stopReason"], "end_turn");
        let updates = client.updates();
        let end = updates.iter().find(|u| u["status"] == status);
        assert!(
            end.unwrap().to_string().contains(words),
            "{answer} {updates:?}"
        );
    }
}

#[tokio::test]
async fn a_page_is_never_a_form() {
    let page = json!({"question": "Log in?", "url": "https://example.com/login"});
    let steps = || vec![call("ask_user", page.clone())];
    let (mut client, session) = offering(json!({"elicitation": {"url": {}}}), steps()).await;
    let id = client.prompt(&session, "x").await;
    let asked = client.asked("elicitation/create").await;
    assert_eq!(asked["params"]["mode"], "url");
    assert_eq!(asked["params"]["url"], "https://example.com/login");
    assert!(asked["params"]["elicitationId"].is_string());
    client.reply(&asked, json!({"action": "accept"})).await;
    client.answer(id).await;
    assert!(client.updates().iter().any(|u| u["status"] == "completed"));

    let (mut client, session) = offering(json!({"elicitation": {"form": {}}}), steps()).await;
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let seen = client.seen();
    assert_eq!(methods(&seen), [""; 0]);
    assert!(
        seen.iter()
            .any(|m| m.to_string().contains("put it into your reply"))
    );
}

#[tokio::test]
async fn a_cancel_takes_a_question_back() {
    let offers = json!({"elicitation": {"form": {}}});
    let (mut client, session) = offering(offers, vec![question(&[])]).await;
    let id = client.prompt(&session, "x").await;
    client.asked("elicitation/create").await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");
    assert!(
        client
            .seen()
            .iter()
            .any(|m| m["method"] == "$/cancel_request")
    );
}
