//! F: terminals.

use serde_json::{Value, json};

use crate::support::{Scene, call, chunk, processes, prompts};

fn create(id: &str, script: &str) -> Value {
    create_with(id, json!({"command": "sh", "args": ["-c", script]}))
}

fn create_with(id: &str, params: Value) -> Value {
    call(id, "terminal/create", params)
}

fn on(id: &str, what: &str, terminal: &str) -> Value {
    call(
        id,
        &format!("terminal/{what}"),
        json!({"terminalId": terminal}),
    )
}

/// One turn with these steps.
fn run(steps: Value) -> Scene {
    let scene = Scene::new(&prompts(json!([steps])));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    scene
}

fn result(scene: &Scene, id: &str) -> Value {
    scene.answer(id)["result"].clone()
}

#[test]
fn f01_f07_a_command_and_its_end() {
    let steps = json!([
        create("c", "printf 'hello '; printf terminal >&2"),
        {"request": {"id": "w2", "method": "terminal/wait_for_exit", "params": {"terminalId": "term-1"}}},
        on("w", "wait_for_exit", "term-1"),
        on("o", "output", "term-1"),
        {"wait_answers": 4},
    ]);
    let scene = run(steps);
    assert_eq!(result(&scene, "c"), json!({"terminalId": "term-1"}));
    let exit = json!({"exitCode": 0, "signal": null});
    assert_eq!(
        (result(&scene, "w"), result(&scene, "w2")),
        (exit.clone(), exit.clone())
    );
    let output = json!({"output": "hello terminal", "truncated": false, "exitStatus": exit});
    assert_eq!(result(&scene, "o"), output);
}

#[test]
fn f02_f08_the_end_of_the_output_is_kept() {
    let scene = run(json!([
        create_with(
            "c",
            json!({"command": "printf", "args": ["abcdefgh"], "outputByteLimit": 4})
        ),
        on("w", "wait_for_exit", "term-1"),
        on("o", "output", "term-1"),
        create_with(
            "c2",
            json!({"command": "printf", "args": ["a😀😀"], "outputByteLimit": 6})
        ),
        on("w2", "wait_for_exit", "term-2"),
        on("o2", "output", "term-2"),
    ]));
    let output = result(&scene, "o");
    assert_eq!(
        (&output["output"], &output["truncated"]),
        (&json!("efgh"), &json!(true))
    );
    assert_eq!(result(&scene, "o2")["output"], "😀");
}

#[test]
fn f03_f12_folder_and_environment() {
    let scene = Scene::new(&json!({}));
    std::fs::create_dir(scene.at("ws/sub")).unwrap();
    let pwd = |cwd: &Value| {
        json!({"command": "sh", "args": ["-c", "pwd; echo $ADDED"], "cwd": cwd,
        "env": [{"name": "ADDED", "value": "yes"}, {"value": "no name"}, {"name": "A=B", "value": ""}]})
    };
    let sub = json!(scene.workspace().join("sub"));
    scene.script(&prompts(json!([[
        create_with("c1", pwd(&Value::Null)),
        on("w1", "wait_for_exit", "term-1"),
        on("o1", "output", "term-1"),
        create_with("c2", pwd(&sub)),
        on("w2", "wait_for_exit", "term-2"),
        on("o2", "output", "term-2"),
        create_with("c3", pwd(&json!("/etc"))),
    ]])));
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    let ws = scene.workspace();
    assert_eq!(
        result(&scene, "o1")["output"],
        format!("{}\nyes\n", ws.display())
    );
    assert_eq!(
        result(&scene, "o2")["output"],
        format!("{}/sub\nyes\n", ws.display())
    );
    let refused = scene.answer("c3");
    assert_eq!(refused["error"]["code"], -32602);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("is outside the workspace")
    );
}

#[test]
fn f04_f05_what_cannot_be_served() {
    let scene = run(json!([
        on("n", "output", "term-9"),
        create_with("c", json!({"command": "/no/such/program"})),
        on("w", "wait_for_exit", "term-1"),
        on("o", "output", "term-1"),
        create_with("e", json!({"command": ""})),
    ]));
    assert_eq!(
        scene.answer("n")["error"]["message"],
        "no terminal with id \"term-9\""
    );
    assert_eq!(
        result(&scene, "w"),
        json!({"exitCode": null, "signal": null})
    );
    let output = result(&scene, "o")["output"].clone();
    assert!(
        output
            .as_str()
            .unwrap()
            .starts_with("could not run \"/no/such/program\": "),
        "{output}"
    );
    assert_eq!(scene.answer("e")["error"]["code"], -32602);
}

#[test]
fn f06_kill_and_release() {
    let scene = run(json!([
        create("c", "echo up; exec sleep 600"),
        on("k", "kill", "term-1"),
        on("w", "wait_for_exit", "term-1"),
        on("o", "output", "term-1"),
        on("r", "release", "term-1"),
        on("o2", "output", "term-1"),
    ]));
    assert_eq!(result(&scene, "k"), json!({}));
    assert_eq!(
        result(&scene, "w"),
        json!({"exitCode": null, "signal": "SIGTERM"})
    );
    assert_eq!(result(&scene, "o")["exitStatus"]["signal"], "SIGTERM");
    assert_eq!(result(&scene, "r"), json!({}));
    assert_eq!(scene.answer("o2")["error"]["code"], -32602);
}

#[test]
fn f09_a_long_output_costs_no_memory() {
    // Bounded by the limit: the runner's memory is looked at while the output is there.
    let scene = Scene::new(&json!({}));
    let gate = scene.at("gate");
    scene.script(&prompts(json!([[
        create("c", "head -c 200000000 /dev/zero | tr '\\0' x"),
        on("w", "wait_for_exit", "term-1"),
        chunk("ready"),
        {"wait_file": gate},
    ]])));
    let mut runner = scene.start();
    runner.say("1", "x");
    runner.until_type("assistant_text_delta");
    let status = std::fs::read_to_string(format!("/proc/{}/status", runner.child.id())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 60_000, "{peak} kB");
    std::fs::write(gate, "").unwrap();
    runner.until_type("turn_end");
    runner.shut_down();
}

#[test]
fn f10_what_is_left_in_the_background_delays_nothing() {
    let scene = Scene::new(&json!({}));
    let left = format!(
        "(trap '' TERM; sleep {0}; sleep {0}) & echo started",
        scene.token
    );
    scene.script(&prompts(json!([[
        create("c", &left),
        on("w", "wait_for_exit", "term-1"),
        chunk("waited"),
    ]])));
    let mut runner = scene.start();
    let end = runner.turn("x");
    // It ignores SIGTERM for two seconds; the status came before that.
    assert!(end["duration_ms"].as_u64().unwrap() < 1_900, "{end}");
    runner.shut_down();
    assert_eq!(result(&scene, "w")["exitCode"], 0);
}

#[test]
fn f10_f11_terminals_end_with_the_runner() {
    let scene = Scene::new(&json!({}));
    let stubborn = format!(
        "trap '' TERM; setsid sleep {0} & sleep {0}; sleep {0}",
        scene.token
    );
    scene.script(&prompts(json!([[create("c", &stubborn), chunk("up")]])));
    let mut runner = scene.start();
    runner.turn("x");
    let sleeps = || {
        processes::alive(&scene.token)
            .iter()
            .filter(|stat| stat.contains("(sleep)"))
            .count()
    };
    processes::until("it runs", || sleeps() == 2);
    let begin = std::time::Instant::now();
    // Also looks that no process is left.
    runner.shut_down();
    assert!(begin.elapsed().as_secs() < 10);
}
