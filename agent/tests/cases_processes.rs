//! Public bug reports about ACP agents, as tests: commands, their processes, and the agent's end.
//!
//! Each test is named for the case that it holds: an input that broke some agent, and what is right.
//! They run the built program with its real model, over pipes, with prompts in plain words.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is how a test fails"
)]

mod robust;
mod support;

use std::{fs, net::TcpStream, process::Command, time::Duration};

use acp_agent::mode::Mode;
use nix::{sys::signal::Signal, unistd::Pid};
use robust::Scene;
use serde_json::{Value, json};
use soak::{
    client::{Client, text},
    finding::Found,
    processes,
};
use support::script::{Do, Script};

fn run(command: &str) -> String {
    format!("Run the shell command: {command}")
}

/// The last state of the tool calls among these updates: status and text.
fn ends(updates: &[Value]) -> Vec<(String, String)> {
    let done = updates
        .iter()
        .filter(|u| u["status"] == "completed" || u["status"] == "failed");
    done.map(|u| {
        (
            u["status"].as_str().unwrap().to_owned(),
            u["content"].to_string(),
        )
    })
    .collect()
}

/// Waits for something that must happen.
fn until(what: &str, mut happened: impl FnMut() -> bool) {
    for _ in 0..4_000 {
        if happened() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("did not happen in time: {what}");
}

/// The agent's input ends in the middle of a call, with a tool server that needs time to say
/// goodbye and a shell that cleans up.
#[test]
fn a001_the_end_of_input_in_a_call_lets_everyone_clean_up() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let (bye, trap) = (scene.cwd().join("bye"), scene.cwd().join("trap"));
    let server = format!(
        r#"import sys, json, time
for line in sys.stdin:
    ask = json.loads(line)
    if 'id' in ask:
        result = {{'tools': []}}
        if ask['method'] == 'initialize':
            version = ask['params']['protocolVersion']
            result = {{'protocolVersion': version, 'capabilities': {{'tools': {{}}}}, 'serverInfo': {{'name': 'x', 'version': '1'}}}}
        print(json.dumps({{'jsonrpc': '2.0', 'id': ask['id'], 'result': result}}), flush=True)
time.sleep(0.25)
open({bye:?}, 'w').write('bye')"#,
        bye = bye.display().to_string()
    );
    let servers =
        json!([{"name": "x", "command": "python3", "args": ["-c", server, scene.mark], "env": []}]);
    let answer = client.call(
        "session/new",
        json!({"cwd": scene.cwd(), "mcpServers": servers}),
    )?;
    let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
    let command = format!(
        "trap 'sleep .2; echo done > {}' TERM; sleep {} & wait",
        trap.display(),
        scene.mark
    );
    let id = client.prompt(&session, &run(&command))?;
    client.running(&session)?;
    until("the command runs", || {
        processes::alive(&scene.mark)
            .iter()
            .any(|(_, line)| line.starts_with("sleep"))
    });
    let messages = scene.end(client)?;
    let answer = messages.iter().find(|m| m["id"] == id).unwrap();
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    assert!(bye.exists() && trap.exists());
    let mut client = scene.client()?;
    assert!(client.load(&session, scene.cwd())?.get("result").is_some());
    scene.end(client).map(drop)
}

#[test]
fn a002_what_was_written_before_the_end_is_answered() -> Found<()> {
    for with_prompt in [false, true] {
        let scene = Scene::new()?;
        let mut client = Client::start_silent(&scene.setup())?;
        let params = json!({"protocolVersion": 1, "clientCapabilities": {}});
        let (_, initialize) = client.message("initialize", params);
        let (new, open) =
            client.message("session/new", json!({"cwd": scene.cwd(), "mcpServers": []}));
        client.raw(format!("{initialize}\n{open}\n").as_bytes())?;
        let mut ids = vec![new];
        if with_prompt {
            let answer = client.answer(new)?;
            let session = answer["result"]["sessionId"].as_str().unwrap().to_owned();
            ids = vec![client.prompt(&session, "reply with MARK1")?];
        }
        let messages = scene.end(client)?;
        for id in ids {
            let answer = messages.iter().find(|m| m["id"] == id).unwrap();
            assert!(answer.get("result").is_some(), "{answer}");
        }
    }
    Ok(())
}

/// For an agent, what is wrapped is a tool server.
#[test]
fn a003_what_is_wrapped_dies_and_the_prompt_is_answered() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = scene.session_with_server(&mut client, &[])?;
    let id = client.prompt(&session, "Call the tool hang")?;
    scene.logged("hangs")?;
    let log = scene.log();
    let pid = log.iter().find_map(|line| line.strip_prefix("pid "));
    let pid = Pid::from_raw(pid.unwrap().parse().unwrap());
    nix::sys::signal::kill(pid, Signal::SIGKILL).unwrap();
    assert_eq!(client.answer(id)?["result"]["stopReason"], "end_turn");
    let calls = ends(&client.updates());
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0].0, "failed", "{calls:?}");
    assert!(calls[0].1.contains("inner"), "{calls:?}");
    assert_eq!(client.turn(&session, "reply MARK")?, "end_turn");
    scene.end(client).map(drop)
}

/// Neither a signal nor the end of the input reaches what stands behind a shim that only waits.
#[test]
fn a005_what_a_shim_waits_for_is_ended_too() -> Found<()> {
    let shim = [
        "python3",
        "-c",
        "import subprocess, sys; subprocess.call(sys.argv[1:])",
    ];
    for with_signal in [true, false] {
        let scene = Scene::new()?;
        let mut client = scene.client()?;
        let session = scene.session_with_server(&mut client, &shim)?;
        let command = format!("{} '{}' sleep {}", shim[..2].join(" "), shim[2], scene.mark);
        let id = client.prompt(&session, &run(&command))?;
        client.running(&session)?;
        until("all of them run", || {
            processes::alive(&scene.mark).len() >= 5
        });
        if with_signal {
            client.program.signal(Signal::SIGTERM)?;
        }
        let messages = scene.end(client)?;
        let answer = messages.iter().find(|m| m["id"] == id).unwrap();
        assert_eq!(answer["result"]["stopReason"], "cancelled");
    }
    Ok(())
}

#[test]
fn a006_a_cancel_reaches_a_command_however_it_runs() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for wrap in ["", "timeout 600 ", "setsid ", "nohup "] {
        let command = format!("{wrap}sh -c 'while :; do :; done' {}", scene.mark);
        let id = client.prompt(&session, &run(&command))?;
        client.running(&session)?;
        until("the command runs", || {
            processes::alive(&scene.mark)
                .iter()
                .any(|(_, line)| line.starts_with("sh -c while"))
        });
        client.cancel(&session)?;
        assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
        // Only the agent itself carries the mark now.
        let left = processes::alive(&scene.mark);
        assert_eq!(left.len(), 1, "{left:?}");
    }
    scene.end(client).map(drop)
}

#[test]
fn a007_an_approved_command_is_cancelled_like_any_other() -> Found<()> {
    let scene = Scene::new()?;
    let mut setup = scene.setup();
    setup.args[3] = "default".into();
    let mut client = Client::start(&setup)?;
    let session = client.session(scene.cwd())?;
    let port = scene.cwd().join("port");
    let server = format!(
        "import socket; s = socket.create_server(('127.0.0.1', 0)); open('{}', 'w').write(str(s.getsockname()[1])); s.accept(); s.accept()",
        port.display()
    );
    let id = client.prompt(&session, &run(&format!("python3 -c \"{server}\"")))?;
    let request = client.until(|m| m["method"] == "session/request_permission")?;
    client.choose(&request, "allow_once")?;
    let number = || fs::read_to_string(&port).ok()?.parse::<u16>().ok();
    until("the server listens", || number().is_some());
    let address = ("127.0.0.1", number().unwrap());
    assert!(TcpStream::connect(address).is_ok());
    client.cancel(&session)?;
    assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(client.turn(&session, "ping")?, "end_turn");
    scene.end(client).map(drop)
}

/// With a scripted model, because only a model can ask for a time limit.
#[tokio::test]
async fn a008_a_command_that_times_out_is_ended_whole() {
    let mark = processes::mark();
    let command =
        format!("python3 -c 'import time; time.sleep(600)' {mark} & (setsid sleep {mark} &); wait");
    let call = Do::Call("shell", json!({"command": command, "timeout_seconds": 1}));
    let script = Script::new([vec![call], vec![Do::Say("went on"), Do::End]]);
    let setup = support::client::Setup {
        mode: Mode::FullAccess,
        ..Default::default()
    };
    let mut client = support::client::Client::start_with(script, setup);
    client.initialize().await;
    let session = client.session().await;
    assert_eq!(client.turn(&session, "x").await, "end_turn");
    let ends = ends(&client.updates());
    assert!(
        ends[0].0 == "failed" && ends[0].1.contains("longer than 1 s"),
        "{ends:?}"
    );
    assert_eq!(processes::alive(&mark), []);
}

#[test]
fn a009_background_job_holds_the_pipe() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    for job in [
        format!("echo started; nohup sleep {} >/dev/null 2>&1 &", scene.mark),
        format!("echo started; sleep {} &", scene.mark),
    ] {
        assert_eq!(client.turn(&session, &run(&job))?, "end_turn");
        let ends = ends(&client.updates());
        assert!(
            ends[0].0 == "completed" && ends[0].1.contains("started"),
            "{ends:?}"
        );
        let left = processes::alive(&scene.mark);
        assert_eq!(left.len(), 1, "{left:?}");
    }
    scene.end(client).map(drop)
}

#[test]
fn a010_a_command_does_not_read_the_agents_input() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    let id = client.prompt(&session, &run("cat; echo over"))?;
    let probe = client.request("_probe/x", json!({}))?;
    assert_eq!(client.answer(probe)?["error"]["code"], -32601);
    if !client.seen().iter().any(|m| m["id"] == id) {
        client.answer(id)?;
    }
    assert_eq!(
        client.turn(&session, &run("readlink /proc/self/fd/0; tty"))?,
        "end_turn"
    );
    let said = ends(&client.updates());
    assert!(
        said.iter().any(|(_, text)| text.contains("/dev/null")),
        "{said:?}"
    );
    scene.end(client).map(drop)
}

/// The agent itself runs nothing in a workspace, whatever the workspace would like.
#[test]
fn a011_a_hostile_repository_runs_nothing_by_itself() -> Found<()> {
    let scene = Scene::new()?;
    let script = scene.cwd().join("monitor");
    fs::write(
        &script,
        format!(
            "#!/bin/sh\ntouch {}/ran\nsleep 600\n",
            scene.cwd().display()
        ),
    )
    .unwrap();
    let git = |args: &[&str]| {
        Command::new("git")
            .args(args)
            .current_dir(scene.cwd())
            .status()
    };
    assert!(
        Command::new("chmod")
            .arg("+x")
            .arg(&script)
            .status()
            .is_ok_and(|s| s.success())
    );
    assert!(git(&["init", "--quiet"]).is_ok_and(|status| status.success()));
    for key in [
        "core.fsmonitor",
        "diff.external",
        "core.pager",
        "core.sshCommand",
    ] {
        git(&["config", key, script.to_str().unwrap()]).unwrap();
    }
    fs::File::create(scene.cwd().join("big"))
        .unwrap()
        .set_len(300 << 20)
        .unwrap();
    let mut client = scene.client()?;
    let session = client.session(scene.cwd())?;
    assert_eq!(client.turn(&session, "hi")?, "end_turn");
    client.cancel(&session)?;
    assert!(client.program.figures().unwrap().peak < 64 << 10);
    scene.end(client)?;
    assert!(!scene.cwd().join("ran").exists());
    Ok(())
}

/// What a peer must be able to rely on when everything ends by a signal instead.
#[test]
fn a001_a_signal_is_as_good_as_the_end_of_input() -> Found<()> {
    use nix::sys::signal::Signal::{SIGHUP, SIGINT, SIGTERM};
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        let scene = Scene::new()?;
        let mut client = scene.client()?;
        let session = client.session(scene.cwd())?;
        let id = client.prompt(&session, &run(&format!("sleep {}", scene.mark)))?;
        client.running(&session)?;
        client.program.signal(signal)?;
        assert_eq!(client.answer(id)?["result"]["stopReason"], "cancelled");
        let (status, _) = client.program.wait(soak::client::END_DEADLINE)?;
        assert!(status.success(), "{signal}: {status}");
        scene.nothing_left()?;
    }
    Ok(())
}

#[test]
fn a096_sessions_that_are_closed_leave_nothing() -> Found<()> {
    let scene = Scene::new()?;
    let mut client = scene.client()?;
    let mut figures = Vec::new();
    for round in 1..=300 {
        let session = client.session(scene.cwd())?;
        assert_eq!(client.turn(&session, "reply x")?, "end_turn");
        client.call("session/close", json!({"sessionId": session}))?;
        if round % 2 == 0 {
            client.call("session/delete", json!({"sessionId": session}))?;
        }
        assert_eq!(text(&client.updates()), "x");
        if round % 100 == 0 {
            figures.push(client.program.figures().unwrap());
        }
    }
    let [first, .., last] = figures[..] else {
        panic!("no figures");
    };
    assert!(last.memory < first.memory + (10 << 10), "{figures:?}");
    assert_eq!(last.files, first.files, "{figures:?}");
    // Threads for the disk come and go within their bound.
    assert!(last.threads <= 24, "{figures:?}");
    scene.end(client).map(drop)
}

#[test]
fn a095_what_the_agent_was_given_is_not_given_to_commands() -> Found<()> {
    let scene = Scene::new()?;
    let mut setup = scene.setup();
    let secret = [
        "env",
        "OUTER_SECRET_KEY=zzz-secret",
        "ANTHROPIC_API_KEY=zzz-key",
    ];
    setup.command.splice(0..0, secret.map(Into::into));
    setup.args.extend(["--log".into(), "trace".into()]);
    let mut client = Client::start(&setup)?;
    let session = client.session(scene.cwd())?;
    assert_eq!(client.turn(&session, &run("env"))?, "end_turn");
    let seen = client.updates();
    let all = seen.iter().map(Value::to_string).collect::<String>();
    assert!(all.contains("PATH=") && all.contains("HOME="), "{all}");
    assert!(!all.contains("zzz-") && !client.program.stderr().contains("zzz-"));
    scene.end(client).map(drop)
}
