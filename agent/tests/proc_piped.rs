//! A process with pipes, as an MCP server is one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is how a test fails"
)]

mod proc_support;

use std::path::Path;

use acp_agent::proc::{Ended, Piped, start_piped};
use proc_support::{DEADLINE, alive, sh, sleeps, supervisor, token, until};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

async fn start(script: &str, token: &str) -> Piped {
    start_piped(&supervisor(), sh(script, token, Path::new("/")))
        .await
        .unwrap()
}

#[tokio::test]
async fn what_is_written_comes_back_and_closing_ends_it() {
    let mut server = start("cat; echo bye >&2", &token()).await;
    server.stdin.write_all(b"hello").await.unwrap();
    drop(server.stdin);
    let (mut out, mut err) = (String::new(), String::new());
    server.stdout.read_to_string(&mut out).await.unwrap();
    server.stderr.read_to_string(&mut err).await.unwrap();
    assert_eq!((out.as_str(), err.as_str()), ("hello", "bye\n"));
    assert_eq!(server.tree.wait().await, Ended::Exited(0));
}

#[tokio::test]
async fn its_end_is_told_and_told_again() {
    let mut server = start("exit 3", &token()).await;
    assert_eq!(server.tree.wait().await, Ended::Exited(3));
    assert_eq!(server.tree.end().await, Ended::Exited(3));
}

#[tokio::test]
async fn an_output_that_is_closed_early_is_seen() {
    let token = token();
    let mut server = start("sleep TOKEN >/dev/null & exec >/dev/null; wait", &token).await;
    until("it runs", || sleeps(&token)).await;
    let mut out = String::new();
    let end = server.stdout.read_to_string(&mut out);
    tokio::time::timeout(DEADLINE, end).await.unwrap().unwrap();
    assert!(sleeps(&token));
    server.tree.end().await;
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[tokio::test]
async fn ending_it_leaves_nothing() {
    let token = token();
    let mut server = start("setsid sleep TOKEN & wait", &token).await;
    until("it runs", || sleeps(&token)).await;
    assert_eq!(server.tree.end().await, Ended::Signaled(15));
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[tokio::test]
async fn killing_it_gives_no_grace() {
    let token = token();
    let mut server = start("trap 'echo heard' TERM; sleep TOKEN & wait; wait", &token).await;
    until("it runs", || sleeps(&token)).await;
    server.tree.kill_now();
    assert_eq!(server.tree.wait().await, Ended::Signaled(9));
    let mut out = String::new();
    server.stdout.read_to_string(&mut out).await.unwrap();
    assert_eq!(out, "");
    assert_eq!(alive(&token), Vec::<String>::new());
}

#[tokio::test]
async fn dropping_it_ends_it() {
    let token = token();
    let server = start("trap '' TERM; setsid sleep TOKEN & wait", &token).await;
    until("it runs", || sleeps(&token)).await;
    drop(server);
    until("nothing is left", || alive(&token).is_empty()).await;
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    let mut spec = sh("", &token(), Path::new("/"));
    spec.program = "no-such-server".into();
    let error = start_piped(&supervisor(), spec).await.unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
}
