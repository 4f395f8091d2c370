//! Tool servers, good and bad ones, as real processes below real supervisors.

// A helper of a test fails as a test does.
#![allow(clippy::unwrap_used, clippy::panic)]

mod tools_scene;

use std::{collections::BTreeSet, fs, path::PathBuf, sync::Arc, time::Duration};

use acp_agent::{
    acp,
    mcp::{self, Deadlines, Servers, limits},
    tools::{Effect, Tool, ToolOutcome},
};
use serde_json::{Value, json};
use stub_model::Outcome;
use tools_scene::{Scene, environment, is_alive, supervisor};

/// More than anything here takes; reached only by a fault.
const DEADLINE: Duration = Duration::from_secs(30);

/// A server that behaves like this. What it logs is in the file `NAME.log`.
fn server(scene: &Scene, name: &str, behaviour: &str) -> acp::McpServer {
    stdio(
        name,
        &[behaviour],
        &[("LOG", log(scene, name).to_str().unwrap())],
    )
}

fn stdio(name: &str, args: &[&str], env: &[(&str, &str)]) -> acp::McpServer {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp_server/server.py");
    let args = std::iter::once(script).chain(args.iter().copied());
    let env = env
        .iter()
        .map(|(name, value)| acp::EnvVariable::new(*name, *value));
    let server = acp::McpServerStdio::new(name, "python3")
        .args(args.map(str::to_owned).collect())
        .env(env.collect());
    acp::McpServer::Stdio(server)
}

fn log(scene: &Scene, name: &str) -> PathBuf {
    scene.top.join(format!("{name}.log"))
}

/// Waits until the server has logged this line.
async fn logged(scene: &Scene, name: &str, line: &str) {
    let path = log(scene, name);
    let there = || fs::read_to_string(&path).is_ok_and(|log| log.lines().any(|one| one == line));
    eventually(&format!("{name} logs {line}"), there).await;
}

async fn eventually(what: &str, holds: impl Fn() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, wait)
        .await
        .unwrap_or_else(|_| panic!("never: {what}"));
}

/// The processes of a server, by its log.
fn pids(scene: &Scene, name: &str) -> Vec<String> {
    let log = fs::read_to_string(log(scene, name)).unwrap();
    log.lines()
        .filter_map(|line| line.strip_prefix("pid ").map(str::to_owned))
        .collect()
}

async fn start(scene: &Scene, servers: &[acp::McpServer]) -> Servers {
    start_within(scene, servers, Deadlines::default()).await
}

async fn start_within(scene: &Scene, servers: &[acp::McpServer], deadlines: Deadlines) -> Servers {
    let (cwd, supervisor, environment) = (&scene.scope.cwd, supervisor(), environment());
    let start = Servers::start_within(servers, cwd, &supervisor, &environment, deadlines);
    tokio::time::timeout(DEADLINE, start).await.unwrap()
}

fn find(servers: &Servers, name: &str) -> Arc<dyn Tool> {
    let tools = servers.tools();
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.clone()).collect();
    let found = tools.into_iter().find(|tool| tool.spec().name == name);
    found.unwrap_or_else(|| panic!("there is no {name} among {names:?}"))
}

async fn call(scene: &Scene, servers: &Servers, name: &str, arguments: Value) -> ToolOutcome {
    let tool = find(servers, name);
    let call = scene.call_tool(&*tool, arguments);
    tokio::time::timeout(DEADLINE, call).await.unwrap()
}

#[tokio::test]
async fn a_server_that_fails_fails_alone_by_name_and_leaves_nothing() {
    let scene = Scene::new();
    let bad = ["silent", "exits", "wrong", "flood"];
    let mut list: Vec<_> = bad.iter().map(|bad| server(&scene, bad, bad)).collect();
    list.push(acp::McpServer::Stdio(acp::McpServerStdio::new(
        "absent",
        "no-such-program",
    )));
    list.push(stdio("odd", &["good"], &[("A=B", "secret")]));
    list.push(server(&scene, "good", "good"));
    // Long enough for a python on a busy machine, and waited for in full by the silent ones.
    let deadlines = Deadlines {
        start: Duration::from_secs(5),
        ..Deadlines::default()
    };
    let servers = start_within(&scene, &list, deadlines).await;
    let outcome = call(&scene, &servers, "next", json!({})).await;
    assert!(outcome.text.starts_with("1 from "), "{}", outcome.text);
    let expected = [
        ("silent", "did not answer initialize within 5 s"),
        (
            "exits",
            "exit code 3 before it had answered\nIt said on stderr:\nthe config is missing",
        ),
        ("wrong", "did not answer initialize as MCP has it"),
        ("flood", "did not answer initialize within 5 s"),
        ("absent", "No such file or directory"),
        ("odd", "the environment variable \"A=B\" cannot be set"),
    ];
    assert_eq!(servers.failures().len(), expected.len());
    for (failure, (name, words)) in servers.failures().iter().zip(expected) {
        let text = failure.to_string();
        assert_eq!(failure.server, name);
        assert!(text.contains(words), "{text}");
        assert!(text.contains(name) && !text.contains("secret"), "{text}");
    }
    for name in bad {
        for pid in pids(&scene, name) {
            assert!(!is_alive(&pid), "{name} is left as {pid}");
        }
    }
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn a_server_lives_from_call_to_call() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "chatty")]).await;
    let mut seen = BTreeSet::new();
    for number in 1..=3 {
        let outcome = call(&scene, &servers, "next", json!({})).await;
        let (count, pid) = outcome.text.split_once(" from ").unwrap();
        assert_eq!(count, number.to_string());
        seen.insert(pid.to_owned());
    }
    assert_eq!(seen.len(), 1);
    assert!(servers.close(DEADLINE).await);
    logged(&scene, "s", "eof").await;
}

#[tokio::test]
async fn the_command_line_the_folder_and_the_environment_are_as_given() {
    let scene = Scene::new();
    let args = ["good", "a b", "$HOME", "*", ""];
    let env = [("A", "1=2"), ("B", ""), ("A", "3=4")];
    let servers = start(&scene, &[stdio("s", &args, &env)]).await;
    let outcome = call(&scene, &servers, "about", json!({})).await;
    let about = outcome.structured.unwrap();
    assert_eq!(about["argv"], json!(args));
    assert_eq!(about["cwd"], json!(scene.scope.cwd));
    assert_eq!(
        (&about["env"]["A"], &about["env"]["B"]),
        (&json!("3=4"), &json!(""))
    );
    assert!(about["env"]["PATH"].is_string());
    // Nothing of the agent's own environment comes along.
    assert!(about["env"]["CARGO_MANIFEST_DIR"].is_null());
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn each_session_has_its_own_server() {
    let scene = Scene::new();
    let one = start(&scene, &[stdio("t", &["good"], &[("WHO", "1")])]).await;
    let two = start(&scene, &[stdio("t", &["good"], &[("WHO", "2")])]).await;
    let none = start(&scene, &[]).await;
    for (servers, who) in [(&one, "1"), (&two, "2")] {
        let outcome = call(&scene, servers, "about", json!({})).await;
        assert_eq!(outcome.structured.unwrap()["env"]["WHO"], json!(who));
    }
    assert!(none.tools().is_empty());
    assert!(one.close(DEADLINE).await);
    let outcome = call(&scene, &two, "echo", json!({"a": 1})).await;
    assert_eq!(outcome.text, r#"echo {"a": 1}"#);
    assert!(two.close(DEADLINE).await);
    assert!(none.close(DEADLINE).await);
}

#[tokio::test]
async fn both_shapes_of_an_error_are_failures() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "good")]).await;
    let rows = [
        ("fail", "the disk is full"),
        ("refuse", "s/refuse: no such thing (error -32602)"),
    ];
    for (tool, text) in rows {
        let outcome = call(&scene, &servers, tool, json!({})).await;
        assert_eq!(
            (outcome.outcome, outcome.text.as_str()),
            (Outcome::Failed, text)
        );
    }
    let outcome = call(&scene, &servers, "last", json!({})).await;
    assert_eq!(
        (outcome.outcome, outcome.text.as_str()),
        (Outcome::Completed, "my last words")
    );
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn a_server_that_crashes_fails_its_calls_at_once_and_no_others() {
    let scene = Scene::new();
    let list = [server(&scene, "one", "good"), server(&scene, "two", "good")];
    let servers = start(&scene, &list).await;
    for tool in ["one_crash", "one_echo"] {
        let outcome = call(&scene, &servers, tool, json!({})).await;
        assert_eq!(outcome.outcome, Outcome::Failed);
        for words in ["the tool server is gone", "exit code 42", "out of luck"] {
            assert!(outcome.text.contains(words), "{tool}: {}", outcome.text);
        }
    }
    let outcome = call(&scene, &servers, "two_echo", json!({})).await;
    assert_eq!(outcome.outcome, Outcome::Completed);
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn a_call_without_an_answer_ends_at_the_cancel() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "good")]).await;
    let prepared = find(&servers, "hang")
        .prepare(&json!({}), &scene.scope)
        .unwrap();
    let running = tokio::spawn((prepared.job)(scene.context()));
    logged(&scene, "s", "hangs").await;
    scene.cancel.cancel();
    let outcome = tokio::time::timeout(DEADLINE, running)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(outcome.outcome, Outcome::Cancelled);
    logged(&scene, "s", "cancelled").await;
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn a_call_without_an_answer_ends_at_its_deadline() {
    let scene = Scene::new();
    let deadlines = Deadlines {
        call: Duration::from_millis(300),
        ..Deadlines::default()
    };
    let servers = start_within(&scene, &[server(&scene, "s", "good")], deadlines).await;
    let outcome = call(&scene, &servers, "hang", json!({})).await;
    assert_eq!(outcome.outcome, Outcome::Failed);
    let words = "no answer within 0.3 s";
    assert!(outcome.text.contains(words), "{}", outcome.text);
    logged(&scene, "s", "cancelled").await;
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn a_line_that_is_too_long_fails_its_call_and_no_other() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "good")]).await;
    let outcome = call(&scene, &servers, "huge", json!({})).await;
    assert_eq!(outcome.outcome, Outcome::Failed);
    let words = "a line longer than 12582912 bytes";
    assert!(outcome.text.contains(words), "{}", outcome.text);
    let outcome = call(&scene, &servers, "echo", json!({})).await;
    assert_eq!(outcome.outcome, Outcome::Completed);
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn closing_leaves_nothing_of_a_stubborn_server() {
    let scene = Scene::new();
    let list = [server(&scene, "s", "stubborn"), server(&scene, "t", "good")];
    let servers = start(&scene, &list).await;
    eventually("two processes", || pids(&scene, "s").len() == 2).await;
    let pids = pids(&scene, "s");
    assert!(pids.iter().all(|pid| is_alive(pid)));
    assert!(
        servers.close(acp_agent::limits::SERVERS_END).await,
        "within the budget of a shutdown"
    );
    assert!(!pids.iter().any(|pid| is_alive(pid)));
    logged(&scene, "t", "eof").await;
    let outcome = call(&scene, &servers, "t_echo", json!({})).await;
    assert!(outcome.text.contains("it was closed"), "{}", outcome.text);
}

#[tokio::test]
async fn dropping_the_servers_ends_their_processes() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "stubborn")]).await;
    eventually("two processes", || pids(&scene, "s").len() == 2).await;
    drop(servers);
    let pids = pids(&scene, "s");
    eventually("all gone", || !pids.iter().any(|pid| is_alive(pid))).await;
}

#[tokio::test]
async fn dropping_the_start_ends_what_was_started() {
    let scene = Scene::new();
    let list = [server(&scene, "s", "silent")];
    let (cwd, supervisor, environment) = (&scene.scope.cwd, supervisor(), environment());
    let start = Servers::start(&list, cwd, &supervisor, &environment);
    let path = log(&scene, "s");
    tokio::select! {
        _ = start => panic!("a silent server cannot be ready"),
        () = eventually("it runs", || path.exists() && pids(&scene, "s").len() == 1) => {}
    }
    let pids = pids(&scene, "s");
    eventually("it is gone", || !is_alive(&pids[0])).await;
}

#[tokio::test]
async fn the_number_and_the_size_of_tools_are_bounded() {
    let scene = Scene::new();
    let list = [
        server(&scene, "many", "many"),
        server(&scene, "pages", "pages"),
        server(&scene, "large", "large"),
        server(&scene, "none", "toolless"),
    ];
    let servers = start(&scene, &list).await;
    assert!(servers.failures().is_empty());
    assert_eq!(servers.tools().len(), 2 * limits::MAX_TOOLS + 3);
    let notes = servers.notes();
    assert_eq!(notes.len(), 3);
    assert!(
        notes[0].contains("many") && notes[0].contains("512"),
        "{}",
        notes[0]
    );
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn odd_names_are_made_safe_and_the_real_ones_are_called() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "my server", "odd")]).await;
    let tools = servers.tools();
    let names: Vec<_> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
    let cut = "x".repeat(64);
    assert_eq!(names, ["a_b__", "my_server_shell", &cut, "plain"]);
    for (name, real) in [("a_b__", "a b/ç"), ("my_server_shell", "shell")] {
        let outcome = call(&scene, &servers, name, json!({})).await;
        assert_eq!(outcome.text, format!("{real} {{}}"));
    }
    let prepared = find(&servers, "my_server_shell")
        .prepare(&json!({}), &scene.scope)
        .unwrap();
    assert_eq!(prepared.grant, "mcp \"my server\" \"shell\"");
    assert_eq!(prepared.title, "my server: shell");
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn changed_tools_are_there_when_the_call_that_changed_them_ends() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "good")]).await;
    let (count, revision) = (servers.tools().len(), servers.revision());
    call(&scene, &servers, "grow", json!({})).await;
    assert_ne!(servers.revision(), revision);
    assert_eq!(servers.tools().len(), count + 1);
    let outcome = call(&scene, &servers, "grown", json!({})).await;
    assert_eq!(outcome.text, "grown {}");
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn what_a_tool_says_of_itself_quiets_a_question_at_most() {
    let scene = Scene::new();
    let servers = start(&scene, &[server(&scene, "s", "good")]).await;
    let rows = [
        ("look", Effect::ForeignRead),
        ("change", Effect::Foreign),
        ("echo", Effect::Foreign),
        ("create_plan", Effect::Plan),
        // The built-in tool of that name keeps it.
        ("s_update_plan", Effect::Plan),
    ];
    for (tool, effect) in rows {
        let tool = find(&servers, tool);
        let prepared = tool.prepare(&Value::Null, &scene.scope).unwrap();
        assert_eq!(prepared.effect, effect, "{}", tool.spec().name);
        let error = tool
            .prepare(&json!([]), &scene.scope)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("must be an object"), "{error}");
    }
    assert!(servers.close(DEADLINE).await);
}

#[tokio::test]
async fn what_was_not_advertised_is_refused_by_name() {
    let scene = Scene::new();
    let sse = acp::McpServer::Sse(acp::McpServerSse::new("web", "https://example.com"));
    assert!(mcp::unsupported(&sse).unwrap().contains("web"));
    assert!(mcp::unsupported(&server(&scene, "s", "good")).is_none());
    let absent = acp::McpServer::Stdio(acp::McpServerStdio::new("absent", "no-such-program"));
    let mut list = vec![absent; limits::MAX_SERVERS];
    list.push(server(&scene, "surplus", "good"));
    list.push(sse);
    let servers = start(&scene, &list).await;
    let failures: Vec<_> = servers.failures().iter().map(ToString::to_string).collect();
    assert!(failures[limits::MAX_SERVERS].contains("can have 32 tool servers"));
    assert!(failures[1].contains("absent (2)"), "{}", failures[1]);
    assert!(!log(&scene, "surplus").exists());
}
