//! Replies as both wires tell them, whole and broken.

use std::collections::VecDeque;

use serde_json::{Value, json};

use super::{failure::Failure, reply::Flow, *};
use crate::model::{Stop, ToolCall};

/// What a reply of these events comes to, and how reading it ended.
fn read(wire: Wire, events: &[Value]) -> (Vec<Event>, Result<Flow, Failure>) {
    let mut reader = match wire {
        Wire::OpenAi => reader::Reader::OpenAi(openai::Reader::new(Some(1000))),
        Wire::Anthropic => reader::Reader::Anthropic(anthropic::Reader::new(Some(1000))),
    };
    let mut out = VecDeque::new();
    for event in events {
        let data = match event {
            Value::String(text) => text.clone(),
            event => event.to_string(),
        };
        match reader.take(data.as_bytes(), &mut out) {
            Ok(Flow::On) => {}
            ended => return (out.into(), ended),
        }
    }
    let ended = reader.end(&mut out).map(|()| Flow::Over);
    (out.into(), ended)
}

fn whole(wire: Wire, events: &[Value]) -> Vec<Event> {
    let (out, ended) = read(wire, events);
    assert!(matches!(ended, Ok(Flow::Over)), "{ended:?} of {events:?}");
    out
}

fn failed(wire: Wire, events: &[Value]) -> String {
    read(wire, events).1.unwrap_err().to_string()
}

fn text(text: &str) -> Event {
    Event::Text(text.to_owned())
}

fn call(id: &str, name: &str, arguments: Value) -> Event {
    Event::ToolCall(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
    })
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

#[test]
fn openai_text_and_usage() {
    let events = [
        delta(json!({"role": "assistant", "content": ""})),
        delta(json!({"reasoning_content": "Hm"})),
        delta(json!({"content": "He"})),
        delta(json!({"content": "llo"})),
        json!({"choices": [{"index": 1, "delta": {"content": "another"}}]}),
        finish("stop"),
        json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
        json!("[DONE]"),
    ];
    let said = vec![
        Event::Thought("Hm".into()),
        text("He"),
        text("llo"),
        Event::Usage {
            used: 9,
            size: 1000,
        },
        Event::Stop(Stop::EndTurn),
    ];
    assert_eq!(whole(Wire::OpenAi, &events), said);
    // Some servers close without the last word, but not before the finish.
    assert_eq!(whole(Wire::OpenAi, &events[..7]), said);
    for cut in 0..5 {
        let why = failed(Wire::OpenAi, &events[..cut]);
        assert!(why.contains("broke off"), "{cut}: {why}");
    }
    let done = [delta(json!({"content": "He"})), json!("[DONE]")];
    assert!(failed(Wire::OpenAi, &done).contains("broke off"));
}

#[test]
fn openai_calls() {
    let piece = |index: u64, id: Value, name: Value, arguments: Value| {
        let function = json!({"name": name, "arguments": arguments});
        let piece = json!({"index": index, "id": id, "type": "function", "function": function});
        delta(json!({"tool_calls": [piece]}))
    };
    let null = Value::Null;
    let mut events = vec![
        piece(0, json!("a"), json!("read"), json!("")),
        piece(0, null.clone(), null.clone(), json!("{\"path\":")),
        piece(1, json!("b"), json!("list"), json!({"all": true})),
        piece(0, null.clone(), null, json!("\"x\"}")),
    ];
    // Not before the reply is whole.
    assert_eq!(read(Wire::OpenAi, &events).0, []);
    events.push(finish("tool_calls"));
    let calls = [
        call("a", "read", json!({"path": "x"})),
        call("b", "list", json!({"all": true})),
    ];
    assert_eq!(whole(Wire::OpenAi, &events), calls);
    // Some servers call it a stop.
    events[4] = finish("stop");
    assert_eq!(whole(Wire::OpenAi, &events), calls);
    events[4] = finish("length");
    assert_eq!(whole(Wire::OpenAi, &events), [Event::Stop(Stop::MaxTokens)]);
}

#[test]
fn openai_stops() {
    for (reason, stop) in [
        ("stop", Stop::EndTurn),
        ("length", Stop::MaxTokens),
        ("content_filter", Stop::Refusal),
    ] {
        assert_eq!(
            whole(Wire::OpenAi, &[finish(reason)]),
            [Event::Stop(stop)],
            "{reason}"
        );
    }
    assert!(failed(Wire::OpenAi, &[finish("error")]).contains("\"error\""));
    let refused = [delta(json!({"refusal": "No."})), finish("stop")];
    assert_eq!(
        whole(Wire::OpenAi, &refused),
        [text("No."), Event::Stop(Stop::Refusal)]
    );
}

#[test]
fn openai_errors_and_garbage() {
    for (event, words) in [
        (json!({"error": {"message": "Broken\u{7}"}}), "Broken"),
        (json!("{\"choices\": [{"), "is no JSON"),
        (json!("<html>"), "is no JSON"),
        (json!({"choices": "x"}), "another shape"),
        (json!([]), "another shape"),
    ] {
        let why = failed(Wire::OpenAi, &[event]);
        assert!(why.contains(words), "{why}");
    }
    let many: Vec<Value> = (0..200)
        .map(|index| delta(json!({"tool_calls": [{"index": index, "id": "x"}]})))
        .collect();
    assert!(failed(Wire::OpenAi, &many).contains("128 tool calls"));
}

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn piece(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn said(index: u64, text: &str) -> Value {
    piece(index, json!({"type": "text_delta", "text": text}))
}

fn input(index: u64, json: &str) -> Value {
    piece(
        index,
        json!({"type": "input_json_delta", "partial_json": json}),
    )
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ]
}

#[test]
fn anthropic_text_thoughts_and_usage() {
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage": {
            "input_tokens": 1, "cache_read_input_tokens": 10, "output_tokens": 1}}}),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": ""})),
        piece(0, json!({"type": "thinking_delta", "thinking": "Hm"})),
        piece(0, json!({"type": "signature_delta", "signature": "s"})),
        json!({"type": "content_block_stop", "index": 0}),
        start(1, json!({"type": "text", "text": "He"})),
        said(1, "llo"),
        json!({"type": "something_new", "x": 1}),
        json!({"type": "content_block_stop", "index": 1}),
    ];
    events.extend(stop("end_turn"));
    assert_eq!(
        whole(Wire::Anthropic, &events),
        [
            Event::Thought("Hm".into()),
            text("He"),
            text("llo"),
            Event::Usage {
                used: 16,
                size: 1000
            },
            Event::Stop(Stop::EndTurn),
        ]
    );
    for cut in 0..events.len() {
        let why = failed(Wire::Anthropic, &events[..cut]);
        assert!(why.contains("broke off"), "{cut}: {why}");
    }
}

#[test]
fn anthropic_calls() {
    let mut events = vec![
        start(
            0,
            json!({"type": "tool_use", "id": "a", "name": "read", "input": {}}),
        ),
        input(0, ""),
        input(0, "{\"path\":"),
        input(0, "\"x\"}"),
        json!({"type": "content_block_stop", "index": 0}),
        start(
            1,
            json!({"type": "tool_use", "id": "b", "name": "list", "input": {}}),
        ),
        json!({"type": "content_block_stop", "index": 1}),
    ];
    events.extend(stop("tool_use"));
    let usage = Event::Usage {
        used: 5,
        size: 1000,
    };
    assert_eq!(
        whole(Wire::Anthropic, &events),
        [
            usage.clone(),
            call("a", "read", json!({"path": "x"})),
            call("b", "list", json!({}))
        ]
    );
    events.truncate(4);
    events.extend(stop("max_tokens"));
    assert_eq!(
        whole(Wire::Anthropic, &events),
        [usage, Event::Stop(Stop::MaxTokens)]
    );
}

#[test]
fn anthropic_stops() {
    for (reason, expected) in [
        ("end_turn", Stop::EndTurn),
        ("stop_sequence", Stop::EndTurn),
        ("max_tokens", Stop::MaxTokens),
        ("model_context_window_exceeded", Stop::MaxTokens),
        ("refusal", Stop::Refusal),
    ] {
        let out = whole(Wire::Anthropic, &stop(reason));
        assert_eq!(out.last(), Some(&Event::Stop(expected)), "{reason}");
    }
    assert!(failed(Wire::Anthropic, &stop("boredom")).contains("boredom"));
}

#[test]
fn anthropic_pauses_give_back_what_was_said() {
    let mut events = vec![
        start(0, json!({"type": "text", "text": ""})),
        said(0, "I "),
        said(0, "search"),
        start(
            1,
            json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}),
        ),
        input(1, "{\"query\":"),
        input(1, "\"q\"}"),
        json!({"type": "content_block_stop", "index": 1}),
    ];
    events.extend(stop("pause_turn"));
    let (out, ended) = read(Wire::Anthropic, &events);
    assert_eq!(out, [text("I "), text("search")]);
    let Ok(Flow::Paused(blocks)) = ended else {
        panic!("{ended:?}")
    };
    assert_eq!(
        Value::from(blocks),
        json!([
            {"type": "text", "text": "I search"},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
        ])
    );
}

#[test]
fn anthropic_errors_and_garbage() {
    let overloaded = json!({"type": "overloaded_error", "message": "Overloaded"});
    let error = json!({"type": "error", "error": overloaded});
    let (_, ended) = read(Wire::Anthropic, &[error]);
    assert!(matches!(
        ended,
        Err(Failure::Reported { passing: true, words }) if words == "Overloaded"
    ));
    for (event, words) in [
        (json!("{\"type\":"), "is no JSON"),
        (json!({"x": 1}), "another shape"),
        (json!({"type": "message_delta"}), "another shape"),
    ] {
        let why = failed(Wire::Anthropic, &[event]);
        assert!(why.contains(words), "{why}");
    }
}
