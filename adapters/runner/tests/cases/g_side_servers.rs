//! G: the MCP servers that the agent is given. Each is started as the agent would start it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{Scene, Scene as S, runner::Ended};

/// A registered server, started.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn start(entry: &Value, token: &str) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut command = Command::new(text(&entry["command"]));
        command.env_clear().env("ACP_TEST", token);
        for word in entry["args"].as_array().unwrap() {
            command.arg(text(word));
        }
        for variable in entry["env"].as_array().unwrap() {
            command.env(text(&variable["name"]), text(&variable["value"]));
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.line(
            &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string(),
        )
    }

    fn line(&mut self, line: &str) -> Value {
        writeln!(self.input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments}))
    }

    fn text(&mut self, name: &str, arguments: Value) -> String {
        let answer = self.call(name, arguments);
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    fn tools(&mut self) -> Vec<String> {
        let answer = self.ask("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    fn end(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
    }
}

fn servers(scene: &Scene) -> Vec<Value> {
    let received = scene.received();
    let new = received
        .iter()
        .find(|line| line["method"] == "session/new")
        .unwrap();
    new["params"]["mcpServers"].as_array().unwrap().clone()
}

fn prompt_texts(scene: &Scene) -> Vec<Vec<String>> {
    let received = scene.received();
    let prompts = received
        .iter()
        .filter(|line| line["method"] == "session/prompt");
    prompts
        .map(|prompt| {
            let blocks = prompt["params"]["prompt"].as_array().unwrap();
            blocks
                .iter()
                .map(|block| block["text"].as_str().unwrap().to_owned())
                .collect()
        })
        .collect()
}

fn with_memory(scene: S) -> S {
    let memory = scene.at("memory");
    fs::create_dir_all(memory.join("repo")).unwrap();
    let notes = json!([
        {"id": "n1", "title": "Tests", "content": "use make quick", "created_at": "2026-01-01"},
        {"id": "n2", "title": "Old", "content": "zebra", "created_at": "2026-01-02"},
    ]);
    fs::write(memory.join("repo/notes.json"), notes.to_string()).unwrap();
    scene.env("COLONIZER_MEMORY_DIR", memory.display().to_string())
}

#[test]
fn g11_g12_the_memory_is_a_server_and_a_word_before_the_first_prompt() {
    let scene = with_memory(Scene::new(&json!({})));
    let mut runner = scene.start();
    runner.turn("one");
    runner.turn("two");
    runner.shut_down();
    let servers = servers(&scene);
    assert_eq!(servers.len(), 1);
    assert_eq!(servers[0]["name"], "colonizer_memory");
    let memory = scene.at("memory");
    assert_eq!(
        servers[0]["env"],
        json!([{"name": "COLONIZER_MEMORY_DIR", "value": memory}])
    );
    let texts = prompt_texts(&scene);
    assert_eq!((texts[0].len(), texts[1].len()), (2, 1));
    assert_eq!((texts[0][1].as_str(), texts[1][0].as_str()), ("one", "two"));
    for tool in ["memory_briefing", "memory_search", "memory_changes"] {
        assert!(texts[0][0].contains(tool));
    }
    assert!(!texts[0][0].contains("zebra"));

    let mut server = Server::start(&servers[0], &scene.token);
    let initialize = server.ask("initialize", json!({}));
    assert_eq!(initialize["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(
        server.tools(),
        ["memory_briefing", "memory_changes", "memory_search"]
    );
    let briefing = server.text("memory_briefing", json!({}));
    assert!(briefing.starts_with("<shared-memory>") && briefing.contains("zebra"));
    let one = json!([{"id": "n1", "title": "Tests", "content": "use make quick"}]);
    fs::write(memory.join("repo/notes.json"), one.to_string()).unwrap();
    let changes = server.text("memory_changes", json!({}));
    assert!(
        changes.contains("revoked: n2") && !changes.contains("zebra"),
        "{changes}"
    );
    assert!(!server.text("memory_briefing", json!({})).contains("zebra"));
    assert_eq!(
        server.call("vault_search", json!({"query": "x"}))["error"]["code"],
        -32602
    );
    assert_eq!(server.line("not json")["error"]["code"], -32700);
    assert_eq!(server.ask("nope", json!({}))["error"]["code"], -32601);
    server.end();
}

#[test]
fn g13_a_vault_alone_is_only_searched() {
    let scene = Scene::new(&json!({}));
    fs::create_dir_all(scene.at("vault/notes")).unwrap();
    fs::write(
        scene.at("vault/notes/a.md"),
        "first\nThe Deploy key rotates\n",
    )
    .unwrap();
    let vault = scene.at("vault").display().to_string();
    let scene = scene.env("COLONIZER_VAULT_DIR", vault);
    let mut runner = scene.start();
    runner.turn("one");
    runner.shut_down();
    assert_eq!(prompt_texts(&scene), [["one"]]);
    let mut server = Server::start(&servers(&scene)[0], &scene.token);
    assert_eq!(server.tools(), ["vault_search"]);
    let found = server.text("vault_search", json!({"query": "deploy ROTATES"}));
    assert!(
        found.contains("notes/a.md:2: The Deploy key rotates"),
        "{found}"
    );
    assert_eq!(
        server.call("memory_briefing", json!({}))["error"]["code"],
        -32602
    );
    server.end();
}

#[test]
fn g14_a_loaded_session_has_been_told_before() {
    let capabilities = json!({"loadSession": true});
    let initialize = json!({"result": {"protocolVersion": 1, "agentCapabilities": capabilities}});
    let scene = with_memory(Scene::new(&json!({"answers": {"initialize": initialize}})))
        .env("COLONIZER_RESUME_SESSION", "s-1");
    let mut runner = scene.start();
    runner.turn("one");
    runner.shut_down();
    assert_eq!(prompt_texts(&scene), [["one"]]);
    let received = scene.received();
    let load = received
        .iter()
        .find(|line| line["method"] == "session/load")
        .unwrap();
    assert_eq!(load["params"]["mcpServers"][0]["name"], "colonizer_memory");
}

/// A run in a loop, while whose first turn `during` has the registered servers.
fn looping(is_self_paced: bool, during: impl FnOnce(&[Value], &str)) -> Ended {
    let scene = Scene::new(&json!({}))
        .env("COLONIZER_LOOP", "true")
        .env("COLONIZER_LOOP_SELF_PACED", is_self_paced.to_string());
    let mut runner = scene.start();
    runner.turn("x");
    during(&servers(&scene), &scene.token);
    runner.shut_down()
}

#[test]
fn g15_a_self_paced_loop_says_when_it_goes_on() {
    let ended = looping(true, |servers, token| {
        let mut server = Server::start(&servers[0], token);
        assert_eq!(server.tools(), ["loop_stop", "loop_next"]);
        let told = server.text(
            "loop_next",
            json!({"delay_minutes": 99999, "reason": "later"}),
        );
        assert!(told.contains("1440"), "{told}");
        assert!(
            server
                .text("loop_next", json!({"delay_minutes": 20}))
                .starts_with("Refused")
        );
        assert!(
            server
                .text("loop_next", json!({"reason": "x", "delay_minutes": "x"}))
                .starts_with("Refused")
        );
        server.text("loop_stop", json!({"reason": "done"}));
        server.end();
    });
    let next = json!({"type": "loop_next", "delay_minutes": 1440, "reason": "later"});
    assert_eq!(ended.of_type("loop_next"), [&next]);
    assert_eq!(
        ended.of_type("loop_stop"),
        [&json!({"type": "loop_stop", "reason": "done"})]
    );
}

#[test]
fn g16_another_loop_can_only_stop_and_what_is_no_loop_has_no_server() {
    looping(false, |servers, token| {
        let mut server = Server::start(&servers[0], token);
        assert_eq!(server.tools(), ["loop_stop"]);
        let refused = server.call("loop_next", json!({"delay_minutes": 20, "reason": "x"}));
        assert_eq!(refused["error"]["code"], -32602);
        server.end();
    });
    let scene = Scene::new(&json!({})).env("COLONIZER_LOOP", "1");
    let mut runner = scene.start();
    runner.turn("x");
    runner.shut_down();
    assert_eq!(servers(&scene), Vec::<Value>::new());
}

#[test]
fn g17_the_bridge_answers_only_its_server() {
    let ended = looping(true, |servers, _| {
        let variable = |name: &str| {
            let variables = servers[0]["env"].as_array().unwrap();
            let found = variables
                .iter()
                .find(|variable| variable["name"] == name)
                .unwrap();
            found["value"].as_str().unwrap().to_owned()
        };
        let address = variable("COLONIZER_BRIDGE_URL")
            .trim_start_matches("http://")
            .to_owned();
        let token = variable("COLONIZER_BRIDGE_TOKEN");
        assert_eq!(token.len(), 32);
        let good = r#"{"reason":"r"}"#;
        let table = [
            ("POST", "/loop_stop", "wrong", good, "401"),
            ("GET", "/loop_stop", &token, "", "404"),
            ("POST", "/nope", &token, good, "404"),
            ("POST", "/loop_stop", &token, "{", "400"),
            ("POST", "/loop_stop", &token, r#"{"reason":" "}"#, "200"),
            ("POST", "/loop_next", &token, r#"{"reason":"r"}"#, "200"),
        ];
        for (method, path, token, body, status) in table {
            let mut stream = TcpStream::connect(&address).unwrap();
            let length = body.len();
            write!(stream, "{method} {path} HTTP/1.1\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status} ")),
                "{method} {path}: {answer}"
            );
        }
    });
    assert_eq!(
        ended.of_type("loop_stop").len() + ended.of_type("loop_next").len(),
        0
    );
}
