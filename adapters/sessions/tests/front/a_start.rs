//! Cases 1 to 10: the start and the command line.

use serde_json::json;

use crate::support::{Reply, Route, Scene, fake::workspace};

const AT: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn case_01_initialize_needs_no_daemon() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let mut front = scene.front(&[]);
    let answer = front.initialize();
    assert_eq!(answer["protocolVersion"], 1);
    assert_eq!(answer["authMethods"].as_array().map_or(0, Vec::len), 0);
    assert_eq!(answer["agentCapabilities"]["loadSession"], false);
    let newer = front.call("initialize", json!({"protocolVersion": 9}));
    assert_eq!(newer["protocolVersion"], 1);
    let ended = front.end();
    ended.assert_status(0);
    assert_eq!(ended.stderr, "");
    assert!(!scene.has_endpoint(), "a daemon was started");
}

#[test]
fn case_02_a_workspace_must_be_named() {
    let scene = Scene::new();
    scene.store(&["alpha"]);
    let ended = scene.program(&["acp"]).end();
    ended.assert_status(1);
    ended.assert_says(&[
        "acp",
        "--workspace",
        "alpha (0 sessions)",
        "workspaces create",
    ]);
    assert!(ended.said.is_empty());
    assert!(!scene.has_endpoint());
}

#[test]
fn case_03_an_unknown_workspace_is_refused_without_a_daemon() {
    let scene = Scene::new();
    scene.store(&["alpha"]);
    let ended = scene.program(&["acp", "--workspace", "nosuch"]).end();
    ended.assert_status(1);
    ended.assert_says(&["unknown workspace \"nosuch\"", "alpha", "workspaces create"]);
    assert!(ended.said.is_empty());
    assert!(!scene.has_endpoint());
}

#[test]
fn case_04_an_unknown_workspace_is_refused_by_the_list_of_a_daemon_that_runs() {
    let scene = Scene::new();
    // What the store says does not count while a daemon runs.
    scene.store(&["nosuch"]);
    let fake = scene.fake();
    let ended = scene.program(&["acp", "--workspace", "nosuch"]).end();
    ended.assert_status(1);
    ended.assert_says(&["unknown workspace \"nosuch\"", "editor"]);
    assert!(ended.said.is_empty());
    assert_eq!(fake.count(Route::Create), 0);
}

#[test]
fn case_05_without_a_store_there_is_no_workspace_yet() {
    let scene = Scene::new();
    let ended = scene.program(&["acp", "--workspace", "nosuch"]).end();
    ended.assert_status(1);
    ended.assert_says(&["there is no workspace yet", "workspaces create"]);
    assert!(!scene.has_endpoint());
}

#[test]
fn case_06_blanks_and_letter_case_of_a_name_do_not_matter() {
    let scene = Scene::new();
    scene.store(&["Release"]);
    let mut front = scene.program(&["acp", "--workspace", " release "]);
    front.initialize();
    front.end().assert_status(0);
}

#[test]
fn case_07_at_needs_a_bundle() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let ended = scene.front(&["--at", AT]).end();
    ended.assert_status(2);
    ended.assert_says(&["--bundle"]);
    let mut front = scene.front(&["--at", AT, "--bundle", "b"]);
    front.initialize();
    front.end().assert_status(0);
}

#[test]
fn case_08_an_unknown_policy_is_bad_usage() {
    let scene = Scene::new();
    let ended = scene.front(&["--on-exit", "explode"]).end();
    ended.assert_status(2);
    ended.assert_says(&["keep", "suspend", "destroy"]);
}

#[test]
fn case_09_the_workspace_stands_before_or_after_and_the_later_one_wins() {
    let scene = Scene::new();
    scene.store(&["one", "two"]);
    for (args, status) in [
        (&["--workspace", "one", "acp"][..], 0),
        (&["acp", "--workspace", "one"], 0),
        (&["--workspace", "nosuch", "acp", "--workspace", "two"], 0),
        (&["--workspace", "two", "acp", "--workspace", "nosuch"], 1),
    ] {
        let ended = scene.program(args).end();
        assert_eq!(
            ended.status.code(),
            Some(status),
            "{args:?}: {}",
            ended.stderr
        );
    }
}

#[test]
fn case_10_the_request_carries_the_id_of_the_workspace() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.with(|state| state.workspaces.push(workspace("release")));
    let mut front = scene.program(&["acp", "--workspace", "RELEASE"]);
    front.session();
    assert_eq!(
        fake.last(Route::Create).body["workspace_id"],
        "id-of-release"
    );
    front.end().assert_status(0);
}

#[test]
fn a_name_passes_when_nobody_can_say_which_there_are() {
    let scene = Scene::new();
    std::fs::write(scene.data().join("store.sqlite"), "this is no store").unwrap();
    let mut front = scene.front(&[]);
    front.initialize();
    front.end().assert_status(0);
    let ended = scene.program(&["acp"]).end();
    ended.assert_status(1);
    ended.assert_says(&["--workspace", "cannot be read"]);
}

#[test]
fn methods_that_there_are_not_and_lines_that_are_none() {
    let scene = Scene::new();
    scene.store(&["editor"]);
    let mut front = scene.front(&[]);
    for method in [
        "authenticate",
        "session/load",
        "session/list",
        "session/set_mode",
        "_own",
    ] {
        let id = front.request(method, json!({}));
        let error = front.answer(id)["error"].clone();
        assert_eq!(error["code"], -32601, "{error}");
        assert_eq!(error["data"], method);
    }
    front.notify("_unknown", json!({}));
    front.write("{not json");
    let error = front.answer_to(&json!(null))["error"].clone();
    assert_eq!(error["code"], -32700);
    for params in [
        json!({}),
        json!({"cwd": "relative", "mcpServers": []}),
        json!({"cwd": 7}),
    ] {
        let id = front.request("session/new", params.clone());
        assert_eq!(front.answer(id)["error"]["code"], -32602, "{params}");
    }
    front.initialize();
    front.end().assert_status(0);
}

#[test]
fn stdout_that_is_gone_is_a_failure() {
    let scene = Scene::new();
    let fake = scene.fake();
    fake.script(Route::Create, [Reply::Gate("never")]);
    let mut command = scene.command(["acp", "--workspace", "editor"]);
    command.stdin(std::process::Stdio::piped());
    let (reader, writer) = std::io::pipe().unwrap();
    command.stdout(writer).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(command);
    drop(reader);
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": 1}});
    use std::io::Write;
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
    // The input stays open: the front ends because nobody hears it.
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("serving the client failed"), "{stderr}");
}
