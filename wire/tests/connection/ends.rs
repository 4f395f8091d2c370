//! The end of either direction, in every state of a connection.

use std::time::Duration;

use tokio::io::AsyncReadExt;
use wire::{Call, Closed, End, Limits, RequestError};

use crate::raw_client::{DEADLINE, connect, next_request, settle, soon};

#[tokio::test]
async fn what_was_written_before_the_end_is_handled_and_answered() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    client.request("1", "first").await;
    client
        .send(r#"{"jsonrpc":"2.0","id":2,"method":"without newline"}"#)
        .await;
    client.close_output();
    let first = next_request(&mut incoming).await;
    let second = next_request(&mut incoming).await;
    assert!(soon(incoming.next()).await.is_none());
    assert!(soon(incoming.next()).await.is_none());
    assert!(matches!(peer.end(), Some(End::Eof)));
    assert!(!peer.closed().is_cancelled());
    second.responder.respond(&"two");
    peer.notify("more", &[0]).await.unwrap();
    first.responder.respond(&"one");
    assert!(peer.drain(DEADLINE).await);
    assert_eq!(client.json().await["result"], "two");
    assert_eq!(client.json().await["method"], "more");
    assert_eq!(client.json().await["result"], "one");
}

#[tokio::test]
async fn an_empty_input_ends_at_once() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    assert!(peer.end().is_none());
    client.close_output();
    assert!(soon(incoming.next()).await.is_none());
    drop((peer, incoming));
    assert_eq!(client.line().await, "");
}

#[tokio::test]
async fn half_a_message_at_the_end_is_answered_with_an_error() {
    let (mut client, _peer, _incoming) = connect(Limits::default());
    client.send(r#"{"jsonrpc":"2.0","id":1,"meth"#).await;
    client.close_output();
    assert_eq!(client.json().await["error"]["code"], -32700);
}

#[tokio::test]
async fn waits_for_answers_end_with_the_input_and_no_new_one_begins() {
    let limits = Limits {
        outbox_soft: 0,
        ..Limits::default()
    };
    let (mut client, peer, mut incoming) = connect(limits);
    let ask = || {
        let peer = peer.clone();
        tokio::spawn(async move { peer.request::<u32>("ask", &["x".repeat(5000)]).await })
    };
    // One is being written, one is in the outbox, one waits for room.
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(ask());
        settle().await;
    }
    client.close_output();
    assert!(soon(incoming.next()).await.is_none());
    asked.push(ask());
    for asked in asked {
        let outcome = soon(asked).await.unwrap();
        assert!(matches!(outcome, Err(RequestError::Closed)));
    }
    // Nobody cancels what nobody can answer.
    drop((peer, incoming));
    let mut rest = String::new();
    soon(client.input.read_to_string(&mut rest)).await.unwrap();
    assert_eq!(rest.lines().count(), 2);
    assert!(!rest.contains("cancel"));
}

#[tokio::test]
async fn a_failed_write_ends_everything() {
    let (client, peer, mut incoming) = connect(Limits::default());
    let asking = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request::<u32>("ask", &[0]).await }
    });
    settle().await;
    drop(client.input);
    peer.notify("update", &[0]).await.unwrap();
    soon(peer.closed().cancelled()).await;
    assert!(matches!(peer.end(), Some(End::WriteFailed(_))));
    assert!(matches!(
        soon(asking).await.unwrap(),
        Err(RequestError::Closed)
    ));
    assert!(
        soon(incoming.next()).await.is_none(),
        "although the input is open"
    );
    assert_eq!(peer.notify("update", &[0]).await, Err(Closed));
    let asked = peer.request::<u32>("ask", &[0]).await;
    assert!(matches!(asked, Err(RequestError::Closed)));
    assert!(!peer.drain(DEADLINE).await);
    drop(client.output);
}

#[tokio::test]
async fn a_failed_write_outranks_the_end_of_the_input() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    client.request("1", "m").await;
    client.close_output();
    drop(client);
    let request = next_request(&mut incoming).await;
    assert!(soon(incoming.next()).await.is_none());
    assert!(matches!(peer.end(), Some(End::Eof)));
    request.responder.respond(&1);
    assert!(!peer.drain(DEADLINE).await);
    assert!(matches!(peer.end(), Some(End::WriteFailed(_))));
}

#[tokio::test]
async fn a_drain_has_a_deadline() {
    let (mut client, peer, _incoming) = connect(Limits::default());
    peer.notify("update", &["x".repeat(5000)]).await.unwrap();
    assert!(!peer.drain(Duration::from_millis(1)).await);
    let (line, drained) = tokio::join!(client.line(), peer.drain(DEADLINE));
    assert!(drained && line.len() > 5000);
}

#[tokio::test]
async fn closing_drops_what_is_not_written() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    client.request("1", "m").await;
    let request = next_request(&mut incoming).await;
    peer.notify("update", &["x".repeat(5000)]).await.unwrap();
    // It is in the writer's hands, who is stuck with it.
    settle().await;
    peer.close();
    request.responder.respond(&1);
    settle().await;
    assert!(soon(incoming.next()).await.is_none());
    assert!(matches!(peer.end(), Some(End::ClosedHere)));
    let mut rest = String::new();
    soon(client.input.read_to_string(&mut rest)).await.unwrap();
    assert!(rest.len() < 5000);
}

#[tokio::test]
async fn closing_frees_a_reader_that_waits_for_a_handler() {
    let limits = Limits {
        incoming: 1,
        ..Limits::default()
    };
    let (mut client, peer, _incoming) = connect(limits);
    for _ in 0..3 {
        client.notification("m", "{}").await;
    }
    settle().await;
    peer.close();
    let mut output = client.output.take().unwrap();
    assert_eq!(soon(output.read(&mut [0])).await.unwrap(), 0);
}

#[tokio::test]
async fn the_last_handle_closes_the_streams_when_all_is_written() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    client.request("1", "m").await;
    client.request("2", "m").await;
    let request = next_request(&mut incoming).await;
    peer.notify("update", &["x".repeat(5000)]).await.unwrap();
    drop((peer, incoming));
    // The second request found nobody, and the first one still has its responder.
    let update = client.json().await;
    assert_eq!(update["method"], "update");
    assert_eq!(client.json().await["error"]["code"], -32603);
    request.responder.respond(&"late");
    assert_eq!(client.json().await["result"], "late");
    assert_eq!(client.line().await, "");
    // The reading end is gone as well.
    let mut output = client.output.take().unwrap();
    assert_eq!(soon(output.read(&mut [0])).await.unwrap(), 0);
}

#[tokio::test]
async fn requests_that_find_no_handler_are_answered() {
    let (mut client, _peer, incoming) = connect(Limits::default());
    client.request("1", "queued").await;
    settle().await;
    drop(incoming);
    client.request("2", "too late").await;
    client.notification("nothing", "{}").await;
    for id in [1, 2] {
        let answer = client.json().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id.into(), &(-32603).into())
        );
    }
}

#[tokio::test]
async fn a_closed_token_is_only_a_view() {
    let (_client, peer, mut incoming) = connect(Limits::default());
    peer.closed().cancel();
    peer.notify("update", &[0]).await.unwrap();
    let next = incoming.next();
    tokio::select! {
        biased;
        call = next => panic!("{:?}", call.map(|call| matches!(call, Call::Request(_)))),
        () = settle() => {}
    }
}
