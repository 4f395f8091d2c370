//! Tool calls, the permission for them, and tool servers.

use serde_json::{Value, json};

use super::{finish, titled};
use crate::guide::wire::{Way, Wire, plan_server};

pub fn choose(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

pub fn tool_call() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    std::fs::write(wire.work().join("note.txt"), "The word is LAMP.\n").unwrap();
    let id = wire.prompt(&session, "Read note.txt");
    wire.answer(id);
    let tools = |(way, line): &(Way, String)| *way == Way::ToAgent || line.contains("\"tool_call");
    wire.lines.retain(tools);
    finish(wire, &session)
}

pub fn permission() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(&session, "/permission");
    let request = wire.asked("session/request_permission");
    wire.reply(&request, choose("allow-once"));
    wire.answer(id);
    // What the command has put out so far may be told before its end, or not.
    let shown = |(way, line): &(Way, String)| {
        *way == Way::ToAgent
            || line.contains("\"tool_call\"")
            || line.contains("\"status\"")
            || line.contains("\"options\"")
    };
    wire.lines.retain(shown);
    finish(wire, &session)
}

pub fn refused() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(&session, "/permission");
    let request = wire.asked("session/request_permission");
    wire.forget();
    wire.reply(&request, choose("reject-once"));
    wire.answer(id);
    finish(wire, &session)
}

pub fn diff() -> String {
    let (mut wire, session) = titled(&["--mode", "accept-edits"], json!({}));
    let id = wire.prompt(&session, "/diff");
    wire.answer(id);
    let calls = |(_, line): &(Way, String)| line.contains("\"diff\"");
    wire.lines.retain(calls);
    finish(wire, &session)
}

pub fn shown() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    for prompt in ["/image", "/resource"] {
        let id = wire.prompt(&session, prompt);
        wire.answer(id);
    }
    wire.lines
        .retain(|(_, line)| line.contains("\"tool_call\""));
    finish(wire, &session)
}

fn servers(command: &str) -> Value {
    json!([{
        "name": "plans",
        "command": command,
        "args": [plan_server()],
        "env": [],
    }])
}

pub fn mcp() -> String {
    let mut wire = Wire::start(&["--mode", "full-access"]);
    wire.initialize(json!({}));
    wire.forget();
    let session = wire.session(servers("python3"));
    let prompt = "Save a plan titled Lamp with the description \"new bulb\" and tell me its ID.";
    let id = wire.prompt(&session, prompt);
    wire.answer(id);
    let shown = |(way, line): &(Way, String)| {
        *way == Way::ToAgent || line.contains("\"tool_call") || line.contains("_chunk")
    };
    wire.lines.retain(shown);
    finish(wire, &session)
}

pub fn mcp_broken() -> String {
    let mut wire = Wire::start(&[]);
    wire.initialize(json!({}));
    let session = wire.session(servers("/usr/bin/no-such-server"));
    wire.forget();
    let id = wire.prompt(&session, "Reply with exactly OK.");
    wire.answer(id);
    wire.lines
        .retain(|(_, line)| line.contains("tool_call") || line.contains("stopReason"));
    finish(wire, &session)
}
