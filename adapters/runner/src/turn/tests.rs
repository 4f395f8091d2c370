//! What a turn makes of an agent that makes too much of it.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use serde_json::json;

use super::*;

fn take(turn: &mut Turn, update: Value) -> Vec<Event> {
    turn.update(&update, &mut Model::default(), &mut Memory::default())
}

#[test]
fn calls_that_are_made_up_are_bounded_and_told_once() {
    let mut turn = Turn::begin(1);
    let mut told = Vec::new();
    for number in 0..calls::MOST + 20 {
        let id = number.to_string();
        told.extend(take(
            &mut turn,
            json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "t"}),
        ));
        told.extend(take(
            &mut turn,
            json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed"}),
        ));
    }
    let count = |is_it: fn(&Event) -> bool| told.iter().filter(|event| is_it(event)).count();
    assert_eq!(
        count(|event| matches!(event, Event::ToolCall { .. })),
        calls::MOST
    );
    assert_eq!(
        count(|event| matches!(event, Event::ToolResult { .. })),
        calls::MOST
    );
    assert_eq!(count(|event| matches!(event, Event::Log { .. })), 1);
    // Everything else of the turn goes on.
    let text = json!({"type": "text", "text": "done"});
    let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": text});
    assert_eq!(take(&mut turn, chunk).len(), 1);
    let end = turn.end(End::Stopped("end_turn".into()), None);
    assert_eq!(end.len(), 2, "{end:?}");
}

#[test]
fn an_id_that_no_host_could_match_is_cut_everywhere_alike() {
    let mut turn = Turn::begin(1);
    let id = "é".repeat(10_000);
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "t"});
    let done = json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "failed"});
    let (call, done) = (take(&mut turn, call), take(&mut turn, done));
    match (&call[0], &done[0]) {
        (
            Event::ToolCall {
                tool_call_id: one, ..
            },
            Event::ToolResult {
                tool_call_id: other,
                ..
            },
        ) => assert!(one == other && one.len() <= 1_000),
        others => panic!("{others:?}"),
    }
}
