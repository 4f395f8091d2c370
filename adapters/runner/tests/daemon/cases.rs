//! The cases of section I.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    daemon::Daemon,
    support::{Scene, chunk, processes, prompts, runner::outline},
};

/// The events that are not the daemon's own.
pub fn runners(events: &[Value]) -> Vec<Value> {
    let is_daemons = |event: &&Value| event["type"] == "log" && event["level"] == "info";
    events
        .iter()
        .filter(|event| !is_daemons(event))
        .cloned()
        .collect()
}

#[test]
#[ignore = "needs the daemon"]
fn i01_brief() {
    let scene = Scene::new(&prompts(json!([[chunk("ok")]])));
    let daemon = Daemon::start(&scene, Some("hello"));
    let mut client = daemon.client(0);
    let echo = client.until_type("user_message");
    assert_eq!(echo["id"], "initial");
    let text = echo["text"].as_str().unwrap();
    // What the daemon adds is part of the brief, and reaches the agent too.
    assert!(text.starts_with("hello") && text.len() > "hello".len());
    assert_eq!(client.until_type("turn_end")["result"], "ok");
    client.until_state("idle");
    let events = daemon.end();
    let expected = [
        "idle",
        "user_message",
        "working",
        "assistant_text_delta",
        "assistant_text",
        "turn_end",
        "idle",
        "exited",
        "exited",
    ];
    assert_eq!(outline(&runners(&events)), expected);
    assert_eq!(events.last().unwrap()["detail"], "exit code 0");
    let received = scene.received();
    let prompt = received
        .iter()
        .find(|line| line["method"] == "session/prompt");
    assert_eq!(prompt.unwrap()["params"]["prompt"][0]["text"], text);
}

#[test]
#[ignore = "needs the daemon"]
fn interrupt() {
    let scene = Scene::new(&prompts(json!([
        [chunk("a"), {"wait_cancel": 1}, {"stop": "cancelled"}],
        [chunk("b")],
    ])));
    let daemon = Daemon::start(&scene, Some("x"));
    let mut client = daemon.client(0);
    client.until_type("assistant_text_delta");
    client.send(json!({"type": "interrupt"}));
    let end = client.until_type("turn_end");
    assert_eq!(end["result"], "interrupted by the user");
    client.say("2", "y");
    assert_eq!(client.until_type("turn_end")["result"], "b");
    daemon.end();
}

#[test]
#[ignore = "needs the daemon"]
fn i01_resume_gets_exactly_the_prompt() {
    let capabilities = json!({"loadSession": true});
    let initialize = json!({"result": {"protocolVersion": 1, "agentCapabilities": capabilities}});
    let scene = Scene::new(
        &json!({"answers": {"initialize": initialize}, "before": {"session/load": [chunk("old")]}}),
    )
    .env("COLONIZER_RESUME_SESSION", "s-1");
    let daemon = Daemon::start(&scene, Some("go on"));
    let mut client = daemon.client(0);
    assert_eq!(client.until_type("user_message")["text"], "go on");
    client.until_type("turn_end");
    let events = daemon.end();
    assert!(
        events
            .iter()
            .any(|event| event["type"] == "agent_session" && event["session_id"] == "s-1")
    );
    assert!(scene.methods().contains(&"session/load".to_owned()));
    assert!(
        events
            .iter()
            .all(|event| event["type"] != "assistant_text_delta")
    );
}

#[test]
#[ignore = "needs the daemon"]
fn i03_shutdown_while_a_turn_runs() {
    let steps = json!([{"spawn": ["sleep", "600"]}, chunk("a"), {"hang": 1}]);
    let scene =
        Scene::new(&json!({"prompts": [steps], "ignores_sigterm": true, "ignores_eof": true}));
    let daemon = Daemon::start(&scene, Some("x"));
    daemon.client(0).until_type("assistant_text_delta");
    let begin = std::time::Instant::now();
    let status = daemon.post_shutdown();
    assert!(status.starts_with("HTTP/1.1 200"), "{status}");
    assert!(begin.elapsed().as_secs() < 10);
    processes::none_left(&scene.token);
    let events = daemon.end();
    let last: Vec<_> = events
        .iter()
        .rev()
        .take(2)
        .map(|event| (&event["state"], &event["detail"]))
        .collect();
    assert_eq!(
        last,
        [
            (&json!("exited"), &json!("exit code 0")),
            (&json!("exited"), &Value::Null)
        ]
    );
}

#[test]
#[ignore = "needs the daemon"]
fn i04_runner_killed_leaves_nothing() {
    let terminal = json!({"ask": {"id": "t", "method": "terminal/create", "params": {"command": "sleep", "args": ["600"]}}});
    let scene = Scene::new(&json!({
        "prompts": [[terminal, {"spawn": ["sleep", "600"]}, chunk("up"), {"hang": 1}]],
        "ignores_eof": true,
    }));
    let daemon = Daemon::start(&scene, Some("x"));
    let mut client = daemon.client(0);
    client.until_type("assistant_text_delta");
    let pid = nix::unistd::Pid::from_raw(daemon.runner());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    assert_eq!(client.until_state("exited")["detail"], "killed by signal 9");
    processes::none_left(&scene.token);
    daemon.end();
}

#[test]
#[ignore = "needs the daemon"]
fn i05_reconnect_goes_on_where_it_was() {
    let scene = Scene::new(&prompts(json!([[chunk("a")]])));
    let daemon = Daemon::start(&scene, Some("x"));
    let mut client = daemon.client(0);
    let end = client.until_type("turn_end")["seq"].as_u64().unwrap();
    assert_eq!(daemon.client(end - 2).next()["seq"], end - 1);
    daemon.end();
}

#[test]
#[ignore = "needs the daemon"]
fn i05b_early_message_comes_before_the_brief() {
    let scene = Scene::new(&json!({}));
    fs::create_dir(scene.at("ws/.colonizer")).unwrap();
    let (gate, begun) = (scene.at("gate"), scene.at("begun"));
    let wait = format!(
        "touch '{}'; while [ ! -e '{}' ]; do sleep 0.05; done",
        begun.display(),
        gate.display()
    );
    fs::write(scene.at("ws/.colonizer/setup.sh"), wait).unwrap();
    let daemon = Daemon::start(&scene, Some("brief"));
    let mut client = daemon.client(0);
    processes::until("the hook runs", || begun.exists());
    client.say("early", "first");
    // The daemon reads what a client sent before it answers a later request of it.
    daemon.client(0);
    fs::write(gate, "").unwrap();
    client.until_type("turn_end");
    client.until_type("turn_end");
    let events = daemon.end();
    let echoes: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "user_message")
        .map(|event| &event["id"])
        .collect();
    assert_eq!(echoes, ["early", "initial"]);
}

#[test]
#[ignore = "needs the daemon"]
fn i06_burst_of_messages() {
    let scene = Scene::new(&json!({}));
    let daemon = Daemon::start(&scene, None);
    let mut client = daemon.ready_client();
    for number in 0..300 {
        client.say(&format!("u-{number}"), "x");
    }
    for number in 0..300 {
        let echo = client.until_type("user_message");
        assert_eq!(echo["id"], format!("u-{number}"));
    }
    daemon.end();
}

#[test]
#[ignore = "needs the daemon"]
fn i07_line_limit_of_256_kib_is_kept_by_large_messages() {
    let large = "x\n".repeat(500_000);
    let scene = Scene::new(&prompts(json!([[
        chunk(&large),
        {"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "rawInput": {"a": large}}},
        {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "rawOutput": large}},
    ]])));
    let daemon = Daemon::start(&scene, None);
    let mut client = daemon.ready_client();
    client.say("1", &"y".repeat(300_000));
    client.until_type("turn_end");
    let events = daemon.end();
    let deltas = events
        .iter()
        .filter(|event| event["type"] == "assistant_text_delta");
    let text: String = deltas
        .map(|event| event["delta"].as_str().unwrap())
        .collect();
    assert_eq!(text, large);
}

#[test]
#[ignore = "needs the daemon"]
fn i08_runner_that_is_not_there() {
    let scene = Scene::new(&json!({}));
    let daemon = Daemon::start_program(&scene, None, "/no/such/runner");
    let status = daemon.client(0).until_state("error");
    assert!(
        status["detail"]
            .as_str()
            .unwrap()
            .contains("cannot start agent runner"),
        "{status}"
    );
    daemon.end();
}

#[test]
#[ignore = "needs the daemon"]
fn agent_killed() {
    let scene = Scene::new(&prompts(json!([[chunk("a"), {"hang": 1}]])));
    let daemon = Daemon::start(&scene, Some("x"));
    let mut client = daemon.client(0);
    client.until_type("assistant_text_delta");
    let agent = scene.received()[0]["pid"].as_i64().unwrap();
    let agent = nix::unistd::Pid::from_raw(i32::try_from(agent).unwrap());
    nix::sys::signal::kill(agent, nix::sys::signal::Signal::SIGKILL).unwrap();
    client.until_state("exited");
    let events = daemon.end();
    let outline = outline(&events);
    assert_eq!(
        outline[outline.len() - 4..],
        ["log", "error", "turn_end", "exited"]
    );
    assert_eq!(events.last().unwrap()["detail"], "exit code 1");
}

/// The reference agent, hardened by the daemon: brief, question, interrupt.
#[test]
#[ignore = "needs the daemon"]
fn i09_the_reference_agent_works_hardened() {
    let agent = Path::new(env!("CARGO_BIN_EXE_acp-runner")).with_file_name("acp-agent");
    assert!(agent.exists(), "run `cargo build --workspace --bins`");
    let scene = Scene::new(&json!({}));
    let command = format!(
        "\"{}\" --acp --state-dir \"{}\"",
        agent.display(),
        scene.at("state").display()
    );
    let scene = scene.env("COLONIZER_ACP_COMMAND", command);
    let daemon = Daemon::start(&scene, None);
    let mut client = daemon.ready_client();
    client.say("1", "Reply with exactly REPLY-9 and nothing else.");
    assert_eq!(client.until_type("turn_end")["result"], "REPLY-9");
    client.say(
        "2",
        &format!(
            "Run the shell command sleep {} and wait for it.",
            scene.token
        ),
    );
    let question = client.until_type("question");
    let card = &question["questions"][0];
    let options = card["options"].as_array().unwrap();
    let allow = options
        .iter()
        .find(|option| option["description"] == "allow_once")
        .unwrap();
    let mut answers = json!({});
    answers[card["question"].as_str().unwrap()] = allow["label"].clone();
    client.send(
        json!({"type": "answer", "question_id": question["question_id"], "answers": answers}),
    );
    let sleeps = || {
        processes::alive(&scene.token)
            .iter()
            .any(|stat| stat.contains("(sleep)"))
    };
    processes::until("it runs", sleeps);
    client.send(json!({"type": "interrupt"}));
    assert_eq!(
        client.until_type("turn_end")["result"],
        "interrupted by the user"
    );
    assert!(!sleeps());
    daemon.end();
}
