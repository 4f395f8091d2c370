//! Turns: what is said, and how they end.

use serde_json::json;

use super::{finish, ready, titled, turn};
use crate::guide::wire::Way;

pub fn prompt() -> String {
    turn(
        &[],
        "Reply with exactly: The lamp is fixed, and it shines again.",
    )
}

pub fn title() -> String {
    let (mut wire, session) = ready(&[], json!({}));
    let id = wire.prompt(&session, "Reply with exactly OK.");
    wire.answer(id);
    wire.lines
        .retain(|(_, line)| line.contains("session_info_update"));
    finish(wire, &session)
}

pub fn thoughts() -> String {
    turn(&[], "/think")
}

pub fn plan() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(&session, "/plan");
    wire.answer(id);
    let plans = |(way, line): &(Way, String)| *way == Way::ToAgent || line.contains("\"plan\"");
    wire.lines.retain(plans);
    wire.lines.truncate(3);
    finish(wire, &session)
}

pub fn stop_reasons() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    for prompt in ["/max-tokens", "/refuse", "/error the model is out of order"] {
        let id = wire.prompt(&session, prompt);
        wire.answer(id);
    }
    let shown = |(way, line): &(Way, String)| {
        *way == Way::ToAgent || line.contains("\"stopReason\"") || line.contains("\"error\"")
    };
    wire.lines.retain(shown);
    finish(wire, &session)
}

pub fn cancel() -> String {
    let (mut wire, session) = titled(&["--mode", "full-access"], json!({}));
    let id = wire.prompt(&session, "Run the shell command sleep 120 and wait for it.");
    wire.until(|message| message["params"]["update"]["status"] == "in_progress");
    wire.notify("session/cancel", json!({"sessionId": session}));
    wire.answer(id);
    finish(wire, &session)
}

pub fn cancel_request() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(&session, "/permission");
    let request = wire.asked("session/request_permission");
    wire.forget();
    wire.notify("$/cancel_request", json!({"requestId": id}));
    wire.answer(id);
    // The client's answer comes too late, and meets nobody.
    wire.reply(&request, json!({"outcome": {"outcome": "cancelled"}}));
    wire.lines
        .retain(|(_, line)| !line.contains("tool_call_update"));
    finish(wire, &session)
}

pub fn busy() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let id = wire.prompt(&session, "/hang");
    wire.until(|m| m["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    wire.forget();
    let second = wire.prompt(&session, "Are you there?");
    wire.answer(second);
    let shown = wire.lines.clone();
    wire.notify("session/cancel", json!({"sessionId": session}));
    wire.answer(id);
    wire.lines = shown
        .into_iter()
        .filter(|(_, line)| !line.contains("chunk"))
        .collect();
    finish(wire, &session)
}

pub fn content() -> String {
    let (mut wire, session) = titled(&[], json!({}));
    let red = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGO4IyICRAwQCgAfngQRsu1RiQAAAABJRU5ErkJggg==";
    let id = wire.prompt_of(
        &session,
        json!([
            {"type": "text", "text": "What colour is the image?"},
            {"type": "image", "mimeType": "image/png", "data": red},
            {"type": "resource_link", "name": "notes", "uri": "file:///home/ada/my%20notes.txt"},
            {"type": "hologram", "depth": 3},
        ]),
    );
    wire.answer(id);
    wire.lines
        .retain(|(_, line)| !line.contains("usage_update"));
    finish(wire, &session)
}

pub fn usage() -> String {
    turn(&[], "/usage 150000")
}

pub fn plain() -> String {
    turn(&["--plain"], "Reply with exactly OK.")
}
