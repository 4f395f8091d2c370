//! Sessions: made, loaded, listed, closed; and their modes.

use serde_json::json;

use super::tools::choose;
use super::{finish, titled};
use crate::guide::wire::{Way, Wire};

pub fn session_new() -> String {
    let mut wire = Wire::start(&[]);
    wire.initialize(json!({}));
    wire.forget();
    let session = wire.session(json!([]));
    finish(wire, &session)
}

/// A session that another process left behind.
fn left_behind() -> (Wire, String) {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(
        &session,
        "Remember this word: LAMP-7. Reply with exactly ACK.",
    );
    wire.answer(id);
    let (_, folder, _) = wire.end();
    let mut wire = Wire::in_folder(folder, &[]);
    wire.initialize(json!({}));
    wire.forget();
    (wire, session)
}

pub fn load() -> String {
    let (mut wire, session) = left_behind();
    let params = json!({"sessionId": session, "cwd": wire.work(), "mcpServers": []});
    wire.call("session/load", params);
    finish(wire, &session)
}

pub fn resume() -> String {
    let (mut wire, session) = left_behind();
    let params = json!({"sessionId": session, "cwd": wire.work(), "mcpServers": []});
    wire.call("session/resume", params);
    let shown = wire.lines.clone();
    let id = wire.prompt(&session, "What was the word? Reply with it alone.");
    wire.answer(id);
    let said = |(_, line): &(Way, String)| line.contains("LAMP-7");
    let said: Vec<_> = wire.lines.drain(..).filter(said).collect();
    wire.lines = shown.into_iter().chain(said).collect();
    finish(wire, &session)
}

pub fn list() -> String {
    let (mut wire, session) = left_behind();
    wire.call("session/list", json!({"cwd": wire.work()}));
    finish(wire, &session)
}

pub fn close_and_delete() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(&session, "/hang");
    wire.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    wire.forget();
    let close = wire.request("session/close", json!({"sessionId": session}));
    wire.answer(id);
    wire.answer(close);
    wire.call("session/delete", json!({"sessionId": session}));
    wire.call("session/delete", json!({"sessionId": session}));
    wire.lines.retain(|(_, line)| !line.contains("\"update\""));
    finish(wire, &session)
}

pub fn modes() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    wire.call(
        "session/set_mode",
        json!({"sessionId": session, "modeId": "plan"}),
    );
    let id = wire.prompt(&session, "/switch-mode default");
    let request = wire.asked("session/request_permission");
    wire.reply(&request, choose("allow-once"));
    wire.answer(id);
    let about_modes = |(way, line): &(Way, String)| {
        *way == Way::ToAgent && !line.contains("optionId")
            || line.contains("_mode_update")
            || line.contains("config_option_update")
            || line.contains("\"result\":{}")
    };
    wire.lines.retain(about_modes);
    finish(wire, &session)
}

pub fn plan_mode() -> String {
    let (mut wire, session) = titled(&["--mode", "plan"], json!({}));
    let id = wire.prompt(&session, "Write lamp.txt with the text ON");
    wire.answer(id);
    let calls = |(way, line): &(Way, String)| *way == Way::ToAgent || line.contains("\"tool_call");
    wire.lines.retain(calls);
    finish(wire, &session)
}

pub fn config_option() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let option = json!({"sessionId": session, "configId": "mode", "value": "accept-edits"});
    wire.call("session/set_config_option", option);
    finish(wire, &session)
}
