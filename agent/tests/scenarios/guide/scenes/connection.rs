//! The connection: its beginning, its errors, its end.

use serde_json::json;

use super::{block, finish, titled};
use crate::guide::wire::Wire;

pub fn initialize() -> String {
    let mut wire = Wire::start(&[]);
    wire.initialize(json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
    }));
    finish(wire, "")
}

pub fn errors() -> String {
    let mut wire = Wire::start(&[]);
    wire.initialize(json!({}));
    wire.forget();
    wire.raw("{\"jsonrpc\": \"2.0\", \"id\": 1, oops}");
    wire.until(|message| message["id"].is_null() && message.get("error").is_some());
    wire.call("session/explode", json!({}));
    wire.call("session/new", json!({"cwd": "lamp", "mcpServers": []}));
    wire.call(
        "session/prompt",
        json!({"sessionId": "sess_none", "prompt": []}),
    );
    finish(wire, "")
}

pub fn authentication() -> String {
    let mut wire = Wire::start(&["--require-auth"]);
    let answer = wire.initialize(json!({}));
    let method = answer["result"]["authMethods"][0]["id"].clone();
    wire.forget();
    let new = json!({"cwd": wire.work(), "mcpServers": []});
    wire.call("session/new", new.clone());
    wire.call("authenticate", json!({"methodId": method}));
    let answer = wire.call("session/new", new.clone());
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    wire.until(|m| m["params"]["update"]["sessionUpdate"] == "available_commands_update");
    wire.lines.pop();
    wire.call("logout", json!({}));
    wire.call("session/new", new);
    finish(wire, &session)
}

pub fn end_of_input() -> String {
    let (mut wire, session) = titled(&["--mode", "full-access"], json!({}));
    let work = wire.work().display().to_string();
    wire.prompt(&session, "Run the shell command sleep 120 and wait for it.");
    wire.until(|message| message["params"]["update"]["status"] == "in_progress");
    wire.forget();
    let (status, _folder, lines) = wire.end();
    assert_eq!(status, Some(0));
    block(&lines, &work, &session)
}
