//! What is known to go wrong in programs that stand between a host and an agent, by public reports:
//!
//! - a003: <https://github.com/agentclientprotocol/codex-acp/pull/359>
//! - a005: <https://github.com/carlos-algms/agentic.nvim/pull/243>
//! - a034: <https://github.com/felinics/Memoh/issues/974>
//! - a035: <https://github.com/compozy/compozy/issues/522>
//! - a036: <https://github.com/apache/maka/pull/4862>
//! - a062: <https://github.com/shindgew/agy-acp/issues/136>
//! - a069: <https://github.com/olimorris/codecompanion.nvim/issues/3100>
//! - a091: <https://github.com/agentclientprotocol/claude-agent-acp/issues/796>
//! - a095: <https://github.com/openclaw/openclaw/pull/36286>

use std::fs;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};

use crate::support::{Scene, call, chunk, permission, processes, prompts, runner::Runner};

const AGENT: &str = env!("CARGO_BIN_EXE_scripted-acp-agent");

/// The pid of the agent, of each of its runs.
fn pids(scene: &Scene) -> Vec<i32> {
    let received = scene.received();
    let pids = received.iter().filter_map(|line| line["pid"].as_i64());
    pids.map(|pid| i32::try_from(pid).unwrap()).collect()
}

#[test]
fn a003_an_agent_that_is_killed_in_a_turn_ends_the_turn() {
    let scene = Scene::new(&prompts(json!([[chunk("a"), {"hang": 1}]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    kill(Pid::from_raw(pids(&scene)[0]), Signal::SIGKILL).unwrap();
    let ended = runner.ended();
    assert_eq!(ended.status.code(), Some(1));
    let end = ended.of_type("turn_end")[0];
    assert_eq!(end["is_error"], true);
    let result = end["result"].as_str().unwrap();
    assert!(result.contains("signal SIGKILL"), "{result}");
}

#[test]
fn a005_a_shim_that_forwards_nothing_leaves_nothing() {
    let sleep = |token: &str| json!(["sleep", token]);
    type End<'a> = &'a dyn Fn(&mut Runner);
    let table: [End; 3] = [
        &|runner| runner.signal(Signal::SIGTERM),
        &|runner| runner.close_input(),
        &|runner| runner.send(json!({"type": "shutdown"})),
    ];
    for end in table {
        // The shell waits for its child, and neither forwards signals nor replaces itself.
        let scene =
            Scene::new(&json!({})).env("COLONIZER_ACP_COMMAND", format!("sh -c \"{AGENT}; true\""));
        let terminal = json!({"command": "sleep", "args": [scene.token]});
        scene.script(&json!({
            "prompts": [[
                {"spawn": sleep(&scene.token)},
                call("t", "terminal/create", terminal),
                chunk("up"),
                {"hang": 1},
            ]],
            "ignores_sigterm": true,
            "ignores_eof": true,
        }));
        let mut runner = scene.start();
        runner.say("1", "x");
        runner.until_type("assistant_text_delta");
        processes::until("all of it runs", || {
            let alive = processes::alive(&scene.token);
            let named = |name: &str| alive.iter().filter(|stat| stat.contains(name)).count();
            named("(sh)") == 1 && named("(scripted-acp-ag") == 1 && named("(sleep)") == 2
        });
        end(&mut runner);
        // Which looks for what is left.
        runner.ended_well();
    }
}

#[test]
fn a034_a_stop_ends_the_turn_and_not_the_agent() {
    let scene = Scene::new(&prompts(json!([
        [chunk("remembered")],
        [chunk("working"), {"wait_cancel": 1}, {"stop": "cancelled"}],
        [chunk("42")],
    ])));
    let mut runner = scene.start();
    runner.turn("remember K=42");
    runner.say("2", "run sleep 60");
    runner.until(|event| event["delta"] == "working");
    runner.interrupt();
    let end = runner.until_type("turn_end");
    assert_eq!(end["result"], "interrupted by the user");
    runner.until_state("idle");
    assert_eq!(runner.turn("what is K")["result"], "42");
    runner.shut_down();
    assert_eq!(pids(&scene).len(), 1);
    let methods = scene.methods();
    let count = |name: &str| methods.iter().filter(|method| *method == name).count();
    assert_eq!(count("session/cancel"), 1);
    assert_eq!(count("initialize") + count("session/new"), 2);
    for line in scene.received() {
        let session = &line["params"]["sessionId"];
        assert!(session.is_null() || session == "s-1", "{line}");
    }
}

#[test]
fn a035_a_stop_that_comes_late_does_not_hit_the_next_prompt() {
    let scene = Scene::new(&prompts(json!([[chunk("MARK11")]])));
    let mut runner = scene.start();
    for round in 0..30 {
        runner.say(&format!("a{round}"), "A");
        // The agent answers right behind this: the stop comes just before or just behind that.
        runner.until_type("assistant_text_delta");
        let stop = json!({"type": "interrupt"});
        let next = json!({"type": "user_message", "id": format!("b{round}"), "text": "B"});
        runner.bytes(format!("{stop}\n{next}\n").as_bytes());
        for _ in ["A", "B"] {
            let end = runner.until_type("turn_end");
            assert_eq!(
                (&end["is_error"], &end["result"]),
                (&json!(false), &json!("MARK11"))
            );
        }
    }
    runner.shut_down();
    // Each stop stands before the prompt of B: an agent that drops stops while idle loses nothing.
    let words = scene.received();
    let mut stops = 0;
    let mut prompts = 0;
    for line in &words {
        match line["method"].as_str() {
            Some("session/cancel") => {
                assert_eq!(prompts % 2, 1, "a stop behind the prompt of B");
                stops += 1;
            }
            Some("session/prompt") => prompts += 1,
            _ => {}
        }
    }
    assert_eq!((stops, prompts), (30, 60));
}

#[test]
fn a035_a_stop_behind_the_next_prompt_hits_it() {
    let b = json!([chunk("b"), {"wait_cancel": 1}, {"stop": "cancelled"}]);
    let scene = Scene::new(&prompts(json!([[chunk("a")], b])));
    let mut runner = scene.start();
    runner.turn("A");
    let next = json!({"type": "user_message", "id": "b", "text": "B"});
    let stop = json!({"type": "interrupt"});
    runner.bytes(format!("{next}\n{stop}\n").as_bytes());
    let end = runner.until_type("turn_end");
    assert_eq!(end["result"], "interrupted by the user");
    runner.shut_down();
}

/// The contract wants an agent that ignores a stop to live: so it is told, and everything else goes
/// on. What it says is still the turn's, and nothing of it gets into the next.
#[test]
fn a036_an_agent_that_goes_on_after_a_stop_is_told_and_held_apart() {
    let scene = Scene::new(&json!({})).env("ACP_RUNNER_HEED_MS", "200");
    let gate = scene.at("gate");
    scene.script(&prompts(json!([
        [chunk("a"), {"wait_cancel": 1}, chunk("still"), {"wait_file": gate}, chunk("late")],
        [chunk("b")],
    ])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    runner.interrupt();
    runner.until(|event| event["delta"] == "still");
    let warning = runner.until_type("log")["message"].to_string();
    assert!(warning.contains("has not stopped"), "{warning}");
    runner.say("2", "y");
    runner.until(|event| event["type"] == "user_message" && event["id"] == "2");
    fs::write(gate, "").unwrap();
    assert_eq!(runner.until_type("turn_end")["result"], "astilllate");
    assert_eq!(runner.until_type("turn_end")["result"], "b");
    runner.shut_down();
}

#[test]
fn a062_mcp_servers_reach_the_agent_or_it_says_that_it_takes_none() {
    let with_memory = |script: &Value| {
        let scene = Scene::new(script);
        fs::create_dir(scene.at("memory")).unwrap();
        let memory = scene.at("memory").display().to_string();
        scene.env("COLONIZER_MEMORY_DIR", memory)
    };
    let scene = with_memory(&json!({}));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    let new = scene.received();
    let new = new.iter().find(|line| line["method"] == "session/new");
    let server = &new.unwrap()["params"]["mcpServers"][0];
    for member in ["name", "command", "args", "env"] {
        assert!(server.get(member).is_some(), "{server}");
    }
    let refusal = json!({"error": {"code": -32602, "message": "mcpServers: none are supported"}});
    let scene = with_memory(&json!({"answers": {"session/new": refusal}}));
    let ended = scene.start().ended();
    assert_eq!(ended.status.code(), Some(1));
    let message = "the ACP handshake failed: mcpServers: none are supported";
    assert_eq!(ended.log("error"), [format!("ACP_AGENT_FAILED: {message}")]);
}

#[test]
fn a069_a_refusal_does_not_end_the_turn() {
    let edit = |id: &str| permission(id, "edit", &format!("Edit {id}"));
    let update = |id: &str, status: &str| json!({"update": {"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status}});
    let steps = json!([[
        edit("one"),
        update("one", "failed"),
        edit("two"),
        update("two", "completed"),
        chunk("done"),
    ]]);
    let scene = Scene::new(&prompts(steps));
    let mut runner = scene.start();
    runner.say("1", "x");
    for label in ["Reject", "Allow"] {
        let question = runner.until_type("question");
        runner.answer(&question, label);
    }
    let end = runner.until_type("turn_end");
    assert_eq!(
        (&end["is_error"], &end["result"]),
        (&json!(false), &json!("done"))
    );
    let ended = runner.shut_down();
    let failed: Vec<&Value> = ended
        .of_type("tool_result")
        .iter()
        .map(|result| &result["is_error"])
        .collect();
    assert_eq!(failed, [&json!(true), &json!(false)]);
    for (id, option) in [("one", "reject"), ("two", "allow")] {
        let outcome = json!({"outcome": "selected", "optionId": option});
        assert_eq!(scene.answer(id)["result"]["outcome"], outcome);
    }
    assert!(!scene.methods().contains(&"session/cancel".to_owned()));
}

#[test]
fn a091_what_streamed_and_comes_again_as_a_whole_is_shown_once() {
    let piece = |text: &str, id: Value| {
        let content = json!({"type": "text", "text": text});
        json!({"update": {
            "sessionUpdate": "agent_message_chunk", "content": content, "messageId": id,
        }})
    };
    let none = Value::Null;
    let scene = Scene::new(&prompts(json!([
        [
            piece("Hel", none.clone()),
            piece("lo", none.clone()),
            piece("Hello", json!("m1"))
        ],
        [piece("ok", none.clone()), piece("ok", none)],
        [piece("ok", json!("m2")), piece("ok", json!("m3"))],
    ])));
    let mut runner = scene.start();
    for expected in ["Hello", "okok", "okok"] {
        assert_eq!(runner.turn("x")["result"], expected);
    }
    let ended = runner.shut_down();
    let deltas: Vec<&str> = ended
        .of_type("assistant_text_delta")
        .iter()
        .map(|delta| delta["delta"].as_str().unwrap())
        .collect();
    assert_eq!(deltas, ["Hel", "lo", "ok", "ok", "ok", "ok"]);
}

#[test]
fn a095_what_the_agent_gets_of_the_environment_can_be_named() {
    for is_named in [true, false] {
        let scene = Scene::new(&json!({}));
        let dump = scene.at("env");
        let command = format!("sh -c \"env > {}; exec {AGENT}\"", dump.display());
        let terminal = json!({"command": "env"});
        scene.script(&prompts(json!([[
            call("t", "terminal/create", terminal),
            call(
                "w",
                "terminal/wait_for_exit",
                json!({"terminalId": "term-1"})
            ),
            call("o", "terminal/output", json!({"terminalId": "term-1"})),
        ]])));
        let names = "ACP_TEST SCRIPT,RECORD, INNER_KEY";
        let scene = scene
            .env("COLONIZER_ACP_COMMAND", command)
            .env("COLONIZER_ACP_ENV", if is_named { names } else { " " })
            .env("COLONIZER_LOOP", "true")
            .env("LANG", "C.UTF-8")
            .env("INNER_KEY", "inner-value")
            .env("OUTER_SECRET_KEY", "outer-secret-value");
        let mut runner = scene.start();
        runner.turn("x");
        let ended = runner.shut_down();
        let of_agent = fs::read_to_string(dump).unwrap();
        let of_terminal = scene.answer("o")["result"]["output"]
            .as_str()
            .unwrap()
            .to_owned();
        for variables in [&of_agent, &of_terminal] {
            let has = |start: &str| variables.lines().any(|line| line.starts_with(start));
            assert!(
                has("PATH=") && has("HOME=") && has("LANG=C.UTF-8"),
                "{variables}"
            );
            assert!(has("INNER_KEY=inner-value"), "{variables}");
            // Without names the contract holds: the colony's environment is the agent's.
            assert_eq!(has("OUTER_SECRET_KEY="), !is_named, "{variables}");
            // That is between the runner and its own side server.
            assert!(!has("COLONIZER_BRIDGE_TOKEN="), "{variables}");
        }
        assert!(!ended.stderr.contains("-value"), "{}", ended.stderr);
        let shown = serde_json::to_string(&ended.events).unwrap();
        assert!(!shown.contains("-value"), "{shown}");
        assert_eq!(scene.received()[0]["argv"], json!([]));
    }
}
