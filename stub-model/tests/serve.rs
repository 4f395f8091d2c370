//! The program `stub-model serve`, as a client of model APIs meets it.

#![cfg(feature = "serve")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// A server that ends with the test.
struct Server {
    program: Child,
    address: String,
}

impl Server {
    fn start(options: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_stub-model"))
            .arg("serve")
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        let mut out = BufReader::new(program.stdout.take().unwrap());
        out.read_line(&mut url).unwrap();
        let address = url.trim().strip_prefix("http://").unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{address}");
        Self { program, address }
    }

    /// The status and the body of the answer; what is streamed comes as it is.
    fn ask(&self, method: &str, path: &str, body: &Value) -> (u16, String) {
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        // HTTP/1.0 has no chunks, so the body is what is left.
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    fn json(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, body) = self.ask("POST", path, body);
        (status, serde_json::from_str(&body).unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

const OPENAI: &str = "/v1/chat/completions";
const ANTHROPIC: &str = "/v1/messages";

fn prompt(words: &str) -> Value {
    json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": words}]})
}

#[test]
fn whole_replies() {
    let server = Server::start(&[]);
    let hello = prompt("Reply with exactly HELLO.");
    let (status, body) = server.json(OPENAI, &hello);
    assert_eq!(status, 200);
    let choice = &body["choices"][0];
    assert_eq!(choice["message"]["content"], "HELLO");
    assert_eq!(choice["finish_reason"], "stop");
    let (status, body) = server.json(ANTHROPIC, &hello);
    assert_eq!(status, 200);
    assert_eq!(body["content"], json!([{"type": "text", "text": "HELLO"}]));
    assert_eq!(body["stop_reason"], "end_turn");
    assert_eq!(body["model"], "m");
}

#[test]
fn calls_and_their_results() {
    let server = Server::start(&[]);
    let schema = json!({
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    });
    let mut asked = prompt("Run the shell command `echo hi` and tell me what it prints.");
    let function = json!({"name": "shell", "description": "Runs a command", "parameters": schema});
    asked["tools"] = json!([{"type": "function", "function": function}]);
    let (_, body) = server.json(OPENAI, &asked);
    let message = &body["choices"][0]["message"];
    let call = &message["tool_calls"][0];
    assert_eq!(body["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(call["function"]["arguments"], "{\"command\":\"echo hi\"}");
    let mut messages = asked["messages"].as_array().unwrap().clone();
    messages.push(message.clone());
    messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": "hi\n"}));
    asked["messages"] = messages.into();
    let (_, body) = server.json(OPENAI, &asked);
    assert_eq!(body["choices"][0]["message"]["content"], "hi");

    let mut asked = prompt("Run the shell command `echo hi` and tell me what it prints.");
    asked["tools"] = json!([{"name": "shell", "input_schema": schema}]);
    let (_, body) = server.json(ANTHROPIC, &asked);
    let call = &body["content"][0];
    assert_eq!(body["stop_reason"], "tool_use");
    assert_eq!(call["input"], json!({"command": "echo hi"}));
    let result = json!({"type": "tool_result", "tool_use_id": call["id"], "content": "hi\n"});
    let mut messages = asked["messages"].as_array().unwrap().clone();
    messages.push(json!({"role": "assistant", "content": body["content"]}));
    messages.push(json!({"role": "user", "content": [result]}));
    asked["messages"] = messages.into();
    let (_, body) = server.json(ANTHROPIC, &asked);
    assert_eq!(body["content"][0]["text"], "hi");
}

#[test]
fn the_same_request_has_the_same_answer() {
    let server = Server::start(&[]);
    for path in [OPENAI, ANTHROPIC] {
        let mut asked = prompt("/think");
        asked["stream"] = json!(true);
        let first = server.ask("POST", path, &asked);
        assert_eq!(first, server.ask("POST", path, &asked));
        assert!(first.1.contains("They are shown apart"), "{}", first.1);
        let end = if path == OPENAI {
            "[DONE]"
        } else {
            "message_stop"
        };
        assert!(first.1.trim_end().lines().last().unwrap().contains(end));
    }
}

#[test]
fn what_it_cost() {
    let server = Server::start(&[]);
    let mut asked = prompt("hello");
    asked["stream"] = json!(true);
    assert!(!server.ask("POST", OPENAI, &asked).1.contains("usage"));
    let anthropic = server.ask("POST", ANTHROPIC, &asked).1;
    assert!(anthropic.contains("output_tokens"), "{anthropic}");
    asked["stream_options"] = json!({"include_usage": true});
    let openai = server.ask("POST", OPENAI, &asked).1;
    assert!(openai.contains("\"prompt_tokens\""), "{openai}");
}

#[test]
fn stops() {
    let server = Server::start(&[]);
    for (words, openai, anthropic) in [
        ("/max-tokens", "length", "max_tokens"),
        ("/refuse", "content_filter", "refusal"),
    ] {
        let (_, body) = server.json(OPENAI, &prompt(words));
        assert_eq!(body["choices"][0]["finish_reason"], openai);
        let (_, body) = server.json(ANTHROPIC, &prompt(words));
        assert_eq!(body["stop_reason"], anthropic);
    }
}

#[test]
fn errors() {
    let server = Server::start(&[]);
    for path in [OPENAI, ANTHROPIC] {
        let (status, body) = server.json(path, &json!({"model": "m"}));
        assert_eq!(status, 400);
        assert_eq!(body["error"]["type"], "invalid_request_error");
        let (status, body) = server.json(path, &prompt("/error out of order"));
        assert_eq!(status, 500);
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.contains("out of order"), "{message}");
    }
}

#[test]
fn one_wire_alone() {
    for (option, spoken, silent) in [
        ("--openai", OPENAI, ANTHROPIC),
        ("--anthropic", ANTHROPIC, OPENAI),
    ] {
        let server = Server::start(&[option]);
        assert_eq!(server.ask("POST", spoken, &prompt("hello")).0, 200);
        assert_eq!(server.ask("POST", silent, &prompt("hello")).0, 404);
        let (status, models) = server.ask("GET", "/v1/models", &Value::Null);
        assert_eq!(status, 200);
        assert!(models.contains("\"stub\""), "{models}");
    }
}
