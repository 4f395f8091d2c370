//! E: the agent's requests for files, and the reports about paths.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::support::{Scene, call, prompts, runner::Ended};

/// Asks all of this in one turn: the answers, in order.
fn ask(scene: &Scene, requests: &[(&str, Value)]) -> (Vec<Value>, Ended) {
    ask_in(scene, &scene.at("ws"), requests)
}

fn ask_in(scene: &Scene, workspace: &Path, requests: &[(&str, Value)]) -> (Vec<Value>, Ended) {
    let numbered = requests.iter().enumerate();
    let steps: Vec<Value> = numbered
        .map(|(id, (method, params))| call(format!("r{id}"), method, params.clone()))
        .collect();
    scene.script(&prompts(json!([steps])));
    let mut runner = scene.start_in(workspace);
    runner.turn("x");
    let ended = runner.shut_down();
    let answers = (0..requests.len()).map(|id| scene.answer(format!("r{id}")));
    (answers.collect(), ended)
}

const READ: &str = "fs/read_text_file";
const WRITE: &str = "fs/write_text_file";

fn read(path: impl Into<PathBuf>) -> (&'static str, Value) {
    (READ, json!({"path": path.into()}))
}

fn write(path: impl Into<PathBuf>) -> (&'static str, Value) {
    (WRITE, json!({"path": path.into(), "content": "new"}))
}

fn assert_refused(answer: &Value) {
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("refused: ") && message.contains("is outside the workspace"),
        "{message}"
    );
}

#[test]
fn e01_e10_reading_and_writing() {
    let scene = Scene::new(&json!({}));
    fs::write(scene.at("ws/f"), "l1\nl2\nl3").unwrap();
    fs::write(scene.at("ws/latin"), b"a\xffb").unwrap();
    let part =
        |line: Value, limit: Value| (READ, json!({"path": "f", "line": line, "limit": limit}));
    let (answers, _) = ask(
        &scene,
        &[
            read("f"),
            part(json!(2), json!(1)),
            read(scene.workspace().join("latin")),
            part(json!(1), json!(0)),
            part(json!(9), Value::Null),
            part(json!(0), Value::Null),
            part(json!("x"), json!(-1)),
            part(json!(2), json!(9)),
            write("f2"),
            write("new/deep/f"),
            (WRITE, json!({"path": "empty"})),
            write("f"),
        ],
    );
    let contents: Vec<&Value> = answers[..8]
        .iter()
        .map(|answer| &answer["result"]["content"])
        .collect();
    let all = "l1\nl2\nl3";
    assert_eq!(
        contents,
        [all, "l2", "a\u{fffd}b", "", "", all, all, "l2\nl3"]
    );
    for answer in &answers[8..] {
        assert_eq!(answer["result"], json!({}));
    }
    let content = |name: &str| fs::read_to_string(scene.at("ws").join(name)).unwrap();
    assert_eq!(content("f2"), "new");
    assert_eq!(content("new/deep/f"), "new");
    assert_eq!(content("empty"), "");
    // The old content was longer.
    assert_eq!(content("f"), "new");
}

#[test]
fn e02_e03_e04_what_leads_out_is_refused() {
    let scene = Scene::new(&json!({}));
    let ws = scene.at("ws");
    fs::create_dir_all(scene.at("out")).unwrap();
    fs::write(scene.at("out/secret"), "secret").unwrap();
    fs::create_dir(ws.join("sub")).unwrap();
    symlink("../out/secret", ws.join("link")).unwrap();
    symlink("../out/missing", ws.join("dangling")).unwrap();
    symlink(scene.at("out/missing"), ws.join("dangling-absolute")).unwrap();
    symlink("../nowhere/missing", ws.join("dangling-folder")).unwrap();
    symlink("../../out/missing", ws.join("sub/dangling")).unwrap();
    symlink("dangling", ws.join("chain")).unwrap();
    symlink("loop", ws.join("loop")).unwrap();
    symlink("sub", ws.join("l0")).unwrap();
    for number in 1..=41 {
        symlink(format!("l{}", number - 1), ws.join(format!("l{number}"))).unwrap();
    }
    let paths = [
        "../outside",
        "/etc/hostname",
        "link",
        "dangling",
        "dangling-absolute",
        "dangling-folder",
        "sub/dangling",
        "chain",
        "loop",
        "loop/x",
        "l41",
    ];
    let requests: Vec<_> = paths
        .iter()
        .flat_map(|path| [read(*path), write(*path)])
        .collect();
    let (answers, _) = ask(&scene, &requests);
    answers.iter().for_each(assert_refused);
    assert!(!scene.at("outside").exists() && !scene.at("nowhere").exists());
    let left: Vec<_> = fs::read_dir(scene.at("out")).unwrap().flatten().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(
        fs::read_to_string(scene.at("out/secret")).unwrap(),
        "secret"
    );
}

#[test]
fn e05_e06_e07_links_that_stay_inside() {
    let scene = Scene::new(&json!({}));
    fs::create_dir(scene.at("ws/a")).unwrap();
    fs::write(scene.at("ws/c"), "c").unwrap();
    symlink("a/new", scene.at("ws/dangling")).unwrap();
    symlink("ws", scene.at("alias")).unwrap();
    let (answers, _) = ask_in(
        &scene,
        &scene.at("alias"),
        &[
            write("dangling"),
            read("a/../c"),
            read(scene.at("alias/c")),
            read("."),
        ],
    );
    assert_eq!(fs::read_to_string(scene.at("ws/a/new")).unwrap(), "new");
    assert_eq!(answers[1]["result"]["content"], "c");
    assert_eq!(answers[2]["result"]["content"], "c");
    let message = answers[3]["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("could not read \".\""), "{message}");
}

#[test]
fn e08_e09_what_cannot_be_read() {
    let scene = Scene::new(&json!({}));
    let sized = |name: &str, size: u64| {
        let file = fs::File::create(scene.at("ws").join(name)).unwrap();
        file.set_len(size).unwrap();
    };
    sized("at-the-cap", 16 * 1024 * 1024);
    sized("over", 17 * 1024 * 1024);
    fs::create_dir(scene.at("ws/folder")).unwrap();
    nix::unistd::mkfifo(&scene.at("ws/pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let (answers, _) = ask(
        &scene,
        &[
            read("over"),
            (READ, json!({"path": "at-the-cap", "limit": 0})),
            read("missing"),
            read("folder"),
            read("pipe"),
            write("pipe"),
            write("folder"),
        ],
    );
    assert_eq!(
        answers[0]["error"]["message"],
        "refused: \"over\" is 17825792 bytes, over the 16 MiB read cap"
    );
    assert_eq!(answers[1]["result"]["content"], "");
    for answer in &answers[2..5] {
        assert_eq!(answer["error"]["code"], -32602);
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .starts_with("could not read "),
            "{answer}"
        );
    }
    for answer in &answers[5..] {
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .starts_with("could not write "),
            "{answer}"
        );
    }
}

#[test]
fn e11_methods_that_do_not_exist() {
    let scene = Scene::new(&json!({}));
    let (answers, _) = ask(
        &scene,
        &[("terminal/nope", json!({})), ("fs/nope", json!({}))],
    );
    for (answer, method) in answers.iter().zip(["terminal/nope", "fs/nope"]) {
        assert_eq!(answer["error"]["code"], -32601);
        assert_eq!(
            answer["error"]["message"],
            format!("method not found: {method}")
        );
    }
}

#[test]
fn e13_e14_touched_paths_are_reported_once() {
    let scene = Scene::new(&json!({}));
    fs::create_dir(scene.at("ws/.git")).unwrap();
    fs::write(scene.at("ws/.git/config"), "c").unwrap();
    fs::write(scene.at("ws/.env"), "e").unwrap();
    fs::write(scene.at("ws/.envrc"), "r").unwrap();
    symlink(".env", scene.at("ws/x")).unwrap();
    fs::write(scene.at("policy"), "mask-file .env\nprotect .git/config\n").unwrap();
    let policy = scene.at("policy").display().to_string();
    let scene = scene.env("COLONIZER_PATH_POLICY", policy);
    let (answers, ended) = ask(
        &scene,
        &[
            read("x"),
            read(".env"),
            read(".git/config"),
            write(".git/config"),
            read(".envrc"),
        ],
    );
    let report = |access: &str, policy: &str, path: &str, tool: &str| json!({"type": "path_policy", "access": access, "policy": policy, "path": path, "tool": tool});
    let expected = [
        report("read", "masked", ".env", READ),
        report("write", "protected", ".git/config", WRITE),
    ];
    let reports: Vec<Value> = ended.of_type("path_policy").into_iter().cloned().collect();
    assert_eq!(reports, expected);
    assert_eq!(answers[1]["result"]["content"], "e");
    assert_eq!(answers[3]["result"], json!({}));
}
