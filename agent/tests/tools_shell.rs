//! The shell tool, with a real shell below a real supervisor.

// A helper of a test fails as a test does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod tools_scene;

use std::time::Duration;

use acp_agent::tools::Effect;
use serde_json::{Value, json};
use stub_model::Outcome;
use tools_scene::{Scene, is_alive};

/// More than anything here takes; reached only by a fault.
const DEADLINE: Duration = Duration::from_secs(20);

#[tokio::test]
async fn the_end_of_a_command_is_told() {
    let scene = Scene::new();
    let rows: Vec<(Value, Outcome, &str, Value)> = vec![
        (
            json!({"command": "echo hi"}),
            Outcome::Completed,
            "hi\n",
            json!(0),
        ),
        (
            json!({"command": "pwd -P | sed 's/.*\\///'"}),
            Outcome::Completed,
            "w\n",
            json!(0),
        ),
        (json!({"command": "true"}), Outcome::Completed, "", json!(0)),
        (
            json!({"command": "echo no >&2; exit 7"}),
            Outcome::Failed,
            "no\n[exit code 7]",
            json!(7),
        ),
        (
            json!({"command": "printf x; kill -9 $$"}),
            Outcome::Failed,
            "x\n[ended by signal 9]",
            Value::Null,
        ),
        (
            json!({"command": "echo on; sleep 100", "timeout_seconds": 1}),
            Outcome::Failed,
            "on\n[stopped: it ran longer than 1 s]",
            Value::Null,
        ),
        (
            json!({"command": "sleep 100 & echo done"}),
            Outcome::Completed,
            "done\n[processes left in the background, now ended: 1]",
            json!(0),
        ),
    ];
    for (arguments, outcome, text, code) in rows {
        let (effect, got) = scene.call("shell", arguments.clone()).await;
        assert_eq!(
            (got.outcome, effect),
            (outcome, Effect::Execute),
            "{arguments}: {}",
            got.text
        );
        assert_eq!(got.text, text, "{arguments}");
        assert_eq!(got.raw_output.unwrap()["exitCode"], code, "{arguments}");
    }
}

#[tokio::test]
async fn what_is_shown_before_is_what_runs() {
    let scene = Scene::new();
    let shell = scene
        .prepare("shell", json!({"command": "echo a\necho b"}))
        .unwrap();
    assert_eq!(shell.title, "`echo a echo b`");
    assert_eq!(shell.grant, "shell: echo a\necho b");
    for (command, words) in [(" ", "must not be empty"), ("a\0b", "NUL")] {
        let error = scene
            .prepare("shell", json!({ "command": command }))
            .err()
            .unwrap();
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn a_cancel_ends_the_tree_and_keeps_the_output() {
    let scene = Scene::new();
    let command = "sleep 120 & echo $!; wait";
    let shell = scene
        .prepare("shell", json!({ "command": command }))
        .unwrap();
    let running = tokio::spawn((shell.job)(scene.context()));
    let pid = tokio::time::timeout(DEADLINE, async {
        loop {
            let said = scene.shown.lock().unwrap().last().cloned();
            if let Some(pid) = said.as_deref().and_then(|said| said.strip_suffix('\n')) {
                break pid.to_owned();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let pid = pid.await.unwrap();
    assert!(is_alive(&pid));
    scene.cancel.cancel();
    let outcome = tokio::time::timeout(DEADLINE, running)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(outcome.outcome, Outcome::Cancelled);
    assert_eq!(outcome.text, format!("{pid}\n[cancelled]"));
    assert!(!is_alive(&pid));
}

#[tokio::test]
async fn endless_output_is_bounded() {
    let scene = Scene::new();
    let command = "yes | head -c 100000000";
    let (_, outcome) = scene.call("shell", json!({ "command": command })).await;
    assert_eq!(outcome.outcome, Outcome::Completed);
    assert!(outcome.text.len() < 140_000, "{}", outcome.text.len());
    assert!(outcome.text.contains("bytes omitted"));
    assert_eq!(
        outcome.raw_output.unwrap()["omittedBytes"],
        100_000_000 - 128 * 1024
    );
}
