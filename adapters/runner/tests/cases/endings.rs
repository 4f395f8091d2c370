//! Nothing is left, however it ends: no process of the agent, of its children, or of terminals, and
//! no file. Each process carries the test's own mark.

use std::{fs, time::Duration};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

use crate::support::{Scene, call, chunk, processes, runner::Runner};

/// An agent in the middle of its work: a child, a terminal whose child has left its process group,
/// and a question. A stubborn one heeds neither SIGTERM nor the end of its input.
fn at_work(is_stubborn: bool) -> Scene {
    let scene = Scene::new(&json!({}));
    let trap = if is_stubborn { "trap '' TERM; " } else { "" };
    let away = format!("{trap}setsid sleep {} & wait", scene.token);
    scene.script(&json!({
        "prompts": [[
            {"spawn": ["setsid", "sleep", scene.token]},
            call("t", "terminal/create", json!({"command": "sh", "args": ["-c", away]})),
            {"request": {"id": "q", "method": "session/request_permission", "params": {
                "sessionId": "s-1", "toolCall": {"toolCallId": "q"}, "options": [],
            }}},
            chunk("up"),
            {"wait_file": scene.at("die")},
            {"exit": 3},
        ]],
        "ignores_sigterm": is_stubborn,
        "ignores_eof": is_stubborn,
    }));
    fs::create_dir(scene.at("tmp")).unwrap();
    let tmp = scene.at("tmp").display().to_string();
    scene.env("TMPDIR", tmp)
}

/// A living process of a test.
struct Living {
    pid: i32,
    parent: i32,
    name: String,
}

fn living(scene: &Scene) -> Vec<Living> {
    let read = |stat: &String| {
        let (pid, rest) = stat.split_once(" (").unwrap();
        let (name, rest) = rest.rsplit_once(") ").unwrap();
        Living {
            pid: pid.parse().unwrap(),
            parent: rest.split(' ').nth(1).unwrap().parse().unwrap(),
            name: name.to_owned(),
        }
    };
    processes::alive(&scene.token).iter().map(read).collect()
}

fn sleepers(scene: &Scene) -> usize {
    let living = living(scene);
    living.iter().filter(|one| one.name == "sleep").count()
}

/// Kills what is not the runner itself; there must be something.
fn kill_where(scene: &Scene, runner: &Runner, is_meant: impl Fn(&Living, i32) -> bool) {
    let own = runner.child.id().cast_signed();
    let mut living = living(scene);
    living.retain(|one| one.pid != own && is_meant(one, own));
    assert!(!living.is_empty());
    for one in living {
        // It may have ended with another one.
        let _ = kill(Pid::from_raw(one.pid), Signal::SIGKILL);
    }
}

#[test]
fn nothing_is_left_whatever_ends_the_run() {
    type End<'a> = &'a (dyn Fn(&Scene, &mut Runner) + Sync);
    let signal = |signal: Signal| move |_: &Scene, runner: &mut Runner| runner.signal(signal);
    let table: [(&str, End); 14] = [
        ("shutdown", &|_, runner| {
            runner.send(json!({"type": "shutdown"}));
        }),
        ("the end of the input", &|_, runner| runner.close_input()),
        ("half a command, then the end", &|_, runner| {
            runner.bytes(b"{\"type\":\"interr");
            runner.close_input();
        }),
        ("SIGTERM", &signal(Signal::SIGTERM)),
        ("SIGINT", &signal(Signal::SIGINT)),
        ("SIGHUP", &signal(Signal::SIGHUP)),
        ("SIGQUIT", &signal(Signal::SIGQUIT)),
        ("SIGABRT", &signal(Signal::SIGABRT)),
        ("SIGKILL", &signal(Signal::SIGKILL)),
        ("the agent exits", &|scene, _| {
            fs::write(scene.at("die"), "").unwrap();
        }),
        ("the agent is killed", &|scene, runner| {
            kill_where(scene, runner, |one, _| one.name.starts_with("scripted"));
        }),
        ("the supervisors are killed", &|scene, runner| {
            kill_where(scene, runner, |one, own| one.parent == own);
        }),
        ("all but the runner are killed", &|scene, runner| {
            kill_where(scene, runner, |_, _| true);
        }),
        ("SIGKILL in a shutdown", &|_, runner| {
            runner.send(json!({"type": "shutdown"}));
            runner.until_type("turn_end");
            runner.signal(Signal::SIGKILL);
        }),
    ];
    // All at once: most of it is the time that the stubborn are given.
    std::thread::scope(|scope| {
        for (how, end) in &table {
            let check = move || {
                let scene = at_work(true);
                let mut runner = scene.start();
                runner.say("1", "x");
                runner.until_type("assistant_text_delta");
                processes::until("all of it runs", || sleepers(&scene) == 2);
                end(&scene, &mut runner);
                while runner.next().is_some() {}
                if runner.exit().code().is_some() {
                    // All of it ended before the runner did, and not because of that.
                    assert_eq!(processes::alive(&scene.token), Vec::<String>::new());
                }
                processes::none_left(&scene.token);
                let left = fs::read_dir(scene.at("tmp")).unwrap().count();
                assert_eq!(left, 0, "files after {how}");
            };
            let thread = std::thread::Builder::new().name((*how).to_owned());
            thread.spawn_scoped(scope, check).unwrap();
        }
    });
}

#[test]
fn nothing_is_left_when_the_host_closes_its_end() {
    let scene = at_work(true);
    let mut runner = scene.start_unread();
    runner.say("1", "x");
    processes::until("all of it runs", || sleepers(&scene) == 2);
    runner.close_output();
    // The next event finds that nobody reads.
    runner.say("2", "y");
    assert_eq!(runner.exit().code(), Some(0));
    processes::none_left(&scene.token);
}

#[test]
fn a_runner_without_an_agent_ends_when_the_host_closes_its_end() {
    let scene = Scene::new(&json!({})).env("COLONIZER_ACP_AGENT", "nobody");
    let mut runner = scene.start_unread();
    runner.close_output();
    runner.say("1", "x");
    assert_eq!(runner.exit().code(), Some(0));
}

/// Killed at any moment of its start, and of the agent's.
#[test]
fn nothing_is_left_when_the_runner_is_killed_while_it_starts() {
    for round in 0..40_u64 {
        let scene = at_work(false);
        let mut runner = scene.start();
        runner.say("1", "x");
        // Not a proof of anything: only another moment in each round.
        std::thread::sleep(Duration::from_millis(round * 3 / 2));
        runner.signal(Signal::SIGKILL);
        runner.exit();
        processes::none_left(&scene.token);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let scene = Scene::new(&json!({}))
        .env("COLONIZER_ACP_AGENT", "grok")
        .env("XAI_API_KEY", "k")
        .env("TMPDIR", "/no/such/folder");
    let ended = scene.start().ended();
    assert_eq!(ended.status.code(), Some(1));
    let error = ended.log("error")[0];
    let expected = "ACP_AGENT_FAILED: no folder for GROK_HOME can be made: ";
    assert!(
        error.starts_with(expected) && error.contains("TMPDIR"),
        "{error}"
    );
    let status = json!({"type": "status", "state": "error", "detail": "ACP_AGENT_FAILED"});
    assert_eq!(ended.events.last(), Some(&status));
    assert_eq!(scene.received(), Vec::<Value>::new());
}
