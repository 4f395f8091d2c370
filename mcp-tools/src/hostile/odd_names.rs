//! Gives its tools names that no model could call, that come twice, that are those of built-in tools,
//! or that are as long as a page.
//!
//! A client must offer each under a name that is safe and its own, and call it by its real one.

use std::io;

use serde_json::{Value, json};

use super::{
    honest,
    peer::{Peer, text, tool},
};

pub(super) fn run(peer: &mut Peer) -> io::Result<()> {
    honest::serve(peer, |peer, request| {
        match honest::method(request) {
            "tools/list" => {
                let tools: Vec<Value> = names().iter().map(|name| tool(name)).collect();
                peer.answer(request, json!({ "tools": tools }))?;
            }
            "tools/call" => {
                let real = format!("{:?}", honest::called(request));
                peer.answer(request, text(real))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "shell",
        "write_file",
        "twice",
        "twice",
        "",
        " ",
        "../../etc/passwd",
        "a b\tc\nd",
        "\u{202e}reversed",
        "ümläut",
        "\u{1b}[31mred",
        "a\0b",
    ]
    .map(str::to_owned)
    .into();
    names.push("x".repeat(10_000));
    names
}
