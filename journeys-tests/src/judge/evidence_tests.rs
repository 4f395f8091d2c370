//! Where a check points: a reader who follows it must find what the check speaks of.

use serde_json::{Value, json};

use super::{
    judge,
    scene::{SESSION, Scene, asked, files, plan, recording, says, tool_call, tool_call_update},
};
use crate::{
    check::Check,
    evidence::Part,
    recording::{Inputs, JunkReason, ProcessRecording, What, When},
};

/// What the evidence of a check shows, in short: the method or kind of a message, or what else it is.
fn shown(checks: &[Check], id: &str, processes: &[ProcessRecording]) -> Vec<String> {
    let check = checks.iter().find(|check| check.id == id).unwrap();
    let evidence = check.evidence.iter();
    evidence
        .map(|evidence| {
            let process = &processes[evidence.process];
            match evidence.part {
                Part::Event(at) => event(&process.events[at].what),
                Part::Look(at) => format!("look {:?}", process.looks[at].when),
                Part::Turn(at) => format!("turn {at} of {}", process.turns.len()),
                Part::ToolServerLine(at) => process.tool_server.lines[at]["tool"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            }
        })
        .collect()
}

fn event(what: &What) -> String {
    match what {
        What::Sent { line } => {
            let json: Value = serde_json::from_str(line).unwrap();
            format!("> {}", json["method"].as_str().unwrap_or("answer"))
        }
        What::Received { line, .. } => {
            let json: Value = serde_json::from_str(line).unwrap();
            let kind = json["params"]["update"]["sessionUpdate"].as_str();
            format!("< {}", kind.or(json["method"].as_str()).unwrap_or("answer"))
        }
        What::Junk { .. } => "junk".to_owned(),
        What::InputClosed => "closed".to_owned(),
        What::Exited { .. } => "exited".to_owned(),
        other => panic!("{other:?} shows nothing"),
    }
}

/// A table of checks and what their evidence shows.
fn compare(inputs: Inputs, processes: Vec<ProcessRecording>, table: &[(&str, &[&str])]) {
    let checks = judge(&recording(inputs, processes.clone()));
    for (id, wanted) in table {
        assert_eq!(shown(&checks, id, &processes), *wanted, "{id}");
    }
}

fn ended(scene: Scene) -> ProcessRecording {
    let status = crate::recording::ExitStatus::Code(0);
    let scene = scene.event(What::InputClosed);
    scene.event(What::Exited { status }).done()
}

#[test]
fn a_good_reply() {
    let scene = Scene::new(json!({})).session(json!({}));
    let process = ended(scene.turn(&[says("M-"), says("1")]));
    let marker = "M-1".to_owned();
    let reply: &[&str] = &["< agent_message_chunk", "< agent_message_chunk", "< answer"];
    compare(
        Inputs::Reply { marker },
        vec![process],
        &[
            ("protocol-version-1", &["> initialize", "< answer"]),
            ("ends-on-input-close", &["closed", "exited"]),
            ("exit-status-zero", &["closed", "exited"]),
            ("no-process-left", &["look AfterEnd"]),
            ("stdout-is-protocol", &[]),
            ("responses-match-requests", &[]),
            ("valid-messages", &[]),
            ("session-new-answers", &["> session/new", "< answer"]),
            ("reply-in-message-chunks", reply),
            ("reply-holds-marker", reply),
            ("stop-reason-end-turn", &["> session/prompt", "< answer"]),
        ],
    );
}

#[test]
fn a_bad_wire() {
    let other = json!({"jsonrpc": "2.0", "method": "session/update",
        "params": {"sessionId": "other", "update": {"sessionUpdate": "plan", "entries": []}}});
    let junk = What::Junk {
        line: "x".to_owned(),
        bytes: 1,
        reason: JunkReason::NotJson,
    };
    let scene = Scene::new(json!({})).session(json!({})).event(junk);
    let scene = scene
        .message(other)
        .turn(&[tool_call("pending"), says("M-1")]);
    let scene = scene.message(json!({"id": 77, "result": {}}));
    let process = scene.late(&says("late")).begin_prompt().done();
    let marker = "M-1".to_owned();
    compare(
        Inputs::Reply { marker },
        vec![process],
        &[
            ("stdout-is-protocol", &["junk"]),
            ("updates-name-the-session", &["< plan"]),
            (
                "responses-match-requests",
                &["< answer", "> session/prompt"],
            ),
            ("valid-messages", &["< answer"]),
            (
                "turn-updates-before-answer",
                &["< answer", "< agent_message_chunk"],
            ),
            ("tool-calls-end", &["< tool_call"]),
        ],
    );
}

#[test]
fn an_unknown_stop_reason() {
    let scene = Scene::new(json!({})).session(json!({}));
    let process = scene.turn_with(&[], "stop", files(&[]), files(&[])).done();
    let marker = "M-1".to_owned();
    compare(
        Inputs::Reply { marker },
        vec![process],
        &[("valid-messages", &["< answer"])],
    );
}

#[test]
fn growth_and_load() {
    let capabilities = json!({"loadSession": true});
    let scene = Scene::new(capabilities.clone()).session(json!({}));
    let scene = scene.turn(&[says("ACK")]).look(When::AfterTurn, &[]);
    let first = scene
        .turn(&[says("ACK")])
        .look(When::AfterTurn, &["x"])
        .done();
    let second = Scene::new(capabilities).request(
        "session/load",
        json!({"sessionId": SESSION}),
        &[asked("WORD-1"), says("ACK")],
        json!({}),
    );
    let second = second.turn(&[says("WORD-1")]).done();
    let word = "WORD-1".to_owned();
    compare(
        Inputs::Load { word },
        vec![first, second],
        &[
            (
                "processes-do-not-grow",
                &["look AfterTurn", "look AfterTurn"],
            ),
            ("load-session-advertised", &["> initialize", "< answer"]),
            ("session-load-answers", &["> session/load", "< answer"]),
            ("load-replays-conversation", &["> session/load", "< answer"]),
            ("reply-holds-word", &["< agent_message_chunk", "< answer"]),
        ],
    );
}

#[test]
fn an_image() {
    let capabilities = json!({"promptCapabilities": {"image": true}});
    let scene = Scene::new(capabilities).session(json!({}));
    let word = "WORD-1".to_owned();
    compare(
        Inputs::Image { word },
        vec![scene.turn(&[says("WORD-1 red")]).done()],
        &[
            ("image-advertised", &["> initialize", "< answer"]),
            ("reply-names-red", &["< agent_message_chunk", "< answer"]),
        ],
    );
}

#[test]
fn a_cancel() {
    let scene = Scene::new(json!({})).session(json!({}));
    let scene = scene.cancelled_turn(&[tool_call("in_progress")], 1, "cancelled");
    let clean = scene
        .late(&tool_call_update("failed"))
        .look(When::AfterCancel, &[]);
    compare(
        Inputs::Cancel,
        vec![clean.done()],
        &[
            ("tool-call-before-stop", &["< tool_call"]),
            ("stop-reason-cancelled", &["> session/prompt", "< answer"]),
            ("cancel-within-30s", &["> session/cancel", "< answer"]),
            ("no-sleep-left", &["look AfterCancel", "look AfterEnd"]),
        ],
    );
    // Of those that were looked at, only the looks that show one.
    let scene = Scene::new(json!({})).session(json!({}));
    let scene = scene.cancelled_turn(&[tool_call("in_progress")], 1, "cancelled");
    let left = scene
        .look(When::BeforeCancel, &["sleep 120"])
        .look(When::AfterCancel, &["sleep 120"]);
    compare(
        Inputs::Cancel,
        vec![left.done()],
        &[("no-sleep-left", &["look AfterCancel"])],
    );
}

#[test]
fn a_kill() {
    let capabilities = json!({"loadSession": true});
    let scene = Scene::new(capabilities.clone())
        .session(json!({}))
        .turn(&[says("ACK")]);
    let scene = scene
        .begin_prompt()
        .ending(crate::recording::Ending::KilledByJourney);
    let first = scene
        .look(When::AfterTurn, &[])
        .look(When::AfterKill, &[])
        .done();
    let second = Scene::new(capabilities).done();
    let word = "WORD-1".to_owned();
    compare(
        Inputs::KilledMidTurnThenLoad { word },
        vec![first, second],
        &[
            ("killed-mid-turn", &["> session/prompt"]),
            ("no-process-left-after-kill", &["look AfterKill"]),
        ],
    );
}

#[test]
fn plans() {
    let modes = json!({"modes": {"currentModeId": "code", "availableModes": [{"id": "plan", "name": "Plan"}]}});
    let set_mode = |scene: Scene| {
        let params = json!({"sessionId": SESSION, "modeId": "plan"});
        scene.request("session/set_mode", params, &[], json!({}))
    };
    let calls = [
        (
            "create_plan",
            json!({"title": "T-1", "description": "three boats"}),
            "p-1",
        ),
        ("get_plan", json!({"id": "p-1"}), ""),
        (
            "create_plan",
            json!({"title": "T-2", "description": "three boats"}),
            "p-2",
        ),
        ("get_plan", json!({"id": "p-2"}), ""),
    ];
    let scene = set_mode(Scene::new(json!({})).session(modes.clone()));
    let process = scene.turn(&[says("p-1")]).calls(&calls[..2]).done();
    compare(
        Inputs::Plan { plan: plan("T-1") },
        vec![process],
        &[
            ("plan-mode-advertised", &["> session/new", "< answer"]),
            ("set-mode-answers", &["> session/set_mode", "< answer"]),
            ("create-plan-has-title", &["create_plan"]),
            ("create-plan-has-cat-output", &["create_plan"]),
            ("get-plan-has-plan-id", &["get_plan"]),
            (
                "reply-holds-plan-id",
                &["< agent_message_chunk", "< answer"],
            ),
            ("workspace-unchanged", &["turn 0 of 1"]),
        ],
    );

    let scene = set_mode(Scene::new(json!({})).session(modes));
    let scene = set_mode(scene.turn(&[says("p-1")]));
    let created = || files(&[("new", "x", 2)]);
    let scene = scene.turn_with(&[says("DONE")], "end_turn", files(&[]), created());
    let scene = set_mode(scene).turn_with(&[says("p-2")], "end_turn", created(), created());
    let inputs = Inputs::Modes {
        first: plan("T-1"),
        created_file: "new".to_owned(),
        second: plan("T-2"),
    };
    let answers: &[&str] = &["> session/prompt", "< answer"];
    compare(
        inputs,
        vec![scene.calls(&calls).done()],
        &[
            ("first-plan-saved", &["create_plan", "get_plan"]),
            ("second-plan-saved", &["create_plan", "get_plan"]),
            ("regular-turn-creates-file", &["turn 1 of 3"]),
            ("workspace-unchanged-in-plan-turns", &["turn 0 of 3"]),
            (
                "stop-reason-end-turn",
                &[answers, answers, answers].concat(),
            ),
        ],
    );
}

#[test]
fn a_quotation_is_short_and_marked() {
    let quoted = super::quote("a\nb");
    assert_eq!(quoted, "\"a\\nb\"");
    let long = "é".repeat(301);
    let quoted = super::quote(&long);
    assert_eq!(quoted, format!("\"{}\" …", "é".repeat(300)));
    assert_eq!(super::quote(&long[..600]), format!("{:?}", &long[..600]));
}
