//! A side that does not read, and a handler that is slow, are held back or given up.

use serde_json::json;
use tokio::io::AsyncWriteExt;
use wire::{Call, Closed, End, Limits};

use crate::raw_client::{DEADLINE, PIPE, connect, settle, soon};

#[tokio::test]
async fn a_client_that_does_not_read_holds_back_notifications_and_loses_none() {
    let limits = Limits {
        outbox_soft: 1000,
        ..Limits::default()
    };
    let (mut client, peer, _incoming) = connect(limits);
    let (counted, mut count) = tokio::sync::watch::channel(0);
    let telling = tokio::spawn(async move {
        for number in 0..5000 {
            peer.notify("update", &[number]).await.unwrap();
            counted.send_replace(number + 1);
        }
        assert!(peer.drain(DEADLINE).await);
    });
    settle().await;
    let told = *count.borrow_and_update();
    let shortest = json!({"jsonrpc": "2.0", "method": "update", "params": [0]})
        .to_string()
        .len();
    // One outbox, one batch in the writer's hands, one pipe, and one message above each bound.
    assert!(
        told > 0 && told < (2 * 1000 + PIPE) / shortest + 3,
        "{told} were accepted"
    );
    settle().await;
    assert!(!count.has_changed().unwrap(), "it waits");
    for number in 0..5000 {
        assert_eq!(client.json().await["params"], json!([number]));
    }
    soon(telling).await.unwrap();
}

#[tokio::test]
async fn a_client_that_asks_and_never_reads_is_given_up() {
    let limits = Limits {
        outbox_hard: 10_000,
        ..Limits::default()
    };
    let (mut client, peer, mut incoming) = connect(limits);
    let handler = tokio::spawn(async move {
        while let Some(call) = incoming.next().await {
            if let Call::Request(request) = call {
                request.responder.respond(&"x".repeat(500));
            }
        }
    });
    let asking = peer.request::<u32>("ask", &[0]);
    // Malformed lines are answered as well, by the reader.
    let flooding = async {
        let mut output = client.output.take().unwrap();
        let line = "{}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n";
        while output.write_all(line.as_bytes()).await.is_ok() {}
    };
    let (asked, ()) = soon(async { tokio::join!(asking, flooding) }).await;
    assert!(matches!(asked, Err(wire::RequestError::Closed)));
    // The handler's loop ends although the input did not.
    soon(handler).await.unwrap();
    assert!(peer.closed().is_cancelled());
    assert_eq!(peer.notify("update", &[0]).await, Err(Closed));
    match peer.end() {
        Some(End::GivenUp { backlog }) => assert!((10_000..12_000).contains(&backlog), "{backlog}"),
        other => panic!("{other:?}"),
    }
}

/// How many lines a client gets rid of while nobody handles its calls.
async fn lines_taken(limits: Limits, line: &str) -> usize {
    let (mut client, peer, mut incoming) = connect(limits);
    let mut output = client.output.take().unwrap();
    let line = line.to_owned() + "\n";
    let mut taken = 0;
    loop {
        let writing = output.write_all(line.as_bytes());
        tokio::select! {
            biased;
            written = writing => written.unwrap(),
            () = settle() => break,
        }
        taken += 1;
    }
    drop((output, peer));
    let mut handed_out = 0;
    while soon(incoming.next()).await.is_some() {
        handed_out += 1;
    }
    // The write that was broken off may have left a line that lacks only its newline.
    assert!(
        (taken..=taken + 1).contains(&handed_out),
        "{handed_out} of {taken}"
    );
    taken
}

#[tokio::test]
async fn a_slow_handler_holds_back_the_client_by_count_and_by_bytes() {
    let small = r#"{"jsonrpc":"2.0","method":"m"}"#;
    let by_count = Limits {
        incoming: 10,
        ..Limits::default()
    };
    let taken = lines_taken(by_count, small).await;
    let elsewhere = 2 * PIPE / small.len() + 2;
    assert!((10..10 + elsewhere).contains(&taken), "{taken}");

    let large = format!(
        r#"{{"jsonrpc":"2.0","method":"m","params":["{}"]}}"#,
        "x".repeat(PIPE)
    );
    let by_bytes = Limits {
        incoming_bytes: 10 * large.len(),
        ..Limits::default()
    };
    let taken = lines_taken(by_bytes, &large).await;
    assert!((10..14).contains(&taken), "{taken}");

    // A single message above the bounds passes alone.
    let one = Limits {
        incoming: 0,
        incoming_bytes: 0,
        ..Limits::default()
    };
    assert!((1..5).contains(&lines_taken(one, &large).await));
}
