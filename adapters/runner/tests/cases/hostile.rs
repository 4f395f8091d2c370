//! Hosts and agents that do odd things: torn and huge lines, floods, slow readers, wrong answers.

use std::{fs, time::Duration};

use serde_json::{Value, json};

use crate::support::{Scene, call, chunk, processes, prompts, runner::Runner};

/// How much memory a run may need that must not hold what the other side sends. A debug build
/// starts with some 10 MiB.
const SMALL: u64 = 64 * 1024 * 1024;

#[test]
fn commands_in_pieces_and_commands_that_are_none() {
    let scene = Scene::new(&prompts(json!([[chunk("fine")]])));
    let mut runner = scene.start();
    for byte in b"{\"type\":\"user_message\",\"id\":\"torn\",\"text\":\"\xc3\xa4\"}\n" {
        runner.bytes(&[*byte]);
    }
    assert_eq!(runner.until_type("user_message")["text"], "ä");
    runner.until_type("turn_end");
    let deep = "[".repeat(100_000);
    let long = format!(
        "{{\"type\":\"user_message\",\"text\":\"{}\"}}",
        "x".repeat(17 << 20)
    );
    let lines: [&[u8]; 6] = [
        b"\xff\xfe\x00{",
        deep.as_bytes(),
        format!("{{\"type\":{deep}").as_bytes(),
        long.as_bytes(),
        b"{\"type\":\"answer\"}",
        b"{\"type\":\"user_message\",\"id\":7,\"text\":\"\\ud800\"}",
    ]
    .map(|line: &[u8]| line.to_vec().leak() as &[u8]);
    for line in lines {
        runner.bytes(line);
        runner.bytes(b"\n");
    }
    runner.say("last", "x");
    runner.until(|event| event["id"] == "last");
    runner.until_type("turn_end");
    runner.bytes(b"{\"type\":\"user_message\",\"id\":\"cut\",\"te");
    runner.close_input();
    let ended = runner.ended_well();
    let not_json = "ignored a command line that is not valid JSON";
    let expected = [
        not_json,
        not_json,
        not_json,
        "ignored a command line that is too long",
        "no open question with id ",
        not_json,
        not_json,
    ];
    assert_eq!(ended.log("warn"), expected);
}

#[test]
fn a_brief_of_any_length_reaches_the_agent_whole() {
    let scene = Scene::new(&prompts(json!([[chunk("read")]])));
    let mut runner = scene.start();
    let brief = "ü\n".repeat(300_000);
    assert_eq!(runner.turn(&brief)["result"], "read");
    let ended = runner.shut_down();
    // The echo is cut, or the host would lose it.
    let echo = ended.of_type("user_message")[0]["text"].as_str().unwrap();
    assert!(echo.ends_with('…') && echo.len() < 200_000);
    let received = scene.received();
    let prompt = received
        .iter()
        .find(|line| line["method"] == "session/prompt");
    assert_eq!(prompt.unwrap()["params"]["prompt"][0]["text"], brief);
}

#[test]
fn lines_of_the_agent_in_pieces_and_lines_that_are_none() {
    let update = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
        "sessionId": "s-1",
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "ä"}},
    }})
    .to_string();
    let (head, tail) = update.split_at(60);
    let deep = format!("{{\"method\":{}", "[".repeat(100_000));
    let scene = Scene::new(&prompts(json!([[
        {"piece": head},
        {"piece": tail},
        {"piece": "\r\n"},
        {"raw": deep},
        {"raw": "{\"jsonrpc\":\"2.0\",\"method\":7}"},
        {"raw": "{\"jsonrpc\":\"2.0\",\"id\":1}"},
        {"raw": "{}"},
        {"raw": "[]"},
        {"raw": "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\"}"},
        {"raw": "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":[1]}"},
        {"raw": "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"update\":\"x\"}}"},
        {"raw": format!("noise {}", "x".repeat(2 << 20))},
        chunk("!"),
    ]])));
    let mut runner = scene.start();
    assert_eq!(runner.turn("x")["result"], "ä!");
    let ended = runner.shut_down();
    let warnings = ended.log("warn");
    for warning in &warnings {
        assert!(warning.chars().count() < 400, "{warning}");
    }
    let strays = warnings
        .iter()
        .filter(|warning| warning.contains("not JSON"));
    assert_eq!(strays.count(), 3, "{warnings:#?}");
}

#[test]
fn what_an_agent_says_on_the_wrong_stream_before_it_ends_is_told() {
    for _ in 0..5 {
        let steps = json!([{"raw": "Error: no key"}, {"piece": "{\"jsonrpc\":"}, {"exit": 1}]);
        let scene = Scene::new(&json!({"before": {"initialize": steps}}));
        let ended = scene.start().ended();
        assert_eq!(ended.status.code(), Some(1));
        let warnings = ended.log("warn");
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].ends_with("not JSON: Error: no key"));
        assert_eq!(ended.outline(), ["idle", "log", "log", "log", "error"]);
    }
}

#[test]
fn an_agent_that_answers_twice_or_wrongly() {
    let table = [
        (json!([{"stop": "end_turn"}, {"stop": "refusal"}]), false),
        (json!([{"result": null}]), false),
        (json!([{"result": "end_turn"}]), false),
        (json!([{"result": ["end_turn"]}]), false),
        (json!([{"result": {"stopReason": 7}}]), false),
        (
            json!([{"error": {"code": 1, "message": "a"}}, {"stop": "end_turn"}]),
            true,
        ),
        (json!([{"error": "no object"}]), true),
        (json!([{"error": {}}]), true),
    ];
    let steps: Vec<&Value> = table.iter().map(|(steps, _)| steps).collect();
    let scene = Scene::new(&prompts(json!(steps)));
    let mut runner = scene.start();
    for (steps, is_error) in &table {
        let end = runner.turn("x");
        assert_eq!(end["is_error"], *is_error, "{steps} {end}");
    }
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("turn_end").len(), table.len());
}

#[test]
fn a_call_that_is_over_is_not_opened_again() {
    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "status": "completed"});
    let steps = json!([{"update": call}, {"update": call}, chunk("done")]);
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("tool_call").len(), 1);
    assert_eq!(ended.of_type("tool_result").len(), 1);
}

#[test]
fn questions_without_end_are_refused_and_those_of_a_turn_end_with_it() {
    let ask = json!({"request": {"id": "q{n}", "method": "session/request_permission", "params": {
        "sessionId": "s-1", "toolCall": {"toolCallId": "c{n}"}, "options": [],
    }}});
    let steps = json!([{"repeat": {"times": 300, "step": ask}}, {"wait_answers": 44}]);
    let scene = Scene::new(&prompts(json!([steps, [chunk("next")]])));
    let mut runner = scene.start();
    runner.turn("x");
    assert_eq!(runner.turn("y")["result"], "next");
    let ended = runner.shut_down();
    assert_eq!(ended.of_type("question").len(), 256);
    // Nobody waits for an answer any more, and the host is told so.
    assert_eq!(ended.of_type("question_answered").len(), 256);
    let outline = ended.outline();
    let end = outline.iter().position(|name| name == "turn_end").unwrap();
    let last = outline.iter().rposition(|name| name == "question_answered");
    assert!(last.unwrap() < end);
    let cancelled = json!({"outcome": {"outcome": "cancelled"}});
    for number in 0..300 {
        assert_eq!(scene.answer(format!("q{number}"))["result"], cancelled);
    }
}

/// Reads everything, a little at a time.
fn read_slowly(runner: &mut Runner) {
    std::thread::sleep(Duration::from_millis(300));
    runner.read_on();
}

#[test]
fn a_host_that_reads_slowly_gets_everything_and_costs_no_memory() {
    // More than that, in all.
    let text = "x".repeat(50_000);
    let steps = json!([{"repeat": {"times": 1_600, "step": chunk(&text)}}]);
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start_unread();
    runner.say("1", "x");
    read_slowly(&mut runner);
    runner.until_type("turn_end");
    let memory = runner.peak_memory();
    assert!(memory < SMALL, "{memory}");
    let ended = runner.shut_down();
    let deltas = ended.of_type("assistant_text_delta");
    let length: usize = deltas
        .iter()
        .map(|delta| delta["delta"].as_str().unwrap().len())
        .sum();
    assert_eq!(length, 80_000_000);
}

#[test]
fn commands_are_served_while_the_agent_floods() {
    for stream in ["text", "thoughts", "noise"] {
        let scene = Scene::new(&prompts(json!([[{"flood": stream}]])));
        let mut runner = scene.start();
        runner.say("1", "x");
        runner.until_state("working");
        runner.say("2", "y");
        runner.until(|event| event["type"] == "user_message" && event["id"] == "2");
        runner.interrupt();
        processes::until("the stop arrives", || {
            scene.methods().contains(&"session/cancel".to_owned())
        });
        let memory = runner.peak_memory();
        assert!(memory < SMALL, "{memory}");
        runner.shut_down();
    }
}

/// Files are served in their order, and the agent that asks for too many is held back, not the host.
#[test]
fn a_flood_of_file_requests_is_answered_to_the_last() {
    let ask = json!({"request": {"id": "f{n}", "method": "fs/write_text_file", "params": {
        "sessionId": "s-1", "path": "f", "content": "{n}",
    }}});
    let steps = json!([{"repeat": {"times": 2_000, "step": ask}}, {"wait_answers": 2_000}]);
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    assert_eq!(fs::read_to_string(scene.at("ws/f")).unwrap(), "1999");
}

#[test]
fn a_flood_of_waits_for_a_command_is_answered_to_the_last() {
    let on = |id: &str, method: &str| {
        json!({"request": {"id": id, "method": method, "params": {
            "sessionId": "s-1", "terminalId": "term-1",
        }}})
    };
    let steps = json!([
        call("c", "terminal/create", json!({"command": "sleep", "args": ["600"]})),
        {"repeat": {"times": 1_500, "step": on("w{n}", "terminal/wait_for_exit")}},
        on("k", "terminal/kill"),
        {"wait_answers": 1_502},
    ]);
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    assert_eq!(scene.answer("w0")["result"]["signal"], "SIGTERM");
    assert_eq!(scene.answer("w1499")["error"]["code"], -32602);
}

#[test]
fn a_workspace_that_is_swapped_for_a_link_leads_nowhere() {
    let scene = Scene::new(&json!({}));
    let (gate, read) = (scene.at("gate"), json!({"path": "f"}));
    let write = json!({"path": "new", "content": "x"});
    scene.script(&prompts(json!([[
        chunk("up"),
        {"wait_file": gate},
        call("r", "fs/read_text_file", read),
        call("w", "fs/write_text_file", write),
    ]])));
    fs::create_dir(scene.at("out")).unwrap();
    fs::write(scene.at("out/f"), "outside").unwrap();
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    fs::rename(scene.at("ws"), scene.at("moved")).unwrap();
    std::os::unix::fs::symlink(scene.at("out"), scene.at("ws")).unwrap();
    fs::write(gate, "").unwrap();
    runner.until_type("turn_end");
    runner.shut_down();
    for id in ["r", "w"] {
        assert_eq!(scene.answer(id)["error"]["code"], -32602);
    }
    assert!(!scene.at("out/new").exists());
}
