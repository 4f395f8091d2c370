//! The built server over real pipes, one raw JSON line at a time: no MCP library on this side, so
//! that the server's words on the wire are what is tested.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod wire;

use serde_json::{Value, json};
use wire::{Server, tool_call};

#[test]
fn initialize_names_the_server() {
    let mut server = Server::start(&[]);
    let answer = server.ask(&wire::initialize(1));
    assert_eq!(answer["id"], 1);
    assert_eq!(answer["result"]["serverInfo"]["name"], "rondar");
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert!(answer["result"]["capabilities"]["tools"].is_object());
    assert_eq!(server.end().code(), Some(0));
}

#[test]
fn the_tools_say_what_they_do() {
    let mut server = Server::ready(&[]);
    let answer = server.ask(&json!({"jsonrpc": "2.0", "id": "a", "method": "tools/list"}));
    assert_eq!(answer["id"], "a");
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["create_plan", "get_plan"]);

    let [create, get] = &tools[..] else {
        panic!("two tools")
    };
    assert_eq!(create["title"], "Save a plan");
    assert_eq!(
        create["inputSchema"]["required"],
        json!(["title", "description"])
    );
    assert_eq!(
        create["inputSchema"]["properties"]["title"]["type"],
        "string"
    );
    assert_eq!(create["outputSchema"]["required"], json!(["id"]));
    assert_eq!(create["annotations"]["readOnlyHint"], false);
    assert_eq!(create["annotations"]["destructiveHint"], false);
    assert_eq!(get["title"], "Read a plan");
    assert_eq!(get["inputSchema"]["required"], json!(["id"]));
    assert_eq!(get["annotations"]["readOnlyHint"], true);
}

#[test]
fn a_plan_is_saved_and_read_back() {
    let mut server = Server::ready(&[]);
    let saved = server.call(
        "create_plan",
        json!({"title": "Tea", "description": "Boil water."}),
    );
    assert_eq!(saved["isError"], false);
    let id = saved["structuredContent"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let text = saved["content"][0]["text"].as_str().unwrap();
    assert!(text.contains(&id), "{text}");

    let read = server.call("get_plan", json!({"id": id}));
    let plan = json!({"id": id, "title": "Tea", "description": "Boil water."});
    assert_eq!(read["structuredContent"], plan);
    assert_eq!(read["isError"], false);
}

#[test]
fn a_wrong_call_is_a_failed_result_that_says_why() {
    let table = [
        (
            "create_plan",
            json!({"title": "", "description": "d"}),
            "title is empty",
        ),
        (
            "create_plan",
            json!({"title": "t"}),
            "missing field `description`",
        ),
        (
            "create_plan",
            json!({"title": 7, "description": "d"}),
            "expected a string",
        ),
        ("create_plan", json!({}), "missing field `title`"),
        (
            "get_plan",
            json!({"id": "plan-unknown"}),
            "\"plan-unknown\"",
        ),
        ("get_plan", json!({}), "missing field `id`"),
    ];
    let mut server = Server::ready(&[]);
    for (tool, arguments, words) in table {
        let result = server.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(words), "{tool} {arguments}: {text}");
        assert!(result.get("structuredContent").is_none());
    }
}

#[test]
fn an_unknown_tool_is_a_protocol_error_that_names_it() {
    let mut server = Server::ready(&[]);
    let answer = server.ask(&tool_call(9, "drop_plan", json!({})));
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    for word in ["drop_plan", "create_plan", "get_plan"] {
        assert!(message.contains(word), "{message}");
    }
}

#[test]
fn calls_written_before_the_end_of_input_are_answered() {
    let mut server = Server::ready(&[]);
    let plan = json!({"title": "t", "description": ""});
    for id in 1..=20 {
        server.say(&tool_call(id, "create_plan", plan.clone()));
    }
    server.close_input();
    let mut answered: Vec<_> = server
        .rest()
        .iter()
        .map(|answer| answer["id"].as_i64().unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (1..=20).collect::<Vec<_>>());
    assert_eq!(server.end().code(), Some(0));
}

#[test]
fn end_of_input_ends_it_before_and_after_initialize() {
    assert_eq!(Server::start(&[]).end().code(), Some(0));
    assert_eq!(Server::ready(&[]).end().code(), Some(0));
}

#[test]
fn signals_end_it_with_status_0() {
    use nix::sys::signal::Signal;
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let mut server = Server::ready(&[]);
        server.signal(signal);
        assert_eq!(server.wait().code(), Some(0), "{signal}");
    }
}

#[test]
fn every_event_is_recorded_before_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.jsonl");
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.ends_with('\n'));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };

    let mut server = Server::ready(&["--record", file.to_str().unwrap()]);
    let arguments = json!({"title": "Tea", "description": "d"});
    let result = server.call("create_plan", arguments.clone());
    let pid = server.pid();
    let seen = lines();
    assert_eq!(seen[0]["event"], "started");
    assert_eq!(seen[0]["pid"], pid);
    assert!(seen[0]["time_ms"].as_u64().unwrap() > 0);
    assert_eq!(seen[1]["event"], "call");
    assert_eq!(seen[1]["pid"], pid);
    assert_eq!(seen[1]["tool"], "create_plan");
    assert_eq!(seen[1]["arguments"], arguments);
    assert_eq!(seen[1]["result"], result);

    server.ask(&tool_call(9, "drop_plan", json!({})));
    assert_eq!(lines()[2]["error"]["code"], -32602);

    server.end();
    assert_eq!(lines()[3], json!({"event": "ended", "pid": pid}));
    assert_eq!(lines().len(), 4);
}

#[test]
fn two_servers_share_one_record() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.jsonl");
    for _ in 0..2 {
        Server::ready(&["--record", file.to_str().unwrap()]).end();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 4);
}

#[test]
fn a_record_that_cannot_be_opened_is_named_and_status_1() {
    let mut server = Server::start(&["--record", "/nonexistent/record.jsonl"]);
    assert_eq!(server.wait().code(), Some(1));
    let log = server.log();
    assert!(log.contains("/nonexistent/record.jsonl"), "{log}");
    assert!(server.rest().is_empty());
}

#[test]
fn help_teaches_how_to_use_it() {
    let mut server = Server::start(&["--help"]);
    assert_eq!(server.wait().code(), Some(0));
    let help = server.output();
    for words in [
        "--record <FILE>",
        "session/new",
        "tools/call",
        "stdin is closed",
    ] {
        assert!(help.contains(words), "{help}");
    }
}
