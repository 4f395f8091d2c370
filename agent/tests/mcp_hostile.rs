//! Tool servers that misbehave, each in one way (`mcp-tools`, `hostile-mcp --list`), as a client
//! and its user meet them.
//!
//! What holds for all of them: the session is made at once; the user sees what is wrong, by the name
//! of the server; a healthy server of the same session and a prompt without tools work as ever; and
//! when the input is closed the agent ends cleanly and no process is left.
//!
//! Cases of the kind "MCP" in public reports are named by their number, `A056` to `A063`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod hostile_scene;
mod support;

use acp_agent::mcp::limits;
use futures::{StreamExt, stream};
use hostile_scene::{Scene, alive, call, client, done, mark, server, turn};
use serde_json::{Value, json};
use support::script::Do;

/// After the fault: the healthy server works, and so does a prompt without tools.
async fn works_on(mut scene: Scene) {
    let mut one = scene.turn().await;
    while one.calls.is_empty() {
        one = scene.turn().await;
    }
    one.calls[0].expect("completed", &["{}"]);
    let plain = scene.turn().await;
    assert_eq!(
        (plain.stop, plain.said.as_str()),
        (json!("end_turn"), "done")
    );
    scene.end().await;
}

/// Most of a run is waiting for processes; more at once would only make each slower.
async fn a_few_at_once(runs: impl IntoIterator<Item = impl Future<Output = ()>>) {
    stream::iter(runs).buffer_unordered(4).collect::<()>().await;
}

/// A script: the turn of the test, then the two turns of [`works_on`].
fn script(first: Vec<Do>) -> Vec<Vec<Do>> {
    vec![first, done(), call(&["echo"]), done(), done()]
}

/// The same when the first turn is cancelled and gets no second reply.
fn cancelled(first: Vec<Do>) -> Vec<Vec<Do>> {
    vec![first, call(&["echo"]), done(), done()]
}

/// A056 and A063: a server that never answers, or cannot be started, holds up neither the session
/// nor the others.
#[tokio::test]
async fn a056_a063_servers_that_do_not_start_are_told_by_name_and_cause() {
    let silent = "did not answer initialize within 10 s";
    #[rustfmt::skip]
    let rows: [(&str, &[&str]); 10] = [
        ("silent",                 &[silent]),
        ("garbage",                &[silent]),
        ("floods-stdout",          &[silent]),
        ("half-line",              &[silent]),
        ("exits-at-once",          &["exit code 3", "the config file is missing"]),
        ("exits-after-initialize", &["exit code 4"]),
        ("refuses-initialize",     &["the licence has expired"]),
        ("closes-stdout-at-start", &["closed its standard output"]),
        ("deep-schema",            &["tools/list", "recursion"]),
        ("batch",                  &["tools/list", "batch"]),
    ];
    let servers: Vec<_> = rows.iter().map(|(name, _)| (*name, *name)).collect();
    let mut scene = Scene::start(&servers, script(call(&["echo"]))).await;
    let first = scene.turn().await;
    assert_eq!(first.stop, "end_turn");
    let (failed, echo) = first.calls.split_at(rows.len());
    for (seen, (name, words)) in failed.iter().zip(rows) {
        assert_eq!(seen.title, format!("Start the tool server {name}"));
        seen.expect("failed", words);
        seen.expect("failed", &[name]);
    }
    echo[0].expect("completed", &["{}"]);
    works_on(scene).await;
}

/// A063: what is wrong with one entry is said by its name, and the others work.
#[tokio::test]
async fn a063_an_entry_that_is_wrong_spoils_nothing() {
    let mark = mark();
    let mut client = client([call(&["echo"]), done()]).await;
    let cwd = client.workspace.path().to_owned();
    let good = server("good", "honest", &[&mark]);
    let absent = json!({"name": "absent", "command": "/no/such/program", "args": [], "env": []});
    let session = client.session_with(&[good.clone(), absent]).await;
    let seen = turn(&mut client, &session).await;
    seen.calls[0].expect("failed", &["absent", "No such file or directory"]);
    seen.calls[1].expect("completed", &[]);

    let sse = json!({"type": "sse", "name": "web", "url": "http://localhost:1/", "headers": []});
    let malformed = json!({"name": "torn", "command": "true", "env": []});
    for (entry, words) in [(sse, "web"), (malformed, "mcpServers[1] (\"torn\")")] {
        let params = json!({"cwd": cwd, "mcpServers": [good, entry]});
        let answer = client.call("session/new", params).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{answer}");
    }
    client.end().await;
    assert_eq!(alive(&mark), Vec::<String>::new());
}

/// A062: a server that cannot be reached is never a silent success.
#[tokio::test]
async fn a062_a_transport_that_is_not_supported_is_refused_by_name() {
    let mut client = client([done()]).await;
    let cwd = client.workspace.path().to_owned();
    let sse = json!({"type": "sse", "name": "stream", "url": "http://localhost:1/", "headers": []});
    let params = json!({"cwd": cwd, "mcpServers": [sse]});
    let answer = client.call("session/new", params).await;
    assert_eq!(answer["error"]["code"], -32602);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("stream") && message.contains("sse"),
        "{message}"
    );
    client.end().await;
}

/// Servers that are odd, and work.
#[tokio::test]
async fn oddities_that_a_client_can_live_with() {
    let rows = [
        ("slow-start", "work", "worked"),
        ("answers-twice", "work", "answer 1"),
        ("banner", "work", "worked"),
        ("other-version", "work", "worked"),
        ("floods-stderr", "work", "worked"),
        ("floods-notes", "work", "worked all the same"),
        ("bad-schemas", "work", "worked"),
        ("invalid-utf8", "work", "caf\u{fffd}"),
        ("looping-cursor", "work", "worked"),
        ("endless-pages", "tool1", "worked"),
        ("many-tools", "tool1", "worked"),
        ("leaves-daemon", "work", "worked"),
        ("ignores-term", "work", "worked"),
    ];
    let runs = rows.map(|(behaviour, tool, text)| async move {
        let mut scene = Scene::with(behaviour, script(call(&[tool]))).await;
        let first = scene.turn().await;
        let (call, told) = first.calls.split_last().unwrap();
        call.expect("completed", &[text]);
        // What had to be left out is told, by the server's name, before anything is called.
        for told in told {
            told.expect("failed", &["tool server bad"]);
        }
        let left_out = [
            "bad-schemas",
            "looping-cursor",
            "endless-pages",
            "many-tools",
        ];
        assert!(
            told.is_empty() || left_out.contains(&behaviour),
            "{first:?}"
        );
        works_on(scene).await;
    });
    a_few_at_once(runs).await;
}

/// Servers that break in a call: it fails at once, by name and cause.
#[tokio::test]
async fn calls_that_break_fail_with_the_cause() {
    #[rustfmt::skip]
    let rows: [(&str, &[&str]); 4] = [
        ("crashes-in-call",     &["bad/work", "signal 6", "assertion failed"]),
        ("exits-between-calls", &["bad/work", "exit code 5"]),
        ("closes-stdout",       &["bad/work", "the tool server is gone"]),
        ("endless-line",        &["bad/work", "longer than"]),
    ];
    let runs = rows.map(|(behaviour, words)| async move {
        let twice = vec![call(&["work"]), call(&["work"]), done()];
        let script = twice.into_iter().chain(script(Vec::new()).split_off(2));
        let mut scene = Scene::with(behaviour, script).await;
        let first = scene.turn().await;
        if behaviour == "exits-between-calls" {
            first.calls[0].expect("completed", &["my last words"]);
        } else {
            first.calls[0].expect("failed", words);
        }
        first.calls[1].expect("failed", words);
        works_on(scene).await;
    });
    a_few_at_once(runs).await;
}

/// Servers that never answer a call: a cancel ends it.
#[tokio::test]
async fn calls_that_hang_end_at_the_cancel() {
    let large = json!({"text": "x".repeat(1_000_000)});
    let rows = [
        ("hangs-in-call", json!({})),
        ("wrong-id", json!({})),
        ("stops-itself", json!({})),
        ("reads-nothing", large),
    ];
    let runs = rows.map(|(behaviour, arguments)| async move {
        let work = vec![Do::Call("work", arguments)];
        let mut scene = Scene::with(behaviour, cancelled(work)).await;
        let first = scene.cancelled_turn().await;
        assert_eq!(first.stop, "cancelled", "{behaviour}");
        first.calls[0].expect("failed", &["cancelled"]);
        if behaviour == "hangs-in-call" {
            scene.file("cancelled").await;
        }
        works_on(scene).await;
    });
    a_few_at_once(runs).await;
}

/// The end of the input ends a call that hangs, and everything else, within the budget.
#[tokio::test]
async fn the_end_of_input_ends_a_call_that_hangs() {
    for behaviour in ["hangs-in-call", "stops-itself", "ignores-term"] {
        let mut scene = Scene::with(behaviour, [call(&["work"]), done()]).await;
        scene.client.prompt(&scene.session, "go").await;
        let running = |m: &Value| m["params"]["update"]["status"] == "in_progress";
        scene.client.until(running).await;
        scene.end().await;
    }
}

#[tokio::test]
async fn a_server_is_given_the_time_to_say_goodbye() {
    let mut scene = Scene::with("slow-goodbye", [call(&["work"]), done()]).await;
    scene.turn().await.calls[0].expect("completed", &["worked"]);
    let workspace = scene.client.workspace.path().to_owned();
    let close = json!({"sessionId": scene.session});
    scene.client.call("session/close", close).await;
    assert!(workspace.join("bye").exists());
    scene.end().await;
}

#[tokio::test]
async fn every_odd_result_ends_its_call() {
    #[rustfmt::skip]
    let rows = [
        ("silent_error",        "failed",    "did not say why"),
        ("structured_only",     "completed", r#"{"answer":42}"#),
        ("null_content",        "completed", ""),
        ("null_result",         "failed",    "neither a result nor an error"),
        ("empty_result",        "completed", ""),
        ("string_result",       "failed",    "no tool result"),
        ("string_content",      "completed", "done"),
        ("null_block",          "completed", "after null"),
        ("string_error",        "failed",    "out of order"),
        ("error_without_code",  "failed",    "out of order"),
        ("error_without_words", "failed",    "error -1"),
        ("both",                "failed",    "both"),
        ("neither",             "failed",    "neither a result nor an error"),
    ];
    let tools: Vec<_> = rows.iter().map(|(tool, ..)| *tool).collect();
    let mut scene = Scene::with("odd-results", script(call(&tools))).await;
    let first = scene.turn().await;
    for (seen, (tool, status, words)) in first.calls.iter().zip(rows) {
        assert!(seen.title.contains(tool), "{seen:?}");
        seen.expect(status, &[words]);
    }
    works_on(scene).await;
}

#[tokio::test]
async fn every_kind_of_content_is_passed_on() {
    let mut scene = Scene::with("rich-result", script(call(&["work"]))).await;
    let seen = &scene.turn().await.calls[0];
    seen.expect("completed", &["some text", "does not know", "the end"]);
    let kinds: Vec<_> = seen.content.iter().map(|c| &c["content"]["type"]).collect();
    let (resource, link) = ("resource", "resource_link");
    let wanted = [
        "text", "image", "audio", resource, resource, link, "text", "text",
    ];
    assert_eq!(kinds, wanted);
    works_on(scene).await;
}

#[tokio::test]
async fn huge_results_are_cut_and_said() {
    let mut scene = Scene::with("huge-result", script(call(&["text", "blocks", "image"]))).await;
    let first = scene.turn().await;
    let words = [
        "bytes left out",
        "more blocks left out",
        "too large to be shown",
    ];
    for (seen, words) in first.calls.iter().zip(words) {
        seen.expect("completed", &[words]);
        let size = json!(seen.content).to_string().len();
        assert!(size < 2 * limits::MAX_TEXT, "{size} bytes");
    }
    works_on(scene).await;
}

#[tokio::test]
async fn odd_names_are_offered_under_safe_ones() {
    let rows = [
        ("bad_shell", "\"shell\""),
        ("bad_write_file", "\"write_file\""),
        ("bad_twice", "\"twice\""),
        ("bad_twice_2", "\"twice\""),
        ("_______etc_passwd", "no such tool"),
        ("______etc_passwd", "\"../../etc/passwd\""),
        ("a_b_c_d", "\"a b\\tc\\nd\""),
        ("_reversed", "\"\\u{202e}reversed\""),
        ("_ml_ut", "\"ümläut\""),
        ("a_b", "\"a\\0b\""),
    ];
    let tools: Vec<_> = rows.iter().map(|(tool, _)| *tool).collect();
    let mut scene = Scene::with("odd-names", script(call(&tools))).await;
    let first = scene.turn().await;
    for (seen, (tool, real)) in first.calls.iter().zip(rows) {
        if real == "no such tool" {
            seen.expect("failed", &["there is no tool named", tool]);
        } else {
            seen.expect("completed", &[real]);
            let odd = |c: char| c.is_control() || c == '\u{202e}';
            assert!(!seen.title.chars().any(odd), "{:?}", seen.title);
        }
    }
    works_on(scene).await;
}

#[tokio::test]
async fn changed_tools_are_offered_in_the_next_step() {
    let steps = [call(&["work1"]), call(&["work2", "work1"])];
    let script = steps.into_iter().chain(script(Vec::new()).split_off(1));
    let mut scene = Scene::with("changes-tools", script).await;
    let first = scene.turn().await;
    first.calls[0].expect("completed", &["now there is work2"]);
    first.calls[1].expect("completed", &["now there is work3"]);
    first.calls[2].expect("failed", &["there is no tool named \"work1\""]);
    works_on(scene).await;
}

#[tokio::test]
async fn a_flood_of_changes_is_not_followed_one_by_one() {
    let mut scene = Scene::with("floods-changes", script(call(&["flood", "count"]))).await;
    let first = scene.turn().await;
    first.calls[0].expect("completed", &["flooded"]);
    first.calls[1].expect("completed", &["lists"]);
    let lists: u32 = first.calls[1]
        .text
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((2..1_000).contains(&lists), "{lists} lists");
    works_on(scene).await;
}

/// What the client has to offer is nothing, and its user is not bothered.
#[tokio::test]
async fn what_a_server_asks_for_is_refused() {
    let mut scene = Scene::with("asks-client", script(call(&["work"]))).await;
    let first = scene.turn().await;
    let refused = [
        "ping: granted",
        "sampling/createMessage: -32601",
        "roots/list: -32601",
        "elicitation/create: -32601",
        "made/up: -32601",
    ];
    first.calls[0].expect("completed", &refused);
    works_on(scene).await;
}

/// The answers that are owed to a server that does not read are bounded: 200,000 are asked for, and
/// a pipe holds some thousand.
#[tokio::test]
async fn a_flood_of_requests_is_not_remembered() {
    let mut scene = Scene::with("floods-requests", script(call(&["flood", "count"]))).await;
    let first = scene.turn().await;
    first.calls[0].expect("completed", &["all asked"]);
    first.calls[1].expect("completed", &["answers"]);
    let answers: u32 = first.calls[1]
        .text
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..20_000).contains(&answers), "{answers} answers");
    works_on(scene).await;
}

/// A057: a server lives from turn to turn, and over a change of the mode.
#[tokio::test]
async fn a057_a_server_lives_as_long_as_its_session() {
    let script = [call(&["next"]), done()].into_iter().cycle().take(6);
    let mut scene = Scene::start(&[], script).await;
    let one = scene.turn().await.calls[0].text.clone();
    let two = scene.turn().await.calls[0].text.clone();
    let mode = json!({"sessionId": scene.session, "modeId": "plan"});
    scene.client.call("session/set_mode", mode).await;
    let id = scene.client.prompt(&scene.session, "go").await;
    let asked = scene.client.permission().await;
    scene.client.choose(&asked, "allow_once").await;
    scene.client.seen();
    scene.client.answer(id).await;
    let three = json!(scene.client.updates()).to_string();
    let pid = one.strip_prefix("1 from ").unwrap();
    assert_eq!(two, format!("2 from {pid}"));
    assert!(three.contains(&format!("3 from {pid}")), "{three}");
    scene.end().await;
}

/// A058: the servers of a session are gone when its close is answered; those of others live on.
#[tokio::test]
async fn a058_closing_a_session_ends_its_servers_only() {
    let (lives, dies) = (mark(), mark());
    let mut client = client([call(&["echo"]), done()].into_iter().cycle().take(21)).await;
    let other = client
        .session_with(&[server("s", "honest", &[&lives])])
        .await;
    turn(&mut client, &other).await.calls[0].expect("completed", &[]);
    for _ in 0..3 {
        let session = client
            .session_with(&[server("s", "honest", &[&dies])])
            .await;
        turn(&mut client, &session).await.calls[0].expect("completed", &[]);
        assert_eq!(alive(&dies).len(), 1);
        client
            .call("session/close", json!({"sessionId": session}))
            .await;
        assert_eq!(alive(&dies), Vec::<String>::new());
        assert_eq!(alive(&lives).len(), 1);
    }
    client.end().await;
    assert_eq!(alive(&lives), Vec::<String>::new());
}

/// A059 and A060: the folder is the session's, arguments and variables arrive as they were given.
#[tokio::test]
async fn a059_a060_folder_arguments_and_environment_are_as_given() {
    let mut entry = server("s", "honest", &["a b", "$HOME", "*", ""]);
    entry["env"] = json!([
        {"name": "A", "value": "1=2"},
        {"name": "B", "value": ""},
        {"name": "A", "value": "3=4"},
    ]);
    let mut client = client([call(&["about"]), done()]).await;
    let session = client.session_with(&[entry]).await;
    let about = turn(&mut client, &session).await.calls[0].text.clone();
    let about: Value = serde_json::from_str(&about).unwrap();
    assert_eq!(
        about["cwd"],
        json!(client.workspace.path().canonicalize().unwrap())
    );
    assert_eq!(about["args"], json!(["a b", "$HOME", "*", ""]));
    assert_eq!(
        (&about["env"]["A"], &about["env"]["B"]),
        (&json!("3=4"), &json!(""))
    );
    assert!(about["env"]["PATH"].is_string());
    client.end().await;
}

/// A061: the servers of a session belong to it alone.
#[tokio::test]
async fn a061_each_session_has_its_own_servers() {
    let mut client = client([call(&["about"]), done()].into_iter().cycle().take(6)).await;
    let mut sessions = Vec::new();
    for who in ["1", "2"] {
        let mut entry = server("t", "honest", &[]);
        entry["env"] = json!([{"name": "WHO", "value": who}]);
        sessions.push(client.session_with(&[entry]).await);
    }
    sessions.push(client.session_with(&[]).await);
    let mut seen = Vec::new();
    for session in &sessions {
        seen.push(turn(&mut client, session).await.calls[0].clone());
    }
    seen[0].expect("completed", &[r#""WHO":"1""#]);
    seen[1].expect("completed", &[r#""WHO":"2""#]);
    seen[2].expect("failed", &["there is no tool named \"about\""]);
    client.end().await;
}
