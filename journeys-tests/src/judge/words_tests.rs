//! What a check says came: a reader must learn from it what went wrong.

use serde_json::{Value, json};

use super::{
    judge,
    scene::{
        SESSION, Scene, asked, files, not_passed, plan, recording, says, tool_call,
        tool_call_update,
    },
    transcript::Transcript,
};
use crate::recording::{Ending, Event, Inputs, JunkReason, ProcessRecording, What, When};

fn reply() -> Scene {
    Scene::new(json!({})).session(json!({}))
}

fn marker() -> Inputs {
    Inputs::Reply {
        marker: "M-1".to_owned(),
    }
}

/// What came, by the check's id; none if there is no such check.
fn came(inputs: Inputs, process: ProcessRecording, id: &str) -> Option<String> {
    let checks = judge(&recording(inputs, vec![process]));
    let check = checks.into_iter().find(|check| check.id == id)?;
    Some(check.came)
}

#[test]
fn junk_is_counted_with_what_was_not_kept() {
    let junk = What::Junk {
        line: "hello".to_owned(),
        bytes: 5,
        reason: JunkReason::NotJson,
    };
    let omitted = What::Omitted { lines: 9, bytes: 9 };
    let process = reply().event(junk).event(omitted).done();
    let words = came(marker(), process, "stdout-is-protocol").unwrap();
    assert_eq!(
        words,
        "10 lines that are no message; the first is not JSON: \"hello\""
    );
}

#[test]
fn five_faults_are_named_and_the_rest_is_counted() {
    let bad = |count: usize| {
        let scene = (0..count).fold(reply(), |scene, _| {
            scene.late(&json!({"sessionUpdate": "new_kind"}))
        });
        came(marker(), scene.done(), "valid-messages").unwrap()
    };
    assert_eq!(bad(0), "every message has its shape");
    assert_eq!(bad(5).matches("new_kind").count(), 5);
    assert!(!bad(5).contains("more"), "{}", bad(5));
    assert_eq!(bad(7).matches("new_kind").count(), 5);
    assert!(bad(7).ends_with("; and 2 more"), "{}", bad(7));
}

#[test]
fn tool_calls_are_counted_over_all_turns() {
    let turn = || {
        [
            tool_call("pending"),
            tool_call_update("completed"),
            says("M-1"),
        ]
    };
    let process = reply().turn(&turn()).turn(&turn()).done();
    let words = came(marker(), process, "tool-calls-end").unwrap();
    assert_eq!(words, "2 tool calls, all ended");
}

#[test]
fn processes_are_named() {
    let process = reply().look(When::AfterEnd, &["sleep 600"]).done();
    let words = came(marker(), process, "no-process-left").unwrap();
    assert_eq!(words, "process 1 \"sleep 600\"");
    let words = came(marker(), reply().done(), "no-process-left").unwrap();
    assert_eq!(words, "none");
}

#[test]
fn one_turn_shows_no_growth() {
    let process = reply().turn(&[says("M-1")]).look(When::AfterTurn, &["x"]);
    assert_eq!(
        came(marker(), process.done(), "processes-do-not-grow"),
        None
    );
}

#[test]
fn why_a_tool_was_not_called() {
    let plan_without = |fault: Option<&str>, lines: Vec<Value>| {
        let mut process = reply().turn(&[says("x")]).done();
        process.tool_server.lines = lines;
        process.tool_server.fault = fault.map(str::to_owned);
        came(
            Inputs::Plan { plan: plan("T-1") },
            process,
            "create-plan-has-title",
        )
        .unwrap()
    };
    let started = || vec![json!({"event": "started"})];
    #[rustfmt::skip]
    let table = [
        (plan_without(None, Vec::new()), "the tool server was never started"),
        (plan_without(None, started()), "the tool server was started but got no such call"),
        (plan_without(None, vec![json!({"event": "ended"})]), "the tool server was never started"),
        (plan_without(Some("torn"), started()), "the tool server's record is damaged: torn"),
    ];
    for (words, wanted) in table {
        assert_eq!(words, format!("no call of create_plan: {wanted}"));
    }
}

#[test]
fn a_turn_that_is_missing_is_not_reached() {
    let modes = |turns: usize| {
        let scene = (0..turns).fold(reply(), |scene, _| scene.turn(&[]));
        let inputs = Inputs::Modes {
            first: plan("T-1"),
            created_file: "new".to_owned(),
            second: plan("T-2"),
        };
        came(inputs, scene.done(), "stop-reason-end-turn").unwrap()
    };
    assert_eq!(modes(3), "3 turns ended with end_turn");
    assert_eq!(modes(2), "not reached: the journey ended before");
    assert_eq!(modes(0), "not reached: the journey ended before");
}

#[test]
fn a_blemish_of_the_second_plan_turn_is_seen() {
    let plain = || files(&[("a", "one", 1)]);
    let scene = reply().turn_with(&[], "end_turn", plain(), plain());
    let scene = scene.turn_with(&[], "end_turn", plain(), plain());
    let touched = files(&[("a", "one", 9)]);
    let process = scene.turn_with(&[], "end_turn", plain(), touched).done();
    let inputs = Inputs::Modes {
        first: plan("T-1"),
        created_file: "new".to_owned(),
        second: plan("T-2"),
    };
    let words = came(inputs, process, "workspace-unchanged-in-plan-turns").unwrap();
    assert_eq!(words, "written or replaced, and put back: a");
}

#[test]
fn a_replay_has_both_sides() {
    let run = |replay: &[Value]| {
        let capabilities = json!({"loadSession": true});
        let first = Scene::new(capabilities.clone())
            .session(json!({}))
            .turn(&[says("ACK")]);
        let load = json!({"sessionId": SESSION});
        let second = Scene::new(capabilities).request("session/load", load, replay, json!({}));
        let word = "WORD-1".to_owned();
        let processes = vec![first.done(), second.turn(&[says("WORD-1")]).done()];
        not_passed(&judge(&recording(Inputs::Load { word }, processes)))
    };
    let missing = ["load-replays-conversation warn"];
    assert_eq!(run(&[asked("WORD-1")]), missing, "the agent's side");
    assert_eq!(run(&[says("ACK")]), missing, "the user's side");
    assert_eq!(run(&[asked("other"), says("ACK")]), missing, "the word");
}

#[test]
fn a_sleep_that_goes_with_its_agent_is_none() {
    let cancelled = || {
        let updates = [tool_call("in_progress"), tool_call_update("failed")];
        reply()
            .cancelled_turn(&updates, 1, "cancelled")
            .look(When::AfterCancel, &[])
    };
    let judged = |scene: Scene| not_passed(&judge(&recording(Inputs::Cancel, vec![scene.done()])));
    // It needs a moment to go: only the settled look counts.
    let settled = cancelled().look(When::AtEnd, &["sleep 120"]);
    assert_eq!(
        judged(settled.look(When::AfterEnd, &[])),
        Vec::<String>::new()
    );
    // An agent that had to be killed has no settled look.
    let killed = cancelled().look(When::AtEnd, &["sleep 120"]);
    let killed = killed.ending(Ending::Killed { after_ms: 10_000 });
    assert!(judged(killed).contains(&"no-sleep-left fail".to_owned()));
}

#[test]
fn requests_of_the_agent_are_not_the_checkers() {
    let agents = json!({"jsonrpc": "2.0", "id": 99, "method": "session/new", "params": {}});
    let process = Scene::new(json!({}))
        .message(agents)
        .session(json!({}))
        .turn(&[says("M-1")]);
    let found = not_passed(&judge(&recording(marker(), vec![process.done()])));
    assert_eq!(found, Vec::<String>::new());

    // An answer of the agent is no answer of the user.
    let accept = json!({"stopReason": "end_turn", "action": "accept", "content": {"a": "blue"}});
    let scene = reply().request(
        "session/prompt",
        json!({"sessionId": SESSION}),
        &[says("blue?")],
        accept,
    );
    let answer = "ANSWER-1".to_owned();
    let process = scene.turn(&[says("ANSWER-1")]).done();
    let found = not_passed(&judge(&recording(
        Inputs::Question { answer },
        vec![process],
    )));
    assert_eq!(found, Vec::<String>::new());
}

fn transcript(lines: &[(bool, Value)], closed_after: usize) -> Transcript {
    let mut events: Vec<Event> = lines
        .iter()
        .map(|(sent, json)| {
            let line = json.to_string();
            let what = if *sent {
                What::Sent { line }
            } else {
                What::Received {
                    line,
                    unterminated: false,
                }
            };
            Event { t_ms: 0, what }
        })
        .collect();
    let closed = Event {
        t_ms: 0,
        what: What::InputClosed,
    };
    events.insert(closed_after, closed);
    Transcript::new(0, &events)
}

#[test]
fn requests_and_their_answers() {
    let request = |id: u64, method: &str| json!({"id": id, "method": method});
    let lines = [
        (true, request(1, "a")),
        (false, request(1, "b")),
        (true, json!({"method": "note"})),
        (true, json!({"id": 1, "result": {}})),
        (false, json!({"id": 1, "result": {}})),
        (true, request(2, "c")),
        (true, request(3, "d")),
        (false, json!({"id": 3, "error": {"code": 1}})),
    ];
    let transcript = transcript(&lines, 7);
    let requests: Vec<(usize, Option<usize>, String)> = transcript
        .requests()
        .map(|exchange| {
            (
                exchange.sent,
                exchange.answer.map(|(at, _)| at),
                exchange.in_words(),
            )
        })
        .collect();
    let words = |text: &str| text.to_owned();
    assert_eq!(
        requests,
        [
            (0, Some(4), words("the result \"{}\"")),
            (5, None, words("no answer")),
            (6, None, words("no answer before its input was closed")),
        ]
    );
}
