//! The checks of every process and session, each seen to pass and to fail.

use serde_json::{Value, json};

use super::{
    judge,
    scene::{SESSION, Scene, not_passed, recording, says, tool_call, tool_call_update},
};
use crate::{
    recording::{Ending, ExitStatus, Inputs, JunkReason, Recording, What, When},
    trouble::Trouble,
};

fn reply() -> Scene {
    Scene::new(json!({})).session(json!({}))
}

fn reply_done() -> Scene {
    reply().turn(&[says("M-1")])
}

fn judged(scene: Scene) -> Vec<String> {
    let marker = "M-1".to_owned();
    not_passed(&judge(&recording(
        Inputs::Reply { marker },
        vec![scene.done()],
    )))
}

fn junk(line: &str) -> What {
    What::Junk {
        line: line.to_owned(),
        bytes: line.len() as u64,
        reason: JunkReason::NotJson,
    }
}

#[test]
fn a_right_process_passes_every_check() {
    assert_eq!(judged(reply_done()), Vec::<String>::new());
}

#[test]
fn each_fault_is_caught_by_its_check_and_no_other() {
    let killed = Ending::Killed { after_ms: 10_000 };
    let late_end = Ending::AfterInputClosed {
        status: ExitStatus::Code(0),
        after_ms: 10_001,
    };
    let crashed = Ending::BeforeInputClosed {
        status: ExitStatus::Signal(11),
    };
    let status_1 = Ending::AfterInputClosed {
        status: ExitStatus::Code(1),
        after_ms: 1,
    };
    let update_of_other = json!({"jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": "other", "update": says("x")}});
    let omitted = What::Omitted { lines: 9, bytes: 9 };
    #[rustfmt::skip]
    let table: Vec<(Scene, &[&str])> = vec![
        (reply_done().ending(killed), &["ends-on-input-close fail", "exit-status-zero fail", "no-process-left fail"]),
        (reply_done().ending(late_end), &["ends-on-input-close fail"]),
        (reply_done().ending(crashed), &["ends-on-input-close fail", "exit-status-zero warn"]),
        (reply_done().ending(status_1), &["exit-status-zero warn"]),
        (reply_done().look(When::AfterEnd, &["sleep 600"]), &["no-process-left fail"]),
        (reply_done().look(When::AtEnd, &["goes soon"]), &[]),
        (reply_done().event(junk("[Agent] ready")), &["stdout-is-protocol warn"]),
        (reply_done().event(omitted), &[]),
        (reply_done().message(json!({"jsonrpc": "2.0", "id": 0, "result": {}})), &["responses-match-requests warn"]),
        (reply_done().message(json!({"jsonrpc": "2.0", "id": "0", "result": {}})), &["responses-match-requests warn"]),
        (reply_done().message(json!({"jsonrpc": "2.0", "id": 77, "result": {}})), &["responses-match-requests warn"]),
        (reply_done().message(json!({"id": 8, "method": "fs/read_text_file"})), &["valid-messages warn"]),
        (reply().message(update_of_other).turn(&[says("M-1")]), &["updates-name-the-session warn"]),
        (reply_done().late(&says("x")), &["turn-updates-before-answer fail"]),
        (reply_done().late(&tool_call("completed")), &["turn-updates-before-answer fail"]),
        (reply().turn(&[tool_call("pending"), says("M-1")]), &["tool-calls-end warn"]),
        (reply().turn(&[tool_call("pending"), tool_call_update("failed"), says("M-1")]), &[]),
        (reply().turn(&[json!({"sessionUpdate": "new_kind"}), says("M-1")]), &["valid-messages warn"]),
    ];
    for (number, (scene, wanted)) in table.into_iter().enumerate() {
        assert_eq!(judged(scene), wanted, "row {number}");
    }
}

#[test]
fn updates_that_may_come_at_any_time_are_no_fault_after_the_answer() {
    let mut scene = reply_done();
    for update in [
        json!({"sessionUpdate": "available_commands_update", "availableCommands": []}),
        json!({"sessionUpdate": "session_info_update", "title": "x"}),
        json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
        json!({"sessionUpdate": "current_mode_update", "currentModeId": "x"}),
        json!({"sessionUpdate": "config_option_update", "configOptions": []}),
    ] {
        scene = scene.late(&update);
    }
    assert_eq!(judged(scene), Vec::<String>::new());
}

#[test]
fn an_indented_message_is_named_as_one() {
    let lines = ["{", "  \"id\": 0", "}"];
    let scene = lines
        .iter()
        .fold(reply_done(), |scene, line| scene.event(junk(line)));
    let marker = "M-1".to_owned();
    let checks = judge(&recording(Inputs::Reply { marker }, vec![scene.done()]));
    let stdout = checks
        .iter()
        .find(|check| check.id == "stdout-is-protocol")
        .unwrap();
    assert!(
        stdout
            .came
            .starts_with("embedded newline: one message over 3 lines"),
        "{}",
        stdout.came
    );
}

#[test]
fn a_constant_pool_is_no_growth() {
    let two_turns = |first: &[&str], second: &[&str]| {
        let turn = || says("WORD");
        let scene = reply().turn(&[turn()]).look(When::AfterTurn, first);
        let scene = scene.turn(&[turn()]).look(When::AfterTurn, second);
        let word = "WORD".to_owned();
        not_passed(&judge(&recording(
            Inputs::Memory { word },
            vec![scene.done()],
        )))
    };
    assert_eq!(two_turns(&["a", "b"], &["a", "b"]), Vec::<String>::new());
    assert_eq!(
        two_turns(&["a"], &["a", "b"]),
        ["processes-do-not-grow warn"]
    );
}

#[test]
fn children_that_nobody_waits_for_are_growth() {
    let turns = || reply().turn(&[says("WORD")]).look(When::AfterTurn, &["a"]);
    let scene = turns().turn(&[says("WORD")]).look(When::AfterTurn, &["a"]);
    let mut process = scene.done();
    let word = || Inputs::Memory {
        word: "WORD".to_owned(),
    };
    process.looks[1].zombies = 1;
    assert_eq!(
        not_passed(&judge(&recording(word(), vec![process.clone()]))),
        ["processes-do-not-grow warn"]
    );
    process.looks[0].zombies = 1;
    let found = not_passed(&judge(&recording(word(), vec![process])));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn the_version_must_be_the_number_1() {
    for version in [json!("1"), json!(2), json!(1.5), Value::Null] {
        let mut process = Scene::new(json!({})).done();
        for event in &mut process.events {
            if let What::Received { line, .. } = &mut event.what {
                *line = line.replace(
                    "\"protocolVersion\":1",
                    &format!("\"protocolVersion\":{version}"),
                );
            }
        }
        let marker = "M-1".to_owned();
        let checks = judge(&recording(Inputs::Reply { marker }, vec![process]));
        let check = checks
            .iter()
            .find(|check| check.id == "protocol-version-1")
            .unwrap();
        assert_eq!(check.came, format!("protocolVersion {version}"));
        assert!(not_passed(&checks).contains(&"reply-holds-marker fail".to_owned()));
    }
}

#[test]
fn what_was_never_reached_is_a_fail_that_says_why() {
    let marker = "M-1".to_owned();
    let recording = Recording {
        inputs: Inputs::Reply { marker },
        processes: Vec::new(),
        trouble: Some(Trouble::CouldNotStart {
            program: "x".to_owned(),
            error: "not found".to_owned(),
        }),
        timing: None,
    };
    let checks = judge(&recording);
    assert!(checks.len() > 5);
    for check in checks {
        assert_eq!(
            check.came, "not reached: could not start x: not found",
            "{}",
            check.id
        );
    }
}

#[test]
fn a_reply_in_another_session_does_not_count() {
    let other = json!({"jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": format!("{SESSION}x"), "update": says("M-1")}});
    let scene = reply().message(other).turn(&[]);
    let wanted = [
        "reply-holds-marker fail",
        "reply-in-message-chunks fail",
        "updates-name-the-session warn",
    ];
    assert_eq!(judged(scene), wanted);
}
