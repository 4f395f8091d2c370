//! H: what is missing at the start, agents that die, and shutdowns.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, time::Instant};

use serde_json::{Value, json};

use crate::support::{Scene, chunk, permission, processes, prompts};

/// Runs into a refusal: it stays, refuses a message, and shuts down well.
fn refused(scene: &Scene, code: &str, words: &str) {
    let mut runner = scene.start();
    let log = runner.until_type("log");
    let message = log["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with(&format!("{code}: ")) && message.contains(words),
        "{message}"
    );
    let status = json!({"type": "status", "state": "error", "detail": code});
    assert_eq!(runner.next().unwrap(), status);
    runner.say("1", "x");
    runner.until_state("working");
    let end = runner.until_type("turn_end");
    assert_eq!(
        (&end["is_error"], &end["result"]),
        (&json!(true), &json!(message))
    );
    assert_eq!(end["duration_ms"], 0);
    assert_eq!(runner.next().unwrap(), status);
    for model in ["m", " "] {
        runner.send(json!({"type": "set_model", "model": model}));
    }
    runner.send(json!({"type": "answer", "question_id": "q"}));
    runner.interrupt();
    let ended = runner.shut_down();
    let expected = [
        "ignored set_model m: the agent did not advertise model selection at session/new",
        "ignored a set_model without a model",
        "no open question with id q",
    ];
    assert_eq!(ended.log("warn"), expected);
    assert_eq!(scene.received(), Vec::<Value>::new());
}

#[test]
fn h01_an_unknown_agent() {
    let scene = || Scene::new(&json!({}));
    refused(
        &scene().env("COLONIZER_ACP_AGENT", "claude"),
        "ACP_AGENT_UNKNOWN",
        "gemini, grok or custom",
    );
    refused(
        &scene().env("COLONIZER_ACP_COMMAND", "  "),
        "ACP_AGENT_UNKNOWN",
        "the custom command is empty",
    );
}

#[test]
fn h02_a_missing_credential() {
    let scene = || Scene::new(&json!({}));
    let code = "ACP_CREDENTIAL_MISSING";
    refused(
        &scene().env("COLONIZER_ACP_AGENT", "grok"),
        code,
        "XAI_API_KEY",
    );
    refused(
        &scene().env("COLONIZER_ACP_AGENT", "gemini"),
        code,
        "GEMINI_API_KEY",
    );
    refused(
        &scene().env("COLONIZER_ACP_AGENT", ""),
        code,
        "GEMINI_API_KEY",
    );
}

/// A folder with the scripted agent under another name, on `PATH`.
fn shim(scene: Scene, preset: &str, key: &str) -> Scene {
    let bin = scene.at("bin");
    fs::create_dir(&bin).unwrap();
    let program = bin.join(preset);
    let agent = env!("CARGO_BIN_EXE_scripted-acp-agent");
    let script = format!(
        "#!/bin/sh\nenv > {}/env\nexec {agent} \"$@\"\n",
        bin.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    scene
        .env("COLONIZER_ACP_AGENT", preset)
        .env(key, "secret-value")
        .env("PATH", path)
}

fn variables(folder: &Path) -> Vec<String> {
    fs::read_to_string(folder.join("env"))
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn h03_h04_the_presets_are_started_as_they_want_it() {
    let scene = shim(Scene::new(&json!({})), "gemini", "GEMINI_API_KEY");
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    assert_eq!(scene.received()[0]["argv"], json!(["--experimental-acp"]));

    let scene = shim(Scene::new(&json!({})), "grok", "XAI_API_KEY");
    let mut runner = scene.start();
    runner.turn("x");
    let ended = runner.shut_down();
    assert_eq!(scene.received()[0]["argv"], json!(["agent", "stdio"]));
    let variables = variables(&scene.at("bin"));
    for expected in [
        "BROWSER=/bin/false",
        "GROK_FOLDER_TRUST=1",
        "GROK_MEMORY=0",
        "GROK_TELEMETRY_ENABLED=0",
        "GROK_DISABLE_AUTOUPDATER=1",
        "XAI_API_KEY=secret-value",
    ] {
        assert!(
            variables.iter().any(|variable| variable == expected),
            "{expected}"
        );
    }
    assert!(
        variables
            .iter()
            .any(|variable| variable.starts_with("GROK_HOME=/"))
    );
    assert!(!ended.stderr.contains("secret-value"));
}

#[test]
fn h05_h06_a_credential_that_is_refused() {
    let error = json!({"error": {"code": -32000, "message": "Authentication required"}});
    let scene =
        Scene::new(&json!({"answers": {"session/new": error.clone()}, "ignores_eof": true}));
    let scene = shim(scene, "grok", "XAI_API_KEY");
    let ended = scene.start().ended();
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(
        ended.log("error"),
        ["ACP_AUTH_FAILED: the agent refused the credential: check XAI_API_KEY"]
    );
    let status = json!({"type": "status", "state": "error", "detail": "ACP_AUTH_FAILED"});
    assert_eq!(ended.events.last(), Some(&status));

    let custom = Scene::new(&json!({"answers": {"session/new": error}}));
    let ended = custom.start().ended();
    assert!(ended.log("error")[0].starts_with("ACP_AUTH_FAILED: the agent needs a login"));

    let internal = json!({"error": {"code": -32603, "message": "Internal error"}});
    let scene = shim(
        Scene::new(&prompts(json!([[internal]]))),
        "grok",
        "XAI_API_KEY",
    );
    let mut runner = scene.start();
    let end = runner.turn("x");
    let result = end["result"].as_str().unwrap();
    assert!(
        result.starts_with("the turn failed: Internal error") && result.contains("XAI_API_KEY"),
        "{result}"
    );
    runner.shut_down();
}

#[test]
fn h07_a_program_that_cannot_be_started() {
    let scene = Scene::new(&json!({})).env("COLONIZER_ACP_COMMAND", "/no/such/agent --acp");
    let ended = scene.start().ended();
    assert_eq!(ended.status.code(), Some(1));
    let error = ended.log("error")[0];
    assert!(
        error.starts_with("ACP_AGENT_FAILED: could not start \"/no/such/agent\": "),
        "{error}"
    );
    assert_eq!(ended.outline(), ["idle", "log", "error"]);
}

#[test]
fn h08_an_agent_that_dies_in_a_turn() {
    for (step, words) in [
        (
            json!({"exit": 3}),
            "the ACP agent exited unexpectedly (exit code 3)",
        ),
        (
            json!({"abort": 1}),
            "the ACP agent exited unexpectedly (exit code null, signal SIGABRT)",
        ),
    ] {
        let call =
            json!({"update": {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t"}});
        let scene = Scene::new(&prompts(
            json!([[chunk("so far"), call, {"stderr": "last words\n"}, step]]),
        ));
        let mut runner = scene.start();
        runner.say("1", "x");
        let ended = runner.ended();
        assert_eq!(ended.status.code(), Some(1));
        assert_eq!(ended.of_type("assistant_text_delta").len(), 1);
        let message = format!("{words}; stderr tail: last words");
        assert_eq!(ended.log("error"), [format!("ACP_AGENT_FAILED: {message}")]);
        let end = ended.of_type("turn_end")[0];
        assert_eq!(
            (&end["is_error"], &end["result"]),
            (
                &json!(true),
                &json!(format!("the ACP agent died mid-turn: {message}"))
            )
        );
        let outline = ended.outline();
        assert_eq!(
            outline[outline.len() - 4..],
            ["log", "error", "tool_result", "turn_end"]
        );
    }
}

#[test]
fn h08_an_answer_before_the_death_counts() {
    let scene = Scene::new(&prompts(
        json!([[chunk("t"), {"stop": "end_turn"}, {"exit": 0}]]),
    ));
    let mut runner = scene.start();
    runner.say("1", "x");
    let ended = runner.ended();
    let ends = ended.of_type("turn_end");
    assert_eq!((ends.len(), &ends[0]["result"]), (1, &json!("t")));
    assert_eq!(ended.log("error").len(), 1);
}

#[test]
fn h09_an_agent_that_dies_outside_a_turn() {
    let idle = Scene::new(&json!({"start": [{"exit": 4}]}));
    let shaking = Scene::new(
        &json!({"before": {"session/load": [{"exit": 4}]}, "answers": {"initialize": {
            "result": {"protocolVersion": 1, "agentCapabilities": {"loadSession": true}},
        }}}),
    )
    .env("COLONIZER_RESUME_SESSION", "s");
    let closing = Scene::new(&json!({"start": [{"close_output": 1}], "ignores_eof": true}));
    for (scene, words) in [
        (idle, "exit code 4"),
        (shaking, "exit code 4"),
        (closing, "closed its output"),
    ] {
        let ended = scene.start().ended();
        assert_eq!(ended.status.code(), Some(1));
        assert_eq!(ended.log("error").len(), 1, "{:?}", ended.log("error"));
        assert!(
            ended.log("error")[0].contains(words),
            "{:?}",
            ended.log("error")
        );
        let status = json!({"type": "status", "state": "error", "detail": "ACP_AGENT_FAILED"});
        assert_eq!(ended.events.last(), Some(&status));
    }
}

#[test]
fn h09_a_handshake_that_is_refused() {
    let error = json!({"error": {"code": -32603, "message": "no disk"}});
    let scene = Scene::new(&json!({"answers": {"initialize": error}, "ignores_eof": true}));
    let ended = scene.start().ended();
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(
        ended.log("error"),
        ["ACP_AGENT_FAILED: the ACP handshake failed: no disk"]
    );
}

#[test]
fn h10_a_death_with_an_open_question() {
    let scene = Scene::new(&json!({}));
    let gate = scene.at("gate");
    let mut ask = permission("q", "edit", "t");
    ask = json!({"request": ask["ask"].take()});
    scene.script(&prompts(json!([[ask, {"wait_file": gate}, {"exit": 1}]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_state("waiting_for_answer");
    fs::write(gate, "").unwrap();
    let ended = runner.ended();
    assert_eq!(ended.status.code(), Some(1));
    assert_eq!(ended.of_type("turn_end").len(), 1);
}

#[test]
fn h11_a_shutdown_in_a_turn_that_heeds_it() {
    let scene = Scene::new(&prompts(
        json!([[chunk("a"), {"wait_cancel": 1}, {"stop": "cancelled"}]]),
    ));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    let ended = runner.shut_down();
    let outline = ended.outline();
    assert_eq!(
        outline[outline.len() - 4..],
        ["assistant_text", "turn_end", "idle", "exited"]
    );
    assert_eq!(
        ended.of_type("turn_end")[0]["result"],
        "interrupted by the user"
    );
}

#[test]
fn h12_h13_a_shutdown_that_nobody_heeds() {
    for steps in [
        json!([chunk("a"), {"hang": 1}]),
        json!([chunk("a"), {"flood": "thoughts"}]),
    ] {
        let script = json!({"prompts": [steps], "ignores_sigterm": true, "ignores_eof": true});
        let scene = Scene::new(&script);
        let mut runner = scene.start();
        runner.say("1", "x");
        runner.until_type("assistant_text_delta");
        let begin = Instant::now();
        let ended = runner.shut_down();
        assert!(begin.elapsed().as_secs() < 8, "{:?}", begin.elapsed());
        assert_eq!(
            ended.of_type("turn_end")[0]["result"],
            "interrupted by the user"
        );
    }
}

#[test]
fn h14_a_flood_of_complaints_costs_nothing() {
    let scene = Scene::new(&json!({}));
    let flood =
        json!({"request": {"id": "f", "method": "terminal/create", "params": {"command": "true"}}});
    scene.script(&prompts(json!([[flood, chunk("a"), {"flood": "stderr"}]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    let ended = runner.shut_down();
    assert_eq!(ended.stderr, "");
    assert_eq!(ended.log("warn"), Vec::<&str>::new());
}

#[test]
fn nothing_is_left_when_the_runner_is_killed() {
    let scene = Scene::new(&json!({}));
    let sleep = format!("setsid sleep {} & wait", scene.token);
    let terminal = json!({"ask": {"id": "t", "method": "terminal/create", "params": {"command": "sh", "args": ["-c", sleep]}}});
    let script = json!({
        "prompts": [[{"spawn": ["sleep", "600"]}, terminal, chunk("up"), {"hang": 1}]],
        "ignores_eof": true,
    });
    scene.script(&script);
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    let sleeps = || {
        processes::alive(&scene.token)
            .iter()
            .filter(|stat| stat.contains("(sleep)"))
            .count()
    };
    processes::until("all of it runs", || sleeps() == 2);
    runner.child.kill().unwrap();
    processes::none_left(&scene.token);
}
