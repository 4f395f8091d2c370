//! What each stand-in journey demands, seen to pass with a right agent and to fail with a wrong one.

use serde_json::{Value, json};

use super::{
    judge,
    scene::{
        SESSION, Scene, asked, files, not_passed, recording, says, tool_call, tool_call_update,
    },
};
use crate::recording::{Ending, ExitStatus, Inputs, ProcessRecording, When};

fn judged(inputs: Inputs, processes: Vec<ProcessRecording>) -> Vec<String> {
    not_passed(&judge(&recording(inputs, processes)))
}

fn scene() -> Scene {
    Scene::new(json!({"loadSession": true})).session(json!({}))
}

const NONE: [&str; 0] = [];

#[test]
fn refused_permission() {
    let request = json!({"jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params":
        {"sessionId": SESSION, "toolCall": {"toolCallId": "c"}, "options":
            [{"optionId": "n", "name": "No", "kind": "reject_once"}]}});
    let run = |asks: bool, status: &str, stop: &str, after: &[(&str, &str, u64)]| {
        let mut scene = scene().begin_prompt();
        if asks {
            scene = scene.message(request.clone());
        }
        let updates = [tool_call("pending"), tool_call_update(status)];
        let process = scene.end_prompt(&updates, stop, files(&[]), files(after));
        judged(Inputs::RefusedPermission, vec![process.done()])
    };
    assert_eq!(run(true, "failed", "end_turn", &[]), NONE);
    assert_eq!(
        run(true, "completed", "end_turn", &[]),
        ["refused-call-fails fail"]
    );
    assert_eq!(
        run(true, "failed", "cancelled", &[]),
        ["refused-turn-end-turn fail"]
    );
    assert_eq!(
        run(true, "failed", "end_turn", &[("a", "one", 1)]),
        ["refused-turn-changes-nothing fail"]
    );
    assert_eq!(
        run(false, "failed", "end_turn", &[]),
        ["permission-requested fail", "refused-call-fails fail"]
    );
}

#[test]
fn killed_mid_turn_then_load() {
    let killed = || {
        let scene = scene().turn(&[says("ACK")]).begin_prompt();
        scene.ending(Ending::KilledByJourney)
    };
    let second = |replay: &[Value], reply: &str| {
        let scene = Scene::new(json!({"loadSession": true}));
        let load = json!({"sessionId": SESSION});
        let scene = scene.request("session/load", load, replay, json!({}));
        scene.turn(&[says(reply)]).done()
    };
    let replay = [asked("Remember WORD-1"), says("ACK")];
    let run = |first: ProcessRecording, second: ProcessRecording| {
        let word = "WORD-1".to_owned();
        judged(Inputs::KilledMidTurnThenLoad { word }, vec![first, second])
    };
    let nobody = || killed().look(When::AfterKill, &[]).done();
    assert_eq!(run(nobody(), second(&replay, "WORD-1")), NONE);
    assert_eq!(
        run(nobody(), second(&replay, "?")),
        ["reply-holds-word fail"]
    );
    assert_eq!(
        run(nobody(), second(&[], "WORD-1")),
        ["load-replays-conversation warn"]
    );
    let left = killed().look(When::AfterKill, &["sleep 30"]).done();
    assert_eq!(
        run(left, second(&replay, "WORD-1")),
        ["no-process-left-after-kill warn"]
    );
    let answered = scene().turn(&[says("ACK")]).turn(&[says("done")]);
    let answered = answered
        .ending(Ending::KilledByJourney)
        .look(When::AfterKill, &[]);
    assert_eq!(
        run(answered.done(), second(&replay, "WORD-1")),
        ["killed-mid-turn fail"]
    );
    let crashed = scene().turn(&[says("ACK")]).begin_prompt();
    let status = ExitStatus::Code(3);
    let crashed = crashed.ending(Ending::BeforeInputClosed { status });
    let found = run(crashed.done(), second(&replay, "WORD-1"));
    assert!(
        found.contains(&"killed-mid-turn fail".to_owned()),
        "{found:?}"
    );
}

#[test]
fn model_failure() {
    let run = |failed: Scene, stop: &str, reply: &str| {
        let process = failed.turn_with(&[says(reply)], stop, files(&[]), files(&[]));
        let marker = "M-1".to_owned();
        judged(Inputs::ModelFailure { marker }, vec![process.done()])
    };
    let with = |stop: &str| scene().turn_with(&[], stop, files(&[]), files(&[]));
    let error = |message: &str| scene().failed_prompt(&json!({"code": -32603, "message": message}));
    assert_eq!(run(error("the model is gone"), "end_turn", "M-1"), NONE);
    assert_eq!(run(with("refusal"), "end_turn", "M-1"), NONE);
    let shown = ["model-failure-shown fail"];
    assert_eq!(run(error(""), "end_turn", "M-1"), shown);
    assert_eq!(run(with("end_turn"), "end_turn", "M-1"), shown);
    assert_eq!(run(with("cancelled"), "end_turn", "M-1"), shown);
    let works = ["turn-after-failure-works fail"];
    assert_eq!(run(with("refusal"), "end_turn", "M-2"), works);
    assert_eq!(run(with("refusal"), "refusal", "M-1"), works);
}

#[test]
fn question() {
    let run = |scene: Scene| {
        let answer = "ANSWER-1".to_owned();
        judged(Inputs::Question { answer }, vec![scene.done()])
    };
    let in_words =
        |question: &str, reply: &str| run(scene().turn(&[says(question)]).turn(&[says(reply)]));
    assert_eq!(in_words("Which colour?", "ANSWER-1 it is."), NONE);
    assert_eq!(
        in_words("I know.", "ANSWER-1"),
        ["question-reaches-user fail"]
    );
    assert_eq!(in_words("Which?", "Thanks."), ["answer-reaches-agent fail"]);

    let with_form = |message: Value, given: &str, reply: &str, stop: &str| {
        let params = json!({"sessionId": SESSION, "mode": "form", "message": message});
        let asked =
            json!({"jsonrpc": "2.0", "id": 9, "method": "elicitation/create", "params": params});
        let content = json!({"action": "accept", "content": {"colour": given}});
        let answer = json!({"jsonrpc": "2.0", "id": 9, "result": content});
        let scene = scene().begin_prompt().message(asked).checker_says(&answer);
        run(scene.end_prompt(&[says(reply)], stop, files(&[]), files(&[])))
    };
    let which = || json!("Which?");
    // The value that was given in the form counts, and no other.
    assert_eq!(with_form(which(), "blue", "blue it is", "end_turn"), NONE);
    assert_eq!(
        with_form(which(), "blue", "ANSWER-1", "end_turn"),
        ["answer-reaches-agent fail"]
    );
    assert_eq!(
        with_form(Value::Null, "blue", "blue", "end_turn"),
        ["question-reaches-user fail"]
    );
    assert_eq!(
        with_form(which(), "blue", "blue", "refusal"),
        ["question-turn-end-turn fail"]
    );
}
