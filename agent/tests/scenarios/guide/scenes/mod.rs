//! What is recorded for the guide: one short exchange for each capability.

mod client;
mod connection;
mod sessions;
mod tools;
mod turns;

use serde_json::{Value, json};

use super::{
    render::render,
    wire::{Way, Wire, plan_server},
};

/// Runs an exchange and says what is shown of it.
type Scene = fn() -> String;

/// The scenes by their names in the guide.
pub const SCENES: &[(&str, Scene)] = &[
    ("initialize", connection::initialize),
    ("errors", connection::errors),
    ("session-new", sessions::session_new),
    ("prompt", turns::prompt),
    ("title", turns::title),
    ("thoughts", turns::thoughts),
    ("plan", turns::plan),
    ("tool-call", tools::tool_call),
    ("permission", tools::permission),
    ("refused", tools::refused),
    ("diff", tools::diff),
    ("shown", tools::shown),
    ("content", turns::content),
    ("stop-reasons", turns::stop_reasons),
    ("cancel", turns::cancel),
    ("cancel-request", turns::cancel_request),
    ("busy", turns::busy),
    ("load", sessions::load),
    ("resume", sessions::resume),
    ("list", sessions::list),
    ("close-and-delete", sessions::close_and_delete),
    ("modes", sessions::modes),
    ("plan-mode", sessions::plan_mode),
    ("config-option", sessions::config_option),
    ("client-files", client::client_files),
    ("client-terminal", client::client_terminal),
    ("question", client::question),
    ("authentication", connection::authentication),
    ("mcp", tools::mcp),
    ("mcp-broken", tools::mcp_broken),
    ("usage", turns::usage),
    ("plain", turns::plain),
    ("end-of-input", connection::end_of_input),
];

/// Where the session of the guide works.
const WORK: &str = "/home/ada/lamp";

/// What a run has of its own, and what stands for it.
fn finish(wire: Wire, session: &str) -> String {
    let (work, shown) = (wire.work(), wire.lines.len());
    let (status, _folder, lines) = wire.end();
    assert_eq!(status, Some(0), "the agent ends well");
    block(&lines[..shown], &work.display().to_string(), session)
}

fn block(lines: &[(Way, String)], work: &str, session: &str) -> String {
    let server = plan_server();
    let mut replaced = vec![
        (server.display().to_string(), "/usr/lib/plans/server.py"),
        (work.to_owned(), WORK),
    ];
    if !session.is_empty() {
        replaced.push((session.to_owned(), "sess_1"));
    }
    render(lines, &replaced)
}

/// An agent with a session, of which nothing is shown yet.
fn ready(arguments: &[&str], offers: Value) -> (Wire, String) {
    let mut wire = Wire::start(arguments);
    wire.initialize(offers);
    let session = wire.session(json!([]));
    wire.forget();
    (wire, session)
}

/// A whole turn of this prompt.
fn turn(arguments: &[&str], prompt: &str) -> String {
    let (mut wire, session) = titled(arguments, json!({}));
    let id = wire.prompt(&session, prompt);
    wire.answer(id);
    finish(wire, &session)
}

/// A session that has its title already, which comes with the first turn.
fn titled(arguments: &[&str], offers: Value) -> (Wire, String) {
    let (mut wire, session) = ready(arguments, offers);
    let id = wire.prompt(&session, "Reply with exactly OK.");
    wire.answer(id);
    wire.forget();
    (wire, session)
}
