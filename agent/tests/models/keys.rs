//! The key is shown to nobody: no error, no log, no child.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    asking::{failure, openai},
    server::{Server, calls, says, status},
};

const SECRET: &str = "sk-secret-of-this-test";

#[tokio::test]
async fn a_server_that_repeats_the_key() {
    let body = r#"{"error":{"message":"wrong key: sk-test-key"}}"#;
    let server = Server::start(vec![status(401, "", body)]).await;
    let why = failure(&openai(&server.url)).await;
    assert!(why.contains("wrong key: [the key]"), "{why}");
}

/// The program itself, with the most talkative log, and a command that prints its environment.
#[tokio::test(flavor = "multi_thread")]
async fn a_program_with_a_key_in_its_environment() {
    let arguments = json!({"command": "env; cat /proc/self/environ"}).to_string();
    let mut server = Server::start(vec![calls("shell", &arguments), says("done")]).await;
    let url = server.url.clone();
    let output = tokio::task::spawn_blocking(move || run(&url))
        .await
        .unwrap();
    let request = server.request().await;
    let bearer = format!("authorization: Bearer {SECRET}");
    assert!(request.head.contains(&bearer), "{}", request.head);
    let again = server.request().await;
    let result = again.body["messages"].as_array().unwrap().last().unwrap();
    let printed = result["content"].as_str().unwrap();
    assert!(printed.contains("PATH="), "the command ran: {printed}");
    for shown in [printed, &output.0, &output.1] {
        assert!(!shown.contains(SECRET), "{shown}");
    }
    assert!(output.1.contains("TRACE"), "the log was on: {}", output.1);
}

/// What the agent wrote to stdout and stderr in one turn.
fn run(url: &str) -> (String, String) {
    let state = tempfile::tempdir().unwrap();
    let mut agent = Command::new(env!("CARGO_BIN_EXE_acp-agent"))
        .args(["--acp", "--log", "trace", "--mode", "full-access"])
        .args(["--model", "openai:m", "--model-url", &format!("{url}/v1")])
        .arg("--state-dir")
        .arg(state.path())
        .env("OPENAI_API_KEY", SECRET)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = agent.stdin.take().unwrap();
    let from = std::io::BufReader::new(agent.stdout.take().unwrap());
    let mut errors = agent.stderr.take().unwrap();
    let errors = std::thread::spawn(move || std::io::read_to_string(&mut errors).unwrap());
    let mut lines = std::io::BufRead::lines(from);
    let mut seen = String::new();
    let mut ask = |id: u64, method: &str, params: Value| -> Value {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(to, "{message}").unwrap();
        loop {
            let line = lines.next().unwrap().unwrap();
            seen.push_str(&line);
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id && message.get("method").is_none() {
                return message["result"].clone();
            }
        }
    };
    ask(0, "initialize", json!({"protocolVersion": 1}));
    let new = ask(
        1,
        "session/new",
        json!({"cwd": state.path(), "mcpServers": []}),
    );
    let prompt = json!([{"type": "text", "text": "go"}]);
    let prompted = json!({"sessionId": new["sessionId"], "prompt": prompt});
    let answer = ask(2, "session/prompt", prompted);
    assert_eq!(answer["stopReason"], "end_turn");
    drop(to);
    assert!(agent.wait().unwrap().success());
    (seen, errors.join().unwrap())
}
