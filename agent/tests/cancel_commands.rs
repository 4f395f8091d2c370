//! A cancelled turn and the commands that it ran: when `cancelled` is answered, nothing is left,
//! however the command tried to get away.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod support;

use std::fs;

use acp_agent::mode::Mode;
use serde_json::json;
use support::{
    client::{Client, Setup},
    script::{Do, Script},
};

/// The processes that have this word among their arguments and are not dead.
fn alive(word: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| {
            let pid = entry.file_name().into_string().ok()?;
            pid.parse::<u32>().ok()?;
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            let status = fs::read_to_string(entry.path().join("stat")).ok()?;
            let state = status.rsplit_once(')')?.1.trim_start().chars().next()?;
            (line.contains(word) && state != 'Z').then(|| format!("{pid} {state} {line}"))
        })
        .collect()
}

#[tokio::test]
async fn every_form_of_a_sleep_is_gone_when_cancelled_is_answered() {
    for (number, form) in [
        "sleep SECONDS",
        "sh -c 'sleep SECONDS; true'",
        "setsid sleep SECONDS",
        "timeout 600 sleep SECONDS",
        "nohup sleep SECONDS & wait",
        "(setsid sh -c 'sleep SECONDS & sleep SECONDS' &); sleep SECONDS",
        "trap '' TERM INT HUP; sleep SECONDS; while :; do sleep 1; done",
        "env -i setsid nohup sleep SECONDS & exec sleep SECONDS",
        "python3 -c \"import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.fork(); time.sleep(SECONDS)\"",
    ]
    .into_iter()
    .enumerate()
    {
        // A number of seconds that no other process waits for.
        let seconds = format!("120.{}{number}", std::process::id());
        let command = form.replace("SECONDS", &seconds);
        let script = Script::new([vec![Do::Call("shell", json!({"command": command}))], vec![Do::End]]);
        let setup = Setup { mode: Mode::FullAccess, ..Setup::default() };
        let mut client = Client::start_with(script, setup);
        client.initialize().await;
        let session = client.session().await;
        let id = client.prompt(&session, "x").await;
        client.until(|m| m["params"]["update"]["status"] == "in_progress").await;
        while alive(&seconds).is_empty() {
            tokio::task::yield_now().await;
        }
        client.cancel(&session).await;
        let answer = client.answer(id).await;
        assert_eq!(alive(&seconds), Vec::<String>::new(), "{form}");
        assert_eq!(answer["result"]["stopReason"], "cancelled", "{form}");
        let ended = client.updates().into_iter().filter(|u| u["status"] == "failed").count();
        assert_eq!(ended, 1, "{form}");
    }
}
