//! What happens when nothing happens: the deadlines, shortened by their hidden variables.

use std::fs;

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::support::{Scene, chunk, processes, prompts};

#[test]
fn a_handshake_that_is_never_answered_is_given_up() {
    for silent in ["initialize", "session/new"] {
        let scene = Scene::new(&json!({"answers": {silent: null}, "ignores_eof": true}))
            .env("ACP_RUNNER_HANDSHAKE_MS", "300");
        let mut runner = scene.start();
        runner.say("1", "x");
        let ended = runner.ended();
        assert_eq!(ended.status.code(), Some(1));
        let message = "the ACP handshake failed: the agent did not answer within 0.3 seconds";
        assert_eq!(ended.log("error"), [format!("ACP_AGENT_FAILED: {message}")]);
        let status = json!({"type": "status", "state": "error", "detail": "ACP_AGENT_FAILED"});
        assert_eq!(ended.events.last(), Some(&status));
        assert!(scene.methods().contains(&silent.to_owned()));
    }
}

#[test]
fn an_interrupt_that_is_not_heeded_is_told_and_nothing_is_killed() {
    let scene = Scene::new(&json!({})).env("ACP_RUNNER_HEED_MS", "200");
    let gate = scene.at("gate");
    scene.script(&prompts(json!([
        [chunk("a"), {"wait_cancel": 1}, {"wait_file": gate}, {"stop": "cancelled"}],
        [chunk("b")],
    ])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    let warning = json!({
        "type": "log",
        "level": "warn",
        "message": "the agent has not stopped 0.2 seconds after the interrupt; it is left running",
    });
    // Each interrupt has its own clock.
    for _ in 0..2 {
        runner.interrupt();
        assert_eq!(runner.until_type("log"), warning);
    }
    fs::write(gate, "").unwrap();
    let end = runner.until_type("turn_end");
    assert_eq!(end["result"], "interrupted by the user");
    runner.until_state("idle");
    assert_eq!(runner.turn("y")["result"], "b");
    let ended = runner.shut_down();
    // An interrupt that was heeded is not told.
    assert_eq!(ended.log("warn").len(), 2);
    let pids: Vec<Value> = scene
        .received()
        .iter()
        .map(|line| line["pid"].clone())
        .filter(|pid| !pid.is_null())
        .collect();
    assert_eq!(pids.len(), 1);
}

#[test]
fn a_rule_that_takes_for_ever_denies_and_holds_up_nothing() {
    let ask = |id: &str, command: &str| {
        let options = json!([
            {"optionId": "allow", "name": "Allow", "kind": "allow_once"},
            {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
        ]);
        let call = json!({"toolCallId": id, "kind": "execute", "rawInput": {"command": command}});
        json!({"ask": {"id": id, "method": "session/request_permission", "params": {
            "sessionId": "s-1", "toolCall": call, "options": options,
        }}})
    };
    let endless = format!("{}!", "a".repeat(64));
    let steps = json!([[
        ask("1", "ls"),
        ask("2", &endless),
        ask("3", "ls"),
        chunk("done")
    ]]);
    let policy = json!({"rules": [
        {"id": "slow", "decision": "deny", "command": "(a+)+$"},
        {"id": "rest", "decision": "allow", "command": "."},
    ]});
    let scene = Scene::new(&prompts(steps))
        .env("COLONIZER_EXEC_POLICY", policy.to_string())
        .env("ACP_RUNNER_JUDGE_MS", "300");
    let mut runner = scene.start();
    assert_eq!(runner.turn("x")["result"], "done");
    let ended = runner.shut_down();
    for (id, option) in [("1", "allow"), ("2", "reject"), ("3", "reject")] {
        assert_eq!(scene.answer(id)["result"]["outcome"]["optionId"], option);
    }
    let controls: Vec<&Value> = ended
        .of_type("boundary")
        .iter()
        .map(|boundary| &boundary["control"])
        .collect();
    assert_eq!(controls, ["exec_policy:too-slow", "exec_policy:too-slow"]);
}

#[test]
fn a_shutdown_is_forced_when_something_hangs() {
    // The host reads nothing, so not even the end can be told.
    let flood =
        json!({"prompts": [[{"flood": "text"}]], "ignores_sigterm": true, "ignores_eof": true});
    type Ask<'a> = &'a dyn Fn(&mut crate::support::runner::Runner);
    let table: [Ask; 3] = [
        &|runner| runner.send(json!({"type": "shutdown"})),
        &|runner| runner.close_input(),
        &|runner| runner.signal(Signal::SIGTERM),
    ];
    for ask in table {
        let scene = Scene::new(&flood).env("ACP_RUNNER_SHUTDOWN_MS", "500");
        let mut runner = scene.start_unread();
        runner.say("1", "x");
        processes::until("the agent floods", || {
            scene.methods().contains(&"session/prompt".to_owned())
        });
        ask(&mut runner);
        assert_eq!(runner.exit().code(), Some(0));
        processes::none_left(&scene.token);
    }
}
