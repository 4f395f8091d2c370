//! The commands for people, on the real daemon.

use std::time::Instant;

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use crate::support::{
    DEADLINE, Scene,
    daemon::{EndDaemon, daemons},
};

#[test]
fn a_session_by_hand_from_its_making_to_its_end() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    assert_eq!(
        scene.run(&["workspaces", "create", "demo"]).done(),
        "demo\n"
    );
    assert!(scene.run(&["workspaces"]).done().contains("demo"));
    // The only workspace need not be named.
    let id = scene.run(&["new", "--title", "a title"]).done();
    let id = id.trim();
    assert_eq!(id.len(), 32);
    let prefix = &id[..8];

    let said = scene
        .run(&["prompt", "--session", prefix, "say", "hello there"])
        .done();
    assert_eq!(said, "hello there\n");
    let list = scene.run(&["sessions", "--workspace", "DEMO"]).done();
    for wanted in [id, "demo", "ready", "a title"] {
        assert!(list.contains(wanted), "no {wanted:?} in {list}");
    }
    let json = scene
        .run(&["sessions", "--session", prefix, "--json"])
        .done();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["last_turn_outcome"], "finished");
    assert!(
        scene
            .run(&["wait", "--session", id, "--turn", "1"])
            .done()
            .contains("hello there")
    );
    let transcript = scene
        .run(&["transcript", "--session", id, "--role", "agent"])
        .done();
    assert!(
        transcript.contains("hello there") && !transcript.contains("user"),
        "{transcript}"
    );

    let turn = scene
        .run(&["prompt", "--session", id, "--no-wait", "wait-cancel"])
        .done();
    assert_eq!(turn, "2\n");
    scene.run(&["interrupt", "--session", id]).done();
    let cut = scene
        .run(&["wait", "--session", id, "--turn", "2"])
        .failed();
    assert!(
        cut.contains("turn 2") && cut.contains("interrupted"),
        "{cut}"
    );
    let nothing = scene.run(&["interrupt", "--session", id]).failed();
    assert!(nothing.contains("nothing to interrupt"), "{nothing}");
    let broken = scene
        .run(&["prompt", "--session", id, "fail", "boom"])
        .failed();
    assert!(
        broken.contains("failed") && broken.contains("boom"),
        "{broken}"
    );

    scene.run(&["checkpoint", "--session", id]).done();
    scene.run(&["suspend", "--session", id]).done();
    assert!(scene.run(&["sessions"]).done().contains("suspended"));
    scene.run(&["resume", "--session", id]).done();
    assert_eq!(
        scene
            .run(&["prompt", "--session", id, "say", "back"])
            .done(),
        "back\n"
    );
    scene.run(&["destroy", "--session", id]).done();
    let gone = scene.run(&["sessions", "--session", id]).failed();
    assert!(
        gone.contains("list them with: acp-sessions sessions"),
        "{gone}"
    );
    assert!(scene.run(&["search", "hello"]).done().contains(id));
}

#[test]
fn what_is_wrong_is_told_with_what_to_do() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    let none = scene.run(&["new"]).failed();
    assert!(none.contains("workspaces create"), "{none}");
    for name in ["one", "two"] {
        scene.run(&["workspaces", "create", name]).done();
    }
    let many = scene.run(&["new"]).failed();
    for wanted in ["--workspace", "one", "two"] {
        assert!(many.contains(wanted), "no {wanted:?} in {many}");
    }
    let profile = scene
        .run(&["new", "--workspace", "one", "--profile", "nosuch"])
        .failed();
    assert!(
        profile.contains("nosuch") && !profile.contains("profile_id"),
        "{profile}"
    );
    let session = scene
        .run(&["prompt", "--session", "0000", "hello"])
        .failed();
    assert!(session.contains("list them with"), "{session}");
    let info = scene.run(&["api-info", "--json"]).done();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert!(
        info["url"]
            .as_str()
            .unwrap()
            .starts_with("http://127.0.0.1:"),
        "{info}"
    );
    assert!(scene.run(&["doctor"]).done().contains("answers at"));
}

#[test]
fn completions_name_the_commands() {
    let scene = Scene::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = scene.run(&["completions", shell]).done();
        for wanted in ["checkpoint", "on-exit"] {
            assert!(script.contains(wanted), "no {wanted:?} for {shell}");
        }
        assert!(!script.contains("\n    daemon-run)"));
    }
}

#[test]
fn the_front_on_the_real_daemon() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    scene.run(&["workspaces", "create", "editor"]).done();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let session = front.session();
    assert_eq!(front.prompt(&session, "say a unique marker"), "end_turn");
    assert_eq!(front.messages(), ["a unique marker"]);
    let prompt = front.ask_prompt(&session, "wait-cancel");
    front.cancel(&session);
    assert_eq!(front.stop_reason(prompt), "cancelled");
    let asks = front.ask_prompt(&session, "ask Which branch?");
    assert!(front.refused(asks).contains("Which branch?"));
    assert_eq!(front.prompt(&session, "say again"), "end_turn");
    assert!(scene.run(&["sessions"]).done().contains(&session));
    front.end().assert_status(0);
    let left = scene.run(&["sessions", "--json"]).done();
    assert_eq!(left.trim(), "[]");
    assert!(
        scene
            .run(&["search", "unique marker"])
            .done()
            .contains(&session)
    );
}

#[test]
fn tool_calls_are_told_of_while_they_run_if_that_is_wanted() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    scene.run(&["workspaces", "create", "editor"]).done();
    for (flags, end, status) in [
        (&["--progress"][..], "cancelled", Some("failed")),
        (&[], "cancelled", None),
    ] {
        let mut front = scene.front(flags);
        let session = front.session();
        let prompt = front.ask_prompt(&session, "tool t1 a long call\nwait-cancel");
        if status.is_some() {
            let call = front.until_said(|said| said["params"]["update"]["status"] == "in_progress");
            assert_eq!(call["params"]["update"]["sessionUpdate"], "tool_call");
            assert_eq!(call["params"]["update"]["title"], "a long call");
            assert!(!front.is_answered(prompt));
        }
        front.cancel(&session);
        assert_eq!(front.stop_reason(prompt), end);
        let mut updates = front
            .said
            .iter()
            .filter(|said| said["method"] == "session/update");
        let last = updates
            .next_back()
            .map(|said| said["params"]["update"]["status"].clone());
        assert_eq!(last.as_ref().and_then(|status| status.as_str()), status);
        front.end().assert_status(0);
    }
}

#[test]
fn a_daemon_that_is_killed_in_a_turn_is_started_again_and_the_turn_answered() {
    let scene = Scene::new();
    scene.scripted_harness();
    let _end = EndDaemon(&scene);
    scene.run(&["workspaces", "create", "editor"]).done();
    let mut front = scene.front(&["--on-exit", "destroy"]);
    let session = front.session();
    let prompt = front.ask_prompt(&session, "say before\nwait-cancel");
    // It runs when it is in the transcript.
    let deadline = Instant::now() + DEADLINE;
    let begun = || {
        scene
            .run(&["transcript", "--session", &session])
            .done()
            .contains("before")
    };
    while !begun() {
        assert!(Instant::now() < deadline, "the turn does not begin");
    }
    let [first] = daemons(&scene.data())[..] else {
        panic!("one daemon");
    };
    kill(Pid::from_raw(first), Signal::SIGKILL).unwrap();
    assert_eq!(front.stop_reason(prompt), "cancelled");
    let [second] = daemons(&scene.data())[..] else {
        panic!("one daemon");
    };
    assert_ne!(first, second);
    assert_eq!(front.prompt(&session, "say after"), "end_turn");
    assert!(front.messages().contains(&"after".to_owned()));
    front.end().assert_status(0);
}
