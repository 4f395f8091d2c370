//! Each step as the client sees it.

use serde_json::{Value, json};

use crate::scene::{Scene, docs};

#[tokio::test]
async fn each_step_but_those_that_never_end() {
    let mut scene = Scene::new("every-step.yaml").await;
    for (prompt, stop, kinds, said) in [
        (
            "say",
            "end_turn",
            &["agent_message_chunk"][..],
            "four chunks.",
        ),
        (
            "think",
            "end_turn",
            &["agent_thought_chunk", "agent_message_chunk"],
            "I have thought",
        ),
        (
            "stream 5",
            "end_turn",
            &["agent_message_chunk"],
            "1000\nThose were",
        ),
        (
            "plan",
            "end_turn",
            &["plan", "agent_message_chunk"],
            "progress once",
        ),
        (
            "call",
            "end_turn",
            &["tool_call", "tool_call_update", "agent_message_chunk"],
            "The folder holds",
        ),
        (
            "calls",
            "end_turn",
            &["tool_call", "tool_call_update", "agent_message_chunk"],
            "One is completed, the other failed.",
        ),
        (
            "image",
            "end_turn",
            &["tool_call", "agent_message_chunk"],
            "blue",
        ),
        (
            "resource",
            "end_turn",
            &["tool_call", "agent_message_chunk"],
            "a link",
        ),
        (
            "usage",
            "end_turn",
            &["usage_update", "agent_message_chunk"],
            "quarters",
        ),
        ("wait", "end_turn", &["agent_message_chunk"], "again"),
        (
            "stop max",
            "max_tokens",
            &["agent_message_chunk"],
            "in the mid",
        ),
        ("refuse", "refusal", &[], ""),
    ] {
        let turn = scene.turn(prompt, "allow_once").await;
        assert_eq!(turn.stop, stop, "{prompt}");
        assert_eq!(turn.kinds(), kinds, "{prompt}");
        assert!(turn.said.contains(said), "{prompt}: {}", turn.said);
    }
}

#[tokio::test]
async fn what_steps_look_like_to_the_client() {
    let mut scene = Scene::new("every-step.yaml").await;
    let turn = scene.turn("say", "").await;
    let chunks = turn.of_kind("agent_message_chunk");
    let last: Vec<_> = chunks
        .iter()
        .rev()
        .take(4)
        .map(|chunk| &chunk["content"]["text"])
        .collect();
    assert_eq!(last, ["chunks.", "four ", "are ", "These "]);

    let turn = scene.turn("plan", "").await;
    let plans = turn.of_kind("plan");
    assert_eq!(plans.len(), 2);
    assert_eq!(
        plans[1]["entries"],
        json!([
            {"content": "Look", "status": "completed", "priority": "high"},
            {"content": "Change", "status": "in_progress", "priority": "medium"},
        ])
    );

    // A rule says its usage itself, and nothing is added to it.
    let turn = scene.turn("usage", "").await;
    let usage = turn.of_kind("usage_update");
    assert_eq!((usage.len(), &usage[0]["used"]), (1, &json!(150_000)));
    let turn = scene.turn("think", "").await;
    assert!(turn.of_kind("usage_update").is_empty());

    let turn = scene.turn("image", "").await;
    let shown = &turn.of_kind("tool_call")[0]["content"][0]["content"];
    assert_eq!(
        (&shown["type"], &shown["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    let turn = scene.turn("resource", "").await;
    let shown = turn.of_kind("tool_call");
    assert_eq!(
        shown[0]["content"][0]["content"]["resource"]["uri"],
        "demo:///poem.txt"
    );
    assert_eq!(
        shown[1]["content"][0]["content"]["uri"],
        "https://agentclientprotocol.com"
    );

    let turn = scene.turn("fail", "").await;
    let message = turn.stop["error"]["message"].as_str().unwrap();
    assert!(message.contains("out of order"), "{message}");
}

#[tokio::test]
async fn a_hang_ends_with_the_cancel_and_a_question_in_words_goes_on_with_the_next_prompt() {
    let Scene {
        mut client,
        session,
    } = Scene::new("every-step.yaml").await;
    let id = client.prompt(&session, "hang").await;
    client
        .until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk")
        .await;
    client.cancel(&session).await;
    assert_eq!(client.answer(id).await["result"]["stopReason"], "cancelled");

    let mut scene = Scene { client, session };
    let turn = scene.turn("ask", "").await;
    assert!(
        turn.said.contains("Which colour? (red, blue)"),
        "{}",
        turn.said
    );
    let turn = scene.turn("red", "").await;
    assert!(turn.said.contains("It will be red."), "{}", turn.said);
}

/// A process of its own, because it ends.
#[test]
fn a_crash_ends_the_process_without_an_answer() {
    use std::io::{Read, Write};
    use std::os::unix::process::ExitStatusExt;
    let state = tempfile::tempdir().unwrap();
    let file = docs().join("scenarios/every-step.yaml");
    let mut agent = std::process::Command::new(env!("CARGO_BIN_EXE_acp-agent"))
        .args(["--acp", "--model"])
        .arg(format!("stub:{}", file.display()))
        .arg("--state-dir")
        .arg(state.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = agent.stdin.take().unwrap();
    let mut output = std::io::BufReader::new(agent.stdout.take().unwrap());
    let mut send = |id: u8, method: &str, params: Value| {
        let line = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{line}").unwrap();
    };
    send(1, "initialize", json!({"protocolVersion": 1}));
    send(
        2,
        "session/new",
        json!({"cwd": state.path(), "mcpServers": []}),
    );
    let session = loop {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut output, &mut line).unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        if message["id"] == 2 {
            break message["result"]["sessionId"].clone();
        }
    };
    let prompt = json!([{"type": "text", "text": "crash"}]);
    send(
        3,
        "session/prompt",
        json!({"sessionId": session, "prompt": prompt}),
    );
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    assert_eq!(agent.wait().unwrap().signal(), Some(9));
    assert!(
        rest.contains("the last ") && !rest.contains("\"id\":3"),
        "{rest}"
    );
}
