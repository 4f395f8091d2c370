//! The rows of a diagram: what stands where, who lives when, and what is left out.

use serde_json::json;

use super::{
    super::fold::{MAX_CHUNKS, MAX_ROWS},
    *,
};
use crate::{
    recording::{Ending, Event, ExitStatus, SeenProcess, StderrTail, ToolServerLog},
    workspace::Snapshot,
};

fn process(events: Vec<What>) -> ProcessRecording {
    let events = events.into_iter().zip((10..).step_by(10));
    ProcessRecording {
        started_ms: 0,
        events: events.map(|(what, t_ms)| Event { t_ms, what }).collect(),
        stderr: StderrTail::default(),
        looks: Vec::new(),
        turns: Vec::new(),
        files_at_end: Snapshot::default(),
        tool_server: ToolServerLog::default(),
        ending: Ending::AfterInputClosed {
            status: ExitStatus::Code(0),
            after_ms: 1,
        },
    }
}

fn sent(json: &Value) -> What {
    What::Sent {
        line: json.to_string(),
    }
}

fn received(json: &Value) -> What {
    What::Received {
        line: json.to_string(),
        unterminated: false,
    }
}

fn update(update: &Value) -> What {
    received(&json!({"method": "session/update", "params": {"update": update}}))
}

fn labels(process: &ProcessRecording) -> Vec<String> {
    let rows = rows(process, &HashSet::new());
    rows.into_iter().map(|row| row.label).collect()
}

#[test]
fn calls_of_the_tool_server_stand_before_the_end_of_their_tool_call() {
    let mut process = process(vec![
        sent(&json!({"id": 1, "method": "session/new"})),
        received(&json!({"id": 1, "result": {"sessionId": "s"}})),
        sent(&json!({"id": 2, "method": "session/prompt"})),
        update(&json!({"sessionUpdate": "tool_call", "toolCallId": "a", "title": "get_plan"})),
        update(
            &json!({"sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed"}),
        ),
        received(&json!({"id": 2, "result": {"stopReason": "end_turn"}})),
        What::InputClosed,
        What::Exited {
            status: ExitStatus::Code(0),
        },
    ]);
    process.tool_server.lines = vec![
        json!({"event": "started", "pid": 7}),
        json!({"event": "call", "tool": "get_plan", "result": {}}),
        json!({"event": "call", "tool": "create_plan", "error": {}}),
        json!({"event": "ended"}),
    ];
    let wanted = [
        "session/new",
        "started, process 7",
        "session/new: s",
        "prompt:",
        "tool_call get_plan",
        "get_plan: result",
        "tool_call_update completed",
        "create_plan: error",
        "session/prompt: end_turn",
        "closes the input",
        "ended",
        "exit status 0",
    ];
    let labels: Vec<String> = labels(&process)
        .iter()
        .map(|label| label.trim_end().to_owned())
        .collect();
    assert_eq!(labels, wanted);
}

#[test]
fn processes_live_from_the_first_look_to_the_last() {
    let mut process = process(vec![What::InputClosed; 6]);
    let look = |t_ms, pids: &[i32]| Look {
        t_ms,
        when: When::AfterTurn,
        zombies: 0,
        processes: pids
            .iter()
            .map(|&pid| SeenProcess {
                pid,
                start_ticks: 1,
                command: vec!["x".to_owned()],
            })
            .collect(),
    };
    process.looks = vec![look(15, &[1]), look(35, &[1, 2]), look(55, &[])];
    let alive: Vec<Vec<usize>> = rows(&process, &HashSet::new())
        .into_iter()
        .map(|row| row.alive)
        .collect();
    let none = Vec::new;
    let wanted = [
        none(),
        vec![0],
        vec![0],
        vec![0],
        vec![0, 1],
        none(),
        none(),
        none(),
        none(),
    ];
    assert_eq!(alive, wanted);
}

#[test]
fn long_runs_are_counted_and_what_is_marked_is_shown() {
    let chunk = json!({"sessionUpdate": "agent_message_chunk", "content": {"text": "x"}});
    let talk = process((0..20).map(|_| update(&chunk)).collect());
    assert_eq!(labels(&talk).len(), MAX_CHUNKS + 1);
    let marked = HashSet::from([Part::Event(10)]);
    let shown: Vec<String> = rows(&talk, &marked)
        .into_iter()
        .map(|row| row.label)
        .collect();
    assert_eq!(shown.len(), MAX_CHUNKS + 3);
    assert_eq!(shown[MAX_CHUNKS], "6 more chunks");
    assert_eq!(shown[MAX_CHUNKS + 2], "9 more chunks");

    let plan = json!({"sessionUpdate": "plan", "entries": []});
    let busy = process((0..1000).map(|_| update(&plan)).collect());
    let marked = HashSet::from([Part::Event(500)]);
    let shown: Vec<String> = rows(&busy, &marked)
        .into_iter()
        .map(|row| row.label)
        .collect();
    assert_eq!(shown.len(), MAX_ROWS + 3);
    assert_eq!(shown[MAX_ROWS / 2], "300 more rows");
}
