//! What is asked of a client that offers it.

use serde_json::json;

use super::{finish, titled};
use crate::guide::wire::Way;

pub fn client_files() -> String {
    let offers = json!({"fs": {"readTextFile": true, "writeTextFile": true}});
    let (mut wire, session) = titled(&["--mode", "accept-edits"], offers);
    std::fs::write(wire.work().join("lamp.txt"), "off\n").unwrap();
    let id = wire.prompt(&session, "Replace off with on in lamp.txt");
    wire.serve(id, |method| match method {
        // The client has changes that are not saved.
        "fs/read_text_file" => json!({"content": "# lamp\noff\n"}),
        _ => json!({}),
    });
    let shown = |(way, line): &(Way, String)| {
        *way == Way::ToAgent || line.contains("\"fs/") || line.contains("\"diff\"")
    };
    wire.lines.retain(shown);
    finish(wire, &session)
}

pub fn client_terminal() -> String {
    let (mut wire, session) = titled(&["--mode", "full-access"], json!({"terminal": true}));
    let id = wire.prompt(&session, "/terminal make lamp");
    wire.serve(id, |method| match method {
        "terminal/create" => json!({"terminalId": "term_1"}),
        "terminal/wait_for_exit" => json!({"exitCode": 0}),
        "terminal/output" => json!({
            "output": "lamp built\n",
            "truncated": false,
            "exitStatus": {"exitCode": 0},
        }),
        _ => json!({}),
    });
    let shown = |(way, line): &(Way, String)| *way == Way::ToAgent || line.contains("terminal");
    wire.lines.retain(shown);
    finish(wire, &session)
}

pub fn question() -> String {
    let (mut wire, session) = titled(&[], json!({"elicitation": {"form": {}}}));
    let id = wire.prompt(&session, "/ask Which lamp? red | blue");
    let request = wire.asked("elicitation/create");
    wire.reply(
        &request,
        json!({"action": "accept", "content": {"answer": "red"}}),
    );
    wire.answer(id);
    let shown = |(way, line): &(Way, String)| {
        *way == Way::ToAgent || line.contains("elicitation/create") || line.contains("_chunk")
    };
    wire.lines.retain(shown);
    finish(wire, &session)
}
