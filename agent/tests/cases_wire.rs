//! Public bug reports about ACP agents, as tests: stdout, lines, envelopes, large outputs.
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

use std::{fs, io::Read, io::Write, process::Stdio};

use robust::{Scene, program};
use serde_json::{Value, json};
use soak::{client::text, finding::Found};

/// What is on stdout when the agent starts in an empty home, byte for byte.
#[test]
fn a012_stdout_is_protocol_only_also_at_the_first_start() -> Found<()> {
    let scene = Scene::new()?;
    let mut agent = std::process::Command::new(program())
        .args(["--acp", "--log", "trace"])
        .env("HOME", scene.state.path())
        .env_remove("XDG_STATE_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = agent.stdin.take().unwrap();
    let lines = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/new", "params": {"cwd": scene.cwd(), "mcpServers": []}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {"sessionId": "none", "prompt": []}}),
    ];
    lines
        .iter()
        .for_each(|line| writeln!(stdin, "{line}").unwrap());
    drop(stdin);
    let mut bytes = String::new();
    agent
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut bytes)
        .unwrap();
    assert!(agent.wait().unwrap().success());
    assert!(
        bytes.ends_with('\n') && bytes.lines().count() >= 3,
        "{bytes}"
    );
    for line in bytes.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
    }
    Ok(())
}

#[test]
fn a016_long_lines_are_answered() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for size in [200 << 10, 6 << 20] {
        let long = format!("{} reply LONG", "x".repeat(size));
        assert_eq!(client.turn(&session, &long)?, "end_turn");
    }
    client.seen();
    assert_eq!(client.turn(&session, "reply MARK2")?, "end_turn");
    assert_eq!(text(&client.updates()), "MARK2");
    scene.end(client).map(drop)
}

/// The client looks away while a command pours out; the pipe fills up and empties again. The pipe
/// of a careful client may be in non-blocking mode on both ends.
#[test]
fn a018_a_full_pipe_tears_and_loses_no_line() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let numbers = client.prompt(
        &session,
        "print the numbers 1..20000 one per line, then END",
    )?;
    // More than the pipe and what is read ahead hold: it stays full until somebody reads.
    let mut last = 0;
    for _ in 0..100 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let now = client.program.figures().unwrap().memory;
        if now == last {
            break;
        }
        last = now;
    }
    client.answer(numbers)?;
    let said = text(&client.updates());
    assert!(said.starts_with("1\n2\n") && said.ends_with("20000\nEND"));
    assert_eq!(said.lines().count(), 20_001);
    let prompt = "Run the shell command: seq 1 400000";
    assert_eq!(client.turn(&session, prompt)?, "end_turn");
    let updates = client.updates();
    let done = updates.iter().find(|u| u["status"] == "completed").unwrap();
    let output = done["content"][0]["content"]["text"].as_str().unwrap();
    assert!(output.starts_with("1\n2\n") && output.ends_with("400000\n"));
    scene.end(client).map(drop)
}

#[test]
fn a020_a_long_output_is_not_sent_again_with_every_chunk() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let mut sent = 0;
    for command in [
        "for i in $(seq 1 1000); do echo line-$i; sleep 0.001; done",
        "yes x | head -c 30000000",
    ] {
        assert_eq!(
            client.turn(&session, &format!("Run the shell command: {command}"))?,
            "end_turn"
        );
        let seen = client.seen();
        sent += seen.iter().map(|m| m.to_string().len()).sum::<usize>();
        let text = Value::from(seen).to_string();
        assert!(text.contains("line-1000") || text.contains("bytes omitted"));
    }
    assert!(sent < 10 << 20, "{sent} bytes");
    assert!(client.program.figures().unwrap().peak < 64 << 10);
    scene.end(client).map(drop)
}

#[test]
fn a021_characters_stay_whole_over_the_borders_of_reads() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let script = "import sys\nsys.stdout.buffer.write((chr(120)*4095+chr(128512)*3000).encode())";
    fs::write(scene.cwd().join("emoji.py"), script).unwrap();
    assert_eq!(
        client.turn(&session, "Run the shell command: python3 emoji.py")?,
        "end_turn"
    );
    let updates = client.updates();
    let done = updates.iter().find(|u| u["status"] == "completed").unwrap();
    let output = done["content"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(output.matches('😀').count(), 3000);
    assert!(
        !Value::from(updates.clone())
            .to_string()
            .contains('\u{fffd}')
    );
    scene.end(client).map(drop)
}

#[test]
fn a022_bad_json_is_answered_with_no_id_and_the_connection_lives() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\n")?;
    let refused = client.receive()?.unwrap();
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&Value::Null, &json!(-32700))
    );
    client.session(scene.cwd())?;
    scene.end(client).map(drop)
}

#[test]
fn a023_ids_come_back_as_they_were_written() -> Found<()> {
    let scene = Scene::new()?;
    let mut setup = scene.setup();
    setup.read_stderr = true;
    let (mut agent, mut stdin, mut stdout) = soak::program::Program::start(&setup)?;
    let ids = [
        "0",
        "\"\"",
        "\"a b\"",
        "-1",
        "9007199254740993",
        "1.5",
        "\"\\u00e9\"",
    ];
    for (at, id) in ids.iter().enumerate() {
        let method = if at % 2 == 0 { "session/list" } else { "_x" };
        writeln!(
            stdin,
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{}}}}"#
        )
        .unwrap();
    }
    drop(stdin);
    let mut bytes = String::new();
    stdout.read_to_string(&mut bytes).unwrap();
    agent.wait(soak::client::END_DEADLINE)?;
    assert_eq!(bytes.lines().count(), ids.len(), "{bytes}");
    for id in ids {
        let with = |line: &str| line.contains(&format!("\"id\":{id},"));
        assert_eq!(
            bytes.lines().filter(|line| with(line)).count(),
            1,
            "{id}: {bytes}"
        );
    }
    Ok(())
}

#[test]
fn a024_a_batch_is_one_error_and_the_connection_lives() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    for batch in [
        r#"[{"jsonrpc":"2.0","id":41,"method":"_a"},{"jsonrpc":"2.0","method":"_n"},7]"#,
        "[]",
    ] {
        client.raw(format!("{batch}\n").as_bytes())?;
        let refused = client.receive()?.unwrap();
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&Value::Null, &json!(-32600))
        );
    }
    client.session(scene.cwd())?;
    assert!(!client.seen().iter().any(|m| m.get("id").is_some()));
    scene.end(client).map(drop)
}

#[test]
fn a025_notifications_are_never_answered() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    client.call("_settle", json!({}))?;
    client.seen();
    client.cancel(&session)?;
    client.cancel("nobody")?;
    client.notify("_x/y", json!({}))?;
    client.notify("$/cancel_request", json!({"requestId": 77}))?;
    let id = client.request("_probe", json!({}))?;
    let only = client.receive()?.unwrap();
    assert_eq!(only["id"], id);
    scene.end(client).map(drop)
}

/// A client that has hung up is no reason to stay.
#[test]
fn a018_a_closed_output_ends_the_agent() -> Found<()> {
    let scene = Scene::new()?;
    let (mut agent, mut stdin, stdout) = soak::program::Program::start(&scene.setup())?;
    drop(stdout);
    let line = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1}});
    writeln!(stdin, "{line}").unwrap();
    let (status, _) = agent.wait(soak::client::END_DEADLINE)?;
    assert_eq!(status.code(), Some(1));
    Ok(())
}
