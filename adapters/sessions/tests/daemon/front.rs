//! An ACP front that is killed with SIGKILL at a random moment, while its client drives it.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout},
    thread,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

/// Drives a front for that long and kills it. Says which session its client was told of, and how many
/// turns of it were finished: the first ones, since nobody else prompts it.
pub fn until_killed(mut front: Child, project: &str, life: Duration) -> Option<(String, u64)> {
    let pid = Pid::from_raw(i32::try_from(front.id()).unwrap());
    let (input, output) = (front.stdin.take().unwrap(), front.stdout.take().unwrap());
    let told = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(life);
            kill(pid, Signal::SIGKILL).unwrap();
        });
        converse(input, output, project)
    });
    front.wait().unwrap();
    told
}

fn converse(mut input: ChildStdin, output: ChildStdout, project: &str) -> Option<(String, u64)> {
    let mut ask = |id: u64, method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        // The front may be gone.
        let _ = writeln!(input, "{message}");
    };
    ask(0, "initialize", json!({"protocolVersion": 1}));
    ask(1, "session/new", json!({"cwd": project, "mcpServers": []}));
    let mut told: Option<(String, u64)> = None;
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        // The last line may be half.
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            break;
        };
        if message["id"] == 1 {
            let id = message["result"]["sessionId"].as_str().map(str::to_owned);
            told = id.map(|id| (id, 0));
        } else if message["result"]["stopReason"] == "end_turn" {
            told = told.map(|(id, finished)| (id, finished + 1));
        } else {
            // An update, or a turn whose harness was killed: then nobody knows the next number.
            continue;
        }
        if let Some((id, finished)) = &told {
            let prompt = json!([{"type": "text", "text": "say front"}]);
            let params = json!({"sessionId": id, "prompt": prompt});
            ask(finished + 2, "session/prompt", params);
        }
    }
    told
}
