//! The HTTP interface itself: who is let in, what is refused, and in which words.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::support::{Scene, until};

#[test]
fn case_76_every_answer_names_the_version_also_a_refusal() {
    let scene = Scene::new();
    let daemon = scene.start();
    let token = daemon.token.clone();
    let wrong = "0".repeat(64);
    //  token              method  path                      status
    let table = [
        (Some(token.as_str()), "GET", "/api/v1/info", 200),
        (None, "GET", "/api/v1/info", 401),
        (Some(wrong.as_str()), "GET", "/api/v1/info", 401),
        (Some(""), "GET", "/api/v1/sessions", 401),
        (None, "GET", "/api/v1/nothing", 401),
        (Some(token.as_str()), "GET", "/api/v1/nothing", 404),
        (Some(token.as_str()), "DELETE", "/api/v1/info", 404),
        (Some(token.as_str()), "GET", "/nothing", 404),
        (None, "GET", "/api/v1/openapi.json", 200),
        (None, "GET", "/", 200),
    ];
    for (token, method, path, status) in table {
        let answer = daemon.raw(token, method, path, "");
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert_eq!(answer.version.as_deref(), Some("1"), "{method} {path}");
        if status != 200 {
            assert!(!answer.refusal(status).is_empty());
        }
    }
}

#[test]
fn case_71_the_same_name_is_the_same_workspace() {
    let scene = Scene::new();
    let daemon = scene.start();
    let make = |name: &str| daemon.post("/workspaces", &json!({"name": name}));
    let first = make("Release").json();
    assert_eq!(make(" release ").json(), first);
    assert!(make(" ").refusal(400).contains("1 to 64 characters"));
    assert!(
        make(&"x".repeat(65))
            .refusal(400)
            .contains("1 to 64 characters")
    );
    make("other");
    let list = daemon.get("/workspaces")["workspaces"].clone();
    let names: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert_eq!(names, ["other", "Release"]);
}

#[test]
fn a_session_without_a_workspace_needs_exactly_one() {
    let scene = Scene::new();
    let daemon = scene.start();
    let asked = json!({"project_directory": scene.text("project")});
    let refused = daemon.post("/sessions", &asked);
    assert_eq!(refused.json()["code"], "unknown_workspace");
    assert!(
        refused
            .refusal(409)
            .contains("acp-sessions workspaces create NAME")
    );
    daemon.post("/workspaces", &json!({"name": "one"}));
    assert_eq!(daemon.post("/sessions", &asked).status, 201);
    daemon.post("/workspaces", &json!({"name": "two"}));
    let refused = daemon.post("/sessions", &asked).refusal(409);
    assert!(
        refused.contains("name one by workspace_id: two, one"),
        "{refused}"
    );
}

#[test]
fn what_is_malformed_is_refused_with_its_reason() {
    let scene = Scene::new();
    let daemon = scene.start();
    let id = daemon.ready();
    let long = json!({"text": "x".repeat(65_537)});
    let path = |end: &str| format!("/sessions/{id}/{end}");
    let none = "0".repeat(32);
    //  path                              body                              status  words
    let table = [
        (path("prompt"), long, 400, "65537 characters, at most 65536"),
        (path("prompt"), json!({"text": " \n"}), 400, "blank"),
        (
            path("prompt"),
            json!({"text": "!ls"}),
            400,
            "reserved for commands of a shell",
        ),
        (
            path("prompt"),
            json!({"text": "x", "mode": 1}),
            400,
            "unknown field `mode`",
        ),
        (path("prompt"), json!({}), 400, "missing field `text`"),
        (path("wait"), json!({}), 409, "has had no turn yet"),
        (
            path("wait"),
            json!({"turn_id": 4}),
            400,
            "has no turn 4; its last one is 0",
        ),
        (
            path("wait"),
            json!({"timeout_secs": 0}),
            400,
            "must be 1 to 3600",
        ),
        (
            path("wait"),
            json!({"timeout_secs": 3601}),
            400,
            "must be 1 to 3600",
        ),
        (
            path("suspend"),
            json!({"force": true}),
            400,
            "unknown field `force`",
        ),
        (
            path("resume"),
            json!({"force": true}),
            400,
            "unknown field `force`",
        ),
        (
            path("resume"),
            json!({}),
            409,
            "is live, there is nothing to resume",
        ),
        (
            path("export"),
            json!({"kind": "zip"}),
            400,
            "unknown variant `zip`",
        ),
        (
            format!("/sessions/{none}/prompt"),
            json!({"text": "x"}),
            404,
            "unknown session 0000",
        ),
        (
            "/sessions/up/prompt".to_owned(),
            json!({"text": "x"}),
            400,
            "is not a session id",
        ),
        (
            "/sessions".to_owned(),
            json!({"workspace_id": "w"}),
            404,
            "unknown workspace_id \"w\"",
        ),
        (
            "/workspaces".to_owned(),
            json!(["viaarray"]),
            400,
            "the body is wrong",
        ),
    ];
    for (path, body, status, words) in table {
        let refused = daemon.post(&path, &body).refusal(status);
        assert!(refused.contains(words), "{path} {body}: {refused}");
    }
    for (path, words) in [
        (path("transcript?limit=0"), "must be 1 to 1000"),
        (path("transcript?limit=1001"), "must be 1 to 1000"),
        (path("transcript?role=nobody"), "unknown variant `nobody`"),
        (path("transcript?page=1"), "unknown field `page`"),
        ("/wiki/search?q=%20".to_owned(), "q is blank"),
        ("/wiki/search".to_owned(), "missing field `q`"),
    ] {
        let refused = daemon.ask("GET", &path, &Value::Null).refusal(400);
        assert!(refused.contains(words), "{path}: {refused}");
    }
}

#[test]
fn the_same_request_makes_one_session_and_can_be_looked_up() {
    let scene = Scene::new();
    let daemon = scene.start();
    let more = json!({"request_id": "r-1"});
    let id = daemon.make(&more);
    assert_eq!(daemon.make(&more), id);
    let other = daemon.make(&json!({}));
    let list = |query: &str| {
        let sessions = daemon.get(&format!("/sessions?{query}"))["sessions"].clone();
        let sessions = sessions.as_array().unwrap().iter();
        sessions
            .map(|session| session["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(list("request_id=r-1"), [id.as_str()]);
    assert_eq!(list("request_id=r-2"), Vec::<String>::new());
    let mut all = list("");
    all.sort();
    let mut expected = vec![id, other];
    expected.sort();
    assert_eq!(all, expected);
    assert_eq!(list("workspace_id=none"), Vec::<String>::new());
}

#[test]
fn a_full_daemon_admits_nothing_and_says_so() {
    let scene = Scene::new().limit("ACTIONS", 1);
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let first = daemon.make(&json!({}));
    let asked =
        json!({"workspace_id": daemon.workspace(), "project_directory": scene.text("project")});
    let refused = daemon.post("/sessions", &asked);
    let body = refused.json();
    assert_eq!(
        (
            &body["code"],
            &body["running_actions"],
            &body["action_limit"]
        ),
        (&json!("full"), &json!(1), &json!(1))
    );
    assert!(refused.refusal(429).contains("nothing was begun"));
    assert_eq!(
        daemon.get("/sessions")["sessions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    fs::write(scene.path("ready"), "").unwrap();
    daemon.until_idle(&first);
    until("room", || {
        (daemon.post("/sessions", &asked).status == 201).then_some(())
    });
}

#[test]
fn options_follow_the_configuration_as_it_is_now() {
    let scene = Scene::new();
    let daemon = scene.start();
    let options = daemon.get("/options");
    assert_eq!(options["default_profile_id"], "scripted");
    assert_eq!(options["default_target_id"], "local");
    scene.profile(
        &[],
        "[bundles.b]\nrepositories = [{ id = \"r\", source = \"/s\" }]",
    );
    assert_eq!(
        daemon.get("/options")["bundles"],
        json!([{"id": "b", "primary_repo": "r", "repositories": ["r"]}])
    );
    scene.configure("[profiles.scripted]\ncommand = []");
    let refused = daemon.ask("GET", "/options", &Value::Null).refusal(409);
    assert!(refused.contains("config.toml:"), "{refused}");
}

#[test]
fn a_wrong_configuration_or_a_second_daemon_does_not_start() {
    let scene = Scene::new();
    let daemon = scene.start();
    let complaint = scene.fail_to_start();
    assert!(complaint.contains("another daemon owns"), "{complaint}");
    daemon.end();
    scene.configure("profile = 1");
    let complaint = scene.fail_to_start();
    assert!(complaint.contains("config.toml:"), "{complaint}");
    assert!(!scene.path("data/daemon.json").exists());
}

#[test]
fn a_client_that_goes_away_leaves_nothing_half_done() {
    let scene = Scene::new();
    scene.profile(&["--ready", &scene.text("ready")], "");
    let daemon = scene.start();
    let id = daemon.make(&json!({}));
    // It is held, and its client goes away.
    let request = json!({"text": "say never"}).to_string();
    let mut stream = std::net::TcpStream::connect(daemon.address).unwrap();
    std::io::Write::write_all(
        &mut stream,
        format!(
            "POST /api/v1/sessions/{id}/prompt HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
             content-length: {}\r\n\r\n{request}",
            daemon.token,
            request.len()
        )
        .as_bytes(),
    )
    .unwrap();
    let path = format!("/sessions/{id}/prompt");
    thread::scope(|scope| {
        let other = scope.spawn(|| daemon.post(&path, &json!({"text": "say mine"})));
        drop(stream);
        fs::write(scene.path("ready"), "").unwrap();
        assert_eq!(other.join().unwrap().status, 202);
    });
    daemon.until_idle(&id);
    let said = daemon.said(&id);
    assert!(
        said.contains(&("agent".to_owned(), "mine".to_owned())),
        "{said:?}"
    );
}

#[test]
fn case_74_of_two_daemons_that_start_at_once_one_is_the_owner() {
    let scene = Scene::new();
    thread::scope(|scope| {
        let starts = [(), ()].map(|()| scope.spawn(|| scene.try_start()));
        let started: Vec<_> = starts
            .into_iter()
            .filter_map(|start| start.join().unwrap())
            .collect();
        assert_eq!(started.len(), 1);
        assert_eq!(started[0].get("/info")["session_count"], 0);
    });
}

#[test]
fn what_the_document_lists_is_served() {
    let scene = Scene::new();
    let daemon = scene.start();
    let document = daemon.get("/openapi.json");
    let mut count = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{id}", &"0".repeat(32));
            let answer = daemon.ask(&method.to_uppercase(), &path, &json!({}));
            let is_served = answer.status != 404 || answer.json()["code"] == "unknown_session";
            assert!(is_served, "{method} {path}: {answer:?}");
            count += 1;
        }
    }
    assert_eq!(count, 18);
}
