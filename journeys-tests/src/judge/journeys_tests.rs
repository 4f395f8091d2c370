//! What each journey demands, seen to pass with a right agent and to fail with a wrong one.

use serde_json::{Value, json};

use super::{
    judge,
    scene::{
        SESSION, Scene, asked, files, not_passed, plan, recording, says, tool_call,
        tool_call_update,
    },
};
use crate::recording::{Inputs, ProcessRecording, What, When};

fn judged(inputs: Inputs, processes: Vec<ProcessRecording>) -> Vec<String> {
    not_passed(&judge(&recording(inputs, processes)))
}

#[test]
fn reply() {
    let judged = |updates: &[Value], stop: &str| {
        let marker = "M-1".to_owned();
        let scene = Scene::new(json!({})).session(json!({}));
        let process = scene
            .turn_with(updates, stop, files(&[]), files(&[]))
            .done();
        judged(Inputs::Reply { marker }, vec![process])
    };
    let none = Vec::<String>::new();
    assert_eq!(judged(&[says("M-1")], "end_turn"), none);
    assert_eq!(judged(&[says("M"), says("-"), says("1")], "end_turn"), none);
    assert_eq!(
        judged(&[says("M-2")], "end_turn"),
        ["reply-holds-marker fail"]
    );
    assert_eq!(
        judged(&[says("M-1")], "max_tokens"),
        ["stop-reason-end-turn fail"]
    );
    let silent = ["reply-holds-marker fail", "reply-in-message-chunks fail"];
    assert_eq!(judged(&[], "end_turn"), silent);
    let thought =
        json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "M-1"}});
    assert_eq!(judged(&[thought], "end_turn"), silent);
}

#[test]
fn memory() {
    let judged = |first: &str, second: &str, reply: &str| {
        let none = || files(&[]);
        let scene = Scene::new(json!({})).session(json!({}));
        let scene = scene.turn_with(&[says("ACK")], first, none(), none());
        let process = scene
            .turn_with(&[says(reply)], second, none(), none())
            .done();
        let word = "WORD-1".to_owned();
        judged(Inputs::Memory { word }, vec![process])
    };
    assert_eq!(
        judged("end_turn", "end_turn", "It is WORD-1."),
        Vec::<String>::new()
    );
    assert_eq!(
        judged("refusal", "end_turn", "WORD-1"),
        ["first-turn-end-turn fail"]
    );
    assert_eq!(
        judged("end_turn", "refusal", "WORD-1"),
        ["second-turn-end-turn fail"]
    );
    assert_eq!(
        judged("end_turn", "end_turn", "which?"),
        ["reply-holds-word fail"]
    );
}

#[test]
fn load() {
    let judged = |capability: Value, replay: &[Value], result: Value, reply: &str| {
        let capabilities = json!({"loadSession": capability});
        let first = Scene::new(capabilities.clone())
            .session(json!({}))
            .turn(&[says("ACK")]);
        let second = Scene::new(capabilities)
            .request(
                "session/load",
                json!({"sessionId": SESSION}),
                replay,
                result,
            )
            .turn(&[says(reply)]);
        let word = "WORD-1".to_owned();
        judged(Inputs::Load { word }, vec![first.done(), second.done()])
    };
    let replay = [asked("Remember WORD-1"), says("WORD-1, ACK")];
    let none = Vec::<String>::new();
    for result in [
        json!(null),
        json!({}),
        json!({"configOptions": []}),
        json!({"sessionId": SESSION}),
    ] {
        assert_eq!(judged(json!(true), &replay, result, "WORD-1"), none);
    }
    assert_eq!(
        judged(json!(false), &replay, json!({}), "WORD-1"),
        ["load-session-advertised fail"]
    );
    assert_eq!(
        judged(json!(true), &[], json!({}), "WORD-1"),
        ["load-replays-conversation warn"]
    );
    // A replayed word is no reply.
    assert_eq!(
        judged(json!(true), &replay, json!({}), "?"),
        ["reply-holds-word fail"]
    );
}

#[test]
fn image() {
    let judged = |capability: Value, reply: &str| {
        let capabilities = json!({"promptCapabilities": {"image": capability}});
        let process = Scene::new(capabilities)
            .session(json!({}))
            .turn(&[says(reply)])
            .done();
        let word = "WORD-1".to_owned();
        judged(Inputs::Image { word }, vec![process])
    };
    assert_eq!(judged(json!(true), "WORD-1, Red"), Vec::<String>::new());
    assert_eq!(
        judged(json!("true"), "WORD-1 red"),
        ["image-advertised fail"]
    );
    assert_eq!(judged(json!(true), "WORD-1 blue"), ["reply-names-red fail"]);
    assert_eq!(judged(json!(true), "red"), ["reply-holds-word fail"]);
}

#[test]
fn cancel() {
    let session = || Scene::new(json!({})).session(json!({}));
    let updates = [tool_call("in_progress")];
    let judged = |scene: Scene| judged(Inputs::Cancel, vec![scene.done()]);
    let calm = |scene: Scene| scene.look(When::AfterCancel, &[]);
    let ended = |scene: Scene| scene.late(&tool_call_update("completed"));
    let warn = "tool-calls-end warn";
    assert_eq!(
        judged(calm(session().cancelled_turn(
            &updates,
            29_000,
            "cancelled"
        ))),
        [warn]
    );
    assert_eq!(
        judged(calm(session().cancelled_turn(
            &updates,
            30_001,
            "cancelled"
        ))),
        ["cancel-within-30s fail", warn]
    );
    assert_eq!(
        judged(calm(session().cancelled_turn(&updates, 1, "end_turn"))),
        ["stop-reason-cancelled fail", warn]
    );
    assert_eq!(
        judged(calm(session().cancelled_turn(&[], 1, "cancelled"))),
        ["tool-call-before-stop fail"]
    );
    let left = session()
        .cancelled_turn(&updates, 1, "cancelled")
        .look(When::AfterCancel, &["sleep 120"]);
    assert_eq!(judged(left), ["no-sleep-left fail", warn]);
    let late = ended(calm(session().cancelled_turn(&updates, 1, "cancelled")));
    assert_eq!(judged(late), [warn, "turn-updates-before-answer fail"]);
    // A turn that ends before its command was seen was never cancelled.
    assert_eq!(
        judged(session().turn(&[says("done")])),
        [
            "cancel-within-30s fail",
            "no-sleep-left fail",
            "stop-reason-cancelled fail",
            "tool-call-before-stop fail"
        ]
    );
}

/// What is said after the input was closed is said to nobody.
#[test]
fn an_answer_after_the_input_was_closed_is_none() {
    let closed = |scene: Scene| scene.event(What::InputClosed);
    let marker = "M-1".to_owned();
    let scene = Scene::new(json!({})).session(json!({}));
    let late =
        closed(scene.begin_prompt()).end_prompt(&[says("M-1")], "end_turn", files(&[]), files(&[]));
    let found = judged(Inputs::Reply { marker }, vec![late.done()]);
    let wanted = [
        "reply-holds-marker fail",
        "reply-in-message-chunks fail",
        "stop-reason-end-turn fail",
        "tool-calls-end fail",
        "turn-updates-before-answer fail",
    ];
    assert_eq!(found, wanted);

    let scene = Scene::new(json!({})).session(json!({})).begin_prompt();
    let params = json!({"sessionId": SESSION});
    let cancel = json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params});
    let scene = scene.late(&tool_call("in_progress")).checker_says(&cancel);
    let late = closed(scene.look(When::AfterCancel, &[]));
    let late = late.end_prompt(&[], "cancelled", files(&[]), files(&[]));
    let checks = judge(&recording(Inputs::Cancel, vec![late.done()]));
    let found = not_passed(&checks);
    assert!(
        found.contains(&"stop-reason-cancelled fail".to_owned()),
        "{found:?}"
    );
    assert!(
        found.contains(&"cancel-within-30s fail".to_owned()),
        "{found:?}"
    );
    let within = checks
        .iter()
        .find(|check| check.id == "cancel-within-30s")
        .unwrap();
    assert!(
        within
            .came
            .contains("no answer before its input was closed"),
        "{}",
        within.came
    );
}

fn plan_modes() -> Value {
    json!({"modes": {"currentModeId": "code", "availableModes": [{"id": "plan", "name": "Plan"}]}})
}

fn set_mode(scene: Scene) -> Scene {
    scene.request(
        "session/set_mode",
        json!({"sessionId": SESSION, "modeId": "plan"}),
        &[],
        json!({}),
    )
}

fn create(title: &str, description: &str, id: &'static str) -> (&'static str, Value, &'static str) {
    (
        "create_plan",
        json!({"title": title, "description": description}),
        id,
    )
}

fn get(id: &str) -> (&'static str, Value, &'static str) {
    ("get_plan", json!({"id": id}), "")
}

#[test]
fn plan_journey() {
    let run = |calls: &[(&str, Value, &str)], reply: &str| {
        let scene = set_mode(Scene::new(json!({})).session(plan_modes()));
        let process = scene.turn(&[says(reply)]).calls(calls).done();
        judged(Inputs::Plan { plan: plan("T-1") }, vec![process])
    };
    let right = [create("T-1", "x three boats y", "p-7"), get("p-7")];
    assert_eq!(run(&right, "Saved as p-7."), Vec::<String>::new());
    // The second attempt counts, and the ID is that of the attempt that counts.
    let twice = [
        create("T-1", "x", "p-6"),
        create("T-1", "three boats", "p-7"),
        get("p-7"),
    ];
    assert_eq!(run(&twice, "p-7"), Vec::<String>::new());
    assert_eq!(run(&right, "Saved."), ["reply-holds-plan-id fail"]);
    assert_eq!(
        run(&[create("T-1", "x", "p-7"), get("p-7")], "p-7"),
        ["create-plan-has-cat-output fail"]
    );
    assert_eq!(
        run(&[create("T-1", "three boats", "p-7"), get("p-8")], "p-7"),
        ["get-plan-has-plan-id fail"]
    );
    assert_eq!(
        run(&[get("p-7"), create("T-1", "three boats", "p-7")], "p-7"),
        ["get-plan-has-plan-id fail"]
    );
    let nothing = [
        "create-plan-has-cat-output fail",
        "create-plan-has-title fail",
        "get-plan-has-plan-id fail",
        "reply-holds-plan-id fail",
    ];
    assert_eq!(run(&[], "p-7"), nothing);
    assert_eq!(
        run(&[create("T-2", "three boats", "p-7"), get("p-7")], "p-7"),
        nothing
    );
}

#[test]
fn a_call_that_the_server_refused_saved_nothing() {
    let scene = set_mode(Scene::new(json!({})).session(plan_modes()));
    let calls = [create("T-1", "three boats", "p-7"), get("p-7")];
    let mut process = scene.turn(&[says("p-7")]).calls(&calls).done();
    process.tool_server.lines[0]["result"]["isError"] = json!(true);
    let wanted = ["get-plan-has-plan-id fail", "reply-holds-plan-id fail"];
    assert_eq!(
        judged(Inputs::Plan { plan: plan("T-1") }, vec![process]),
        wanted
    );
}

#[test]
fn plan_mode_must_be_there_and_be_set() {
    let inputs = || Inputs::Plan { plan: plan("T-1") };
    let without = Scene::new(json!({})).session(json!({})).done();
    assert!(judged(inputs(), vec![without]).contains(&"plan-mode-advertised fail".to_owned()));
    let not_set = Scene::new(json!({}))
        .session(plan_modes())
        .turn(&[says("p-7")]);
    let not_set = not_set
        .calls(&[create("T-1", "three boats", "p-7"), get("p-7")])
        .done();
    assert_eq!(judged(inputs(), vec![not_set]), ["set-mode-answers fail"]);
}

#[test]
fn the_workspace_of_a_plan_turn() {
    let before = || files(&[("a", "one", 1)]);
    let run = |after, at_end| {
        let scene = set_mode(Scene::new(json!({})).session(plan_modes()));
        let scene = scene.turn_with(&[says("p-7")], "end_turn", before(), after);
        let scene = scene.calls(&[create("T-1", "three boats", "p-7"), get("p-7")]);
        judged(
            Inputs::Plan { plan: plan("T-1") },
            vec![scene.files_at_end(at_end).done()],
        )
    };
    let none = Vec::<String>::new();
    assert_eq!(run(before(), before()), none);
    let scene = set_mode(Scene::new(json!({})).session(plan_modes())).turn(&[says("p-7")]);
    let scene = scene.calls(&[create("T-1", "three boats", "p-7"), get("p-7")]);
    let mut process = scene.done();
    process.turns[0].beside = vec!["PLAN.md".to_owned()];
    assert_eq!(
        judged(Inputs::Plan { plan: plan("T-1") }, vec![process]),
        ["workspace-unchanged warn"]
    );
    let fail = ["workspace-unchanged fail"];
    assert_eq!(run(files(&[("a", "two", 1)]), before()), fail);
    assert_eq!(run(files(&[]), before()), fail);
    assert_eq!(run(files(&[("a", "one", 1), ("b", "", 2)]), before()), fail);
    assert_eq!(run(before(), files(&[("a", "two", 1)])), fail);
    // Replaced by the same content: the contract's comparison cannot see it.
    assert_eq!(
        run(files(&[("a", "one", 9)]), files(&[("a", "one", 9)])),
        ["workspace-unchanged warn"]
    );
}

#[test]
fn modes() {
    let start = || files(&[("a", "one", 1)]);
    let created = || files(&[("a", "one", 1), ("new", "x", 2)]);
    let run = |calls: &[(&str, Value, &str)], after_first, after_regular, after_second| {
        let scene = set_mode(Scene::new(json!({})).session(plan_modes()));
        let scene = scene.turn_with(&[says("p-1")], "end_turn", start(), after_first);
        let scene = set_mode(scene).turn_with(&[says("DONE")], "end_turn", start(), after_regular);
        let scene = set_mode(scene).turn_with(&[says("p-2")], "end_turn", created(), after_second);
        let (first, second) = (plan("T-1"), plan("T-2"));
        let created_file = "new".to_owned();
        let inputs = Inputs::Modes {
            first,
            created_file,
            second,
        };
        judged(inputs, vec![scene.calls(calls).done()])
    };
    let first = [create("T-1", "three boats", "p-1"), get("p-1")];
    let second = [create("T-2", "three boats", "p-2"), get("p-2")];
    let all = [first.clone(), second.clone()].concat();
    assert_eq!(
        run(&all, start(), created(), created()),
        Vec::<String>::new()
    );
    assert_eq!(
        run(&first, start(), created(), created()),
        ["second-plan-saved fail"]
    );
    assert_eq!(
        run(&second, start(), created(), created()),
        ["first-plan-saved fail"]
    );
    assert_eq!(
        run(&all, start(), start(), created()),
        ["regular-turn-creates-file fail"]
    );
    let changed = ["workspace-unchanged-in-plan-turns fail"];
    assert_eq!(run(&all, created(), created(), created()), changed);
    assert_eq!(run(&all, start(), created(), start()), changed);
}
