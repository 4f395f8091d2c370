//! The examples of `docs/scenarios/`, each followed.

use acp_agent::mode::Mode;
use serde_json::json;

use crate::{
    scene::{Scene, example},
    support::client::{Client, Setup, text},
};

#[tokio::test]
async fn a_turn_as_real_agents_have_them() {
    for (answer, said, ends, text) in [
        ("allow_once", "Fixed.", &["completed"; 3][..], "Hello"),
        (
            "reject_once",
            "the edit was refused",
            &["completed", "failed"],
            "Helo",
        ),
    ] {
        let mut scene = Scene::new("fix-a-bug.yaml").await;
        let file = scene.client.workspace.path().join("greeting.txt");
        std::fs::write(&file, "Helo, world\n").unwrap();
        let turn = scene.turn("Please fix greeting.txt", answer).await;
        assert!(turn.said.contains(said), "{}", turn.said);
        assert_eq!(turn.ends(), ends);
        assert!(std::fs::read_to_string(file).unwrap().starts_with(text));
    }
    let mut scene = Scene::new("fix-a-bug.yaml").await;
    let turn = scene.turn("Please fix greeting.txt", "allow_once").await;
    assert!(
        turn.said.contains("I cannot read greeting.txt"),
        "{}",
        turn.said
    );
}

#[tokio::test]
async fn a_loaded_session_goes_on_in_the_same_rule() {
    let mut scene = Scene::new("deploy.yaml").await;
    let turn = scene.turn("/deploy", "").await;
    assert!(
        turn.said.contains("Where to? (staging, production)"),
        "{}",
        turn.said
    );
    let turn = scene.turn("staging", "").await;
    assert!(
        turn.said.contains("the reason for staging?"),
        "{}",
        turn.said
    );

    let Scene {
        mut client,
        session,
    } = scene;
    let workspace = std::mem::replace(&mut client.workspace, tempfile::tempdir().unwrap());
    let cwd = workspace.path().to_owned();
    let setup = Setup {
        state: client.state.clone(),
        mode: Mode::FullAccess,
        ..Setup::default()
    };
    client.end().await;
    let mut client = Client::start_with(example("deploy.yaml").unwrap(), setup);
    client.initialize().await;
    let load = json!({"sessionId": session, "cwd": cwd, "mcpServers": []});
    let loaded = client.call("session/load", load).await;
    assert!(loaded.get("error").is_none(), "{loaded}");
    let mut scene = Scene { client, session };
    let turn = scene.turn("a test", "allow_once").await;
    assert_eq!(turn.said, "Deployed to staging, because of a test.");
    let written = std::fs::read_to_string(workspace.path().join("deployed.txt"));
    assert_eq!(written.unwrap(), "staging: a test\n");
}

#[tokio::test]
async fn a_question_in_a_form() {
    let offers = json!({"elicitation": {"form": {}}});
    for (result, said) in [
        (
            json!({"action": "accept", "content": {"answer": "production"}}),
            "What is the reason",
        ),
        (json!({"action": "decline"}), "Then nothing is deployed."),
    ] {
        let scene = Scene::with("deploy.yaml", offers.clone(), Setup::default(), json!([]));
        let Scene {
            mut client,
            session,
        } = scene.await;
        let id = client.prompt(&session, "/deploy now").await;
        let request = client.asked("elicitation/create").await;
        client.reply(&request, result).await;
        let next = client
            .until(|m| m["id"] == id || m["method"] == "elicitation/create")
            .await;
        let updates = client.updates();
        let heard = format!("{next}{}", text(&updates));
        assert!(heard.contains(said), "{heard}");
    }
}

#[tokio::test]
async fn values_of_structured_results() {
    let server =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios/plan_server.py");
    let server = json!([{"name": "plans", "command": "python3", "args": [server], "env": []}]);
    let mut scene = Scene::with("save-a-plan.yaml", json!({}), Setup::default(), server).await;
    let turn = scene.turn("Save a plan named Autumn", "allow_once").await;
    assert_eq!(turn.said, "The plan PLAN-7 is called Autumn.");
    let mut scene = Scene::new("save-a-plan.yaml").await;
    let turn = scene.turn("Save a plan named Autumn", "allow_once").await;
    assert!(turn.said.contains("There is no plan"), "{}", turn.said);
}

#[tokio::test]
async fn trouble() {
    let mut scene = Scene::new("trouble.yaml").await;
    for (prompt, stop, said) in [
        ("a tool that is not there", "end_turn", "no_such_tool"),
        (
            "arguments that are wrong",
            "end_turn",
            "`command` is missing",
        ),
        ("a command that fails", "end_turn", "The command is failed."),
        ("many at once", "end_turn", "failed, completed, completed"),
        ("a flood", "end_turn", "20000\n"),
        ("nothing at all", "end_turn", ""),
        ("a stop in the middle of work", "max_tokens", ""),
        ("anything else", "refusal", "I will not do this."),
    ] {
        let turn = scene.turn(prompt, "allow_once").await;
        assert_eq!(turn.stop, stop, "{prompt}");
        assert!(turn.said.contains(said), "{prompt}: {}", turn.said);
    }
    let turn = scene.turn("half a reply", "allow_once").await;
    assert_eq!(turn.said, "It begins well, and th");
    assert!(
        turn.stop["error"].to_string().contains("was lost"),
        "{}",
        turn.stop
    );
}

#[tokio::test]
async fn without_a_rule_and_for_commands_the_plain_stub_answers() {
    let mut scene = Scene::new("first.yaml").await;
    let turn = scene.turn("Hello, my name is Ada!", "").await;
    assert_eq!(turn.said, "Nice to meet you, Ada.");
    let turn = scene.turn("Reply with exactly MARK-7", "").await;
    assert_eq!(turn.said, "MARK-7");
    let turn = scene.turn("/think my name is Ada", "").await;
    assert_eq!(turn.said, "I have thought about it.");
}
