//! Requests both ways: answers, cancellation, and what is late or doubled.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;
use wire::{Call, Error, Limits, RequestError};

use crate::raw_client::{connect, next_request, settle, soon};

#[tokio::test]
async fn answers_come_to_whoever_asked_in_any_order() {
    let (mut client, peer, _incoming) = connect(Limits::default());
    let ask = |number: u32| {
        let peer = peer.clone();
        tokio::spawn(async move { peer.request::<u32>("ask", &[number]).await })
    };
    let (one, two, three) = (ask(1), ask(2), ask(3));
    for number in 1..=3 {
        let expected = json!({"jsonrpc": "2.0", "id": number, "method": "ask", "params": [number]});
        assert_eq!(client.json().await, expected);
    }
    client.send("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":30}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10}\n").await;
    client
        .send("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":20}\n")
        .await;
    assert_eq!(soon(one).await.unwrap().unwrap(), 10);
    assert_eq!(soon(two).await.unwrap().unwrap(), 20);
    assert_eq!(soon(three).await.unwrap().unwrap(), 30);
}

#[tokio::test]
async fn what_is_no_result_says_why() {
    let table = [
        (
            r#""error":{"code":-32601,"message":"no","data":[1]}"#,
            r#"Answer(Error { code: -32601, message: "no", data: Some(Array [Number(1)]) })"#,
        ),
        (
            r#""error":{"code":5}"#,
            r#"Answer(Error { code: 5, message: "", data: None })"#,
        ),
        (
            r#""error":"SECRET""#,
            r#"Malformed("its error is not an error object")"#,
        ),
        (
            r#""result":"SECRET""#,
            r#"Malformed("invalid type: string, expected u32 (at byte 8)")"#,
        ),
        (
            r#""result":1,"error":{}"#,
            r#"Malformed("it has a result and an error")"#,
        ),
        (
            r#""result":1,"result":2"#,
            r#"Malformed("a member is there twice")"#,
        ),
        (
            r#""_meta":{}"#,
            r#"Malformed("it has neither a result nor an error")"#,
        ),
    ];
    let (mut client, peer, _incoming) = connect(Limits::default());
    for (id, (answer, expected)) in (1..).zip(table) {
        let asking = peer.request::<u32>("ask", &[0]);
        let answering = client.send(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}\n"));
        // The request is polled first, so it is on its way before the answer comes.
        let (outcome, ()) = soon(async { tokio::join!(biased; asking, answering) }).await;
        assert_eq!(format!("{:?}", outcome.unwrap_err()), expected);
    }
}

#[tokio::test]
async fn a_raw_result_comes_through_untouched() {
    let (mut client, peer, _incoming) = connect(Limits::default());
    let asking = peer.request::<Box<RawValue>>("ask", &[0]);
    let answering = client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"b\": 1.50}}\n");
    let (result, ()) = soon(async { tokio::join!(biased; asking, answering) }).await;
    assert_eq!(result.unwrap().get(), r#"{"b": 1.50}"#);
}

#[tokio::test]
async fn a_dropped_request_is_cancelled_and_its_late_answer_is_harmless() {
    let (mut client, peer, _incoming) = connect(Limits::default());
    let asking = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request::<u32>("ask", &[0]).await }
    });
    assert_eq!(client.json().await["id"], 1);
    asking.abort();
    let expected =
        json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}});
    assert_eq!(client.json().await, expected);
    client
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10}\n")
        .await;
    // An answered request is not cancelled when its future is dropped.
    let asking = peer.request::<u32>("ask", &[0]);
    let answering = client.send("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":20}\n");
    let (result, ()) = soon(async { tokio::join!(biased; asking, answering) }).await;
    assert_eq!(result.unwrap(), 20);
    peer.notify("last", &[0]).await.unwrap();
    assert_eq!(client.json().await["id"], 2);
    assert_eq!(client.json().await["method"], "last");
}

#[tokio::test]
async fn a_request_that_was_never_sent_is_not_cancelled() {
    let limits = Limits {
        outbox_soft: 0,
        ..Limits::default()
    };
    let (mut client, peer, _incoming) = connect(limits);
    // Twice: once in the writer's hands, once in the outbox.
    peer.notify("full", &["x".repeat(5000)]).await.unwrap();
    settle().await;
    peer.notify("full", &[0]).await.unwrap();
    let asking = tokio::spawn({
        let peer = peer.clone();
        async move { peer.request::<u32>("ask", &[0]).await }
    });
    settle().await;
    asking.abort();
    settle().await;
    let telling = peer.notify("last", &[0]);
    let reading = async {
        let mut methods = Vec::new();
        for _ in 0..3 {
            methods.push(client.json().await["method"].as_str().unwrap().to_owned());
        }
        methods
    };
    let (told, methods) = soon(async { tokio::join!(telling, reading) }).await;
    told.unwrap();
    assert_eq!(methods, ["full", "full", "last"]);
}

#[tokio::test]
async fn params_that_are_no_json_are_an_error_and_nothing_is_sent() {
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no"))
        }
    }
    let (mut client, peer, mut incoming) = connect(Limits::default());
    let asked = peer.request::<u32>("ask", &Fails).await;
    assert!(matches!(asked, Err(RequestError::Params(_))));
    peer.notify("tell", &Fails).await.unwrap();
    client.request("1", "m").await;
    next_request(&mut incoming).await.responder.respond(&Fails);
    let message = "Internal error: the result cannot be written as JSON: no";
    let expected =
        json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": message}});
    assert_eq!(client.json().await, expected);
}

#[tokio::test]
async fn a_cancel_hits_all_requests_of_its_id_in_flight_and_no_other() {
    let (mut client, _peer, mut incoming) = connect(Limits::default());
    for id in ["1", "\"1\"", "1", "\"a\"", "2"] {
        client.request(id, "m").await;
    }
    let mut requests = Vec::new();
    for _ in 0..5 {
        requests.push(next_request(&mut incoming).await);
    }
    client
        .notification("$/cancel_request", r#"{"requestId":1}"#)
        .await;
    client
        .notification("$/cancel_request", r#"{"requestId":"\u0061"}"#)
        .await;
    client.notification("after", "{}").await;
    // The reader works in order: when this is here, the cancels have been done.
    assert!(
        matches!(soon(incoming.next()).await, Some(Call::Notification(call)) if call.method == "after")
    );
    let hit: Vec<_> = requests
        .iter()
        .map(|request| request.responder.cancelled().is_cancelled())
        .collect();
    assert_eq!(hit, [true, false, true, true, false]);
    // The id is used again while the old ones are open, and after they are answered.
    client.request("1", "m").await;
    let again = next_request(&mut incoming).await;
    assert!(!again.responder.cancelled().is_cancelled());
    drop(requests);
    client
        .notification("$/cancel_request", r#"{"requestId":1}"#)
        .await;
    soon(again.responder.cancelled().cancelled()).await;
    again
        .responder
        .finish(Err::<(), _>(Error::request_cancelled()));
    let mut codes = Vec::new();
    for _ in 0..6 {
        codes.push(client.json().await["error"]["code"].as_i64().unwrap());
    }
    // Dropped without an answer: cancelled, or a fault of ours. The last one answered.
    assert_eq!(codes, [-32800, -32603, -32800, -32800, -32603, -32800]);
}

#[tokio::test]
async fn a_cancel_in_the_same_write_is_seen_before_the_handler_runs() {
    let (mut client, _peer, mut incoming) = connect(Limits::default());
    let both = [
        r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}"#,
    ];
    client.send(both.join("\n") + "\n").await;
    settle().await;
    let request = next_request(&mut incoming).await;
    assert!(request.responder.cancelled().is_cancelled());
}

#[tokio::test]
async fn a_panicking_handler_answers() {
    let (mut client, _peer, mut incoming) = connect(Limits::default());
    client.request("1", "m").await;
    let request = next_request(&mut incoming).await;
    let task = tokio::spawn(async move {
        let _request = request;
        panic!("a faulty handler");
    });
    assert!(task.await.is_err());
    assert_eq!(client.json().await["error"]["code"], -32603);
    struct Panics;
    impl Serialize for Panics {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("a faulty Serialize")
        }
    }
    client.request("2", "m").await;
    let request = next_request(&mut incoming).await;
    let task = tokio::spawn(async move { request.responder.respond(&Panics) });
    assert!(task.await.is_err());
    let answer = client.json().await;
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&2.into(), &(-32603).into())
    );
}

#[tokio::test]
async fn an_answer_stands_behind_what_was_told_before_it() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    client.request("1", "m").await;
    let request = next_request(&mut incoming).await;
    let telling = tokio::spawn(async move {
        for number in 0..2000 {
            peer.notify("update", &[number]).await.unwrap();
        }
        request.responder.respond(&"done");
    });
    for number in 0..2000 {
        assert_eq!(client.json().await["params"], json!([number]));
    }
    assert_eq!(client.json().await["result"], "done");
    soon(telling).await.unwrap();
}

#[tokio::test]
async fn an_answer_gets_through_to_a_handler_that_is_busy() {
    let limits = Limits {
        incoming: 1,
        ..Limits::default()
    };
    let (mut client, peer, mut incoming) = connect(limits);
    let asking = tokio::spawn(async move { peer.request::<u32>("ask", &[0]).await });
    assert_eq!(client.json().await["id"], 1);
    // The queue is full and its only reader does nothing.
    client.notification("one", "{}").await;
    client
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10}\n")
        .await;
    assert_eq!(soon(asking).await.unwrap().unwrap(), 10);
    assert!(matches!(
        soon(incoming.next()).await,
        Some(Call::Notification(_))
    ));
}

#[tokio::test]
async fn both_sides_can_be_this_crate() {
    let (a, b) = tokio::io::duplex(100);
    let (read_a, write_a) = tokio::io::split(a);
    let (read_b, write_b) = tokio::io::split(b);
    let (one, _incoming) = wire::connect_streams(read_a, write_a, Limits::default());
    let (_two, incoming) = wire::connect_streams(read_b, write_b, Limits::default());
    tokio::spawn(crate::raw_client::echo(incoming));
    let one = Arc::new(one);
    let answers: Vec<_> = (0..100)
        .map(|number| {
            let one = Arc::clone(&one);
            tokio::spawn(async move { one.request::<(String, [u32; 1])>("m", &[number]).await })
        })
        .collect();
    for (number, answer) in (0..).zip(answers) {
        assert_eq!(
            soon(answer).await.unwrap().unwrap(),
            ("m".to_owned(), [number])
        );
    }
    let unknown = soon(one.request::<u32>("_unknown", &[0])).await;
    assert!(
        matches!(unknown, Err(RequestError::Answer(error)) if error.code == wire::METHOD_NOT_FOUND)
    );
}

#[tokio::test]
async fn who_has_caught_up_has_heard_what_was_written_before_the_answer() {
    let (mut client, peer, mut incoming) = connect(Limits::default());
    let asking = tokio::spawn(async move {
        let answer = peer.request::<u32>("ask", &[0]).await;
        peer.caught_up().await;
        answer
    });
    assert_eq!(client.json().await["id"], 1);
    client.notification("before", "{}").await;
    client
        .send("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":10}\n")
        .await;
    let call = soon(incoming.next()).await;
    assert!(matches!(call, Some(Call::Notification(_))));
    // It was handed out; it has been handled when the next one is asked for.
    crate::raw_client::settle().await;
    assert!(!asking.is_finished());
    drop(incoming);
    assert_eq!(soon(asking).await.unwrap().unwrap(), 10);
}
