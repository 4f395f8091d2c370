//! No line ends a connection, and what is answered does not depend on how bytes arrive.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use wire::Limits;

use crate::raw_client::{RawClient, connect, echo};

/// Lines of all kinds, and what comes back for each.
const CONVERSATION: &[(&[u8], &str)] = &[
    (
        br#"{"jsonrpc":"2.0","id":0,"method":"m"}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":["m",null]}"#,
    ),
    (b"", ""),
    (b" \t \r", ""),
    (
        b"\xff\xfe",
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: invalid UTF-8 at byte 0"}}"#,
    ),
    (
        "{\"jsonrpc\":\"2.0\",\"id\":\"zwölf \u{1f980}\",\"method\":\"é\",\"params\":[\"漢\"]}\r"
            .as_bytes(),
        "{\"jsonrpc\":\"2.0\",\"id\":\"zwölf \u{1f980}\",\"result\":[\"é\",[\"漢\"]]}",
    ),
    (
        b"[]",
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: batches are not supported, send one message a line"}}"#,
    ),
    (
        br#"{"jsonrpc":"2.0","id":7,"method":"m","params":"SECRET"}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"Invalid params: params must be an object or an array"}}"#,
    ),
    (br#"{"jsonrpc":"2.0","method":"_unknown"}"#, ""),
    (
        br#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":99}}"#,
        "",
    ),
    (
        br#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":{}}}"#,
        "",
    ),
    (br#"{"jsonrpc":"2.0","method":"$/cancel_request"}"#, ""),
    (br#"{"jsonrpc":"2.0","id":99,"result":1}"#, ""),
    (
        br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
        "",
    ),
    (br#"{"jsonrpc":"2.0","id":"x","error":7}"#, ""),
    (
        br#"{"jsonrpc":"2.0","id":null,"method":"$/cancel_request"}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":["$/cancel_request",null]}"#,
    ),
    (
        br#"{"jsonrpc":"2.0","id":1e30,"method":"_unknown"}"#,
        r#"{"jsonrpc":"2.0","id":1e30,"error":{"code":-32601,"message":"Method not found: _unknown"}}"#,
    ),
    // The last one has no newline.
    (
        br#"{"jsonrpc":"2.0","id":"","method":"last"}"#,
        r#"{"jsonrpc":"2.0","id":"","result":["last",null]}"#,
    ),
];

async fn converse(mut cut: impl FnMut(usize) -> usize + Send + 'static) {
    let (mut client, peer, incoming) = connect(Limits::default());
    tokio::spawn(echo(incoming));
    drop(peer);
    let lines: Vec<&[u8]> = CONVERSATION.iter().map(|(line, _)| *line).collect();
    let mut output = client.output.take().unwrap();
    tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        let mut rest = &lines.join(&b'\n')[..];
        while !rest.is_empty() {
            let (piece, more) = rest.split_at(cut(rest.len()));
            output.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
            rest = more;
        }
    });
    // The reader refuses what is malformed at once, and may overtake the handler so.
    let expected = CONVERSATION.iter().map(|(_, answer)| (*answer).to_owned());
    let expected = expected.filter(|answer| !answer.is_empty());
    let mut answers = Vec::new();
    for _ in expected.clone() {
        answers.push(client.line().await);
    }
    let refused =
        |answer: &String| answer.contains("\"id\":null,\"error\"") || answer.contains("\"id\":7");
    let (by_reader, by_handler): (Vec<_>, Vec<_>) = answers.into_iter().partition(refused);
    let (reader_would, handler_would): (Vec<_>, Vec<_>) = expected.partition(refused);
    assert_eq!(by_reader, reader_would);
    assert_eq!(by_handler, handler_would);
    assert_eq!(client.line().await, "", "the end");
}

#[tokio::test]
async fn in_one_write() {
    converse(|length| length).await;
}

#[tokio::test]
async fn byte_by_byte() {
    converse(|_| 1).await;
}

#[tokio::test]
async fn in_random_pieces() {
    for seed in 0..50 {
        let mut random = StdRng::seed_from_u64(seed);
        converse(move |length| random.random_range(1..=length.min(100))).await;
    }
}

#[tokio::test]
async fn a_line_above_the_bound_gets_one_error_and_the_connection_lives() {
    let limits = Limits {
        max_line: 100,
        ..Limits::default()
    };
    let (mut client, _peer, incoming) = connect(limits);
    tokio::spawn(echo(incoming));
    client.send(vec![b'x'; 5000]).await;
    client.send("\n").await;
    client.request("1", "m").await;
    let error = client.json().await;
    assert_eq!(
        (&error["id"], &error["error"]["code"]),
        (&().into(), &(-32600).into())
    );
    let message = error["error"]["message"].as_str().unwrap();
    assert_eq!(message, "Invalid request: a line is longer than 100 bytes");
    assert_eq!(client.json().await["id"], 1);
}

async fn round_trip(client: &mut RawClient, params: String) {
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{params}}}"#);
    let mut output = client.output.take().unwrap();
    let send = async {
        use tokio::io::AsyncWriteExt;
        output.write_all((request + "\n").as_bytes()).await.unwrap();
    };
    let (line, ()) = tokio::join!(client.line(), send);
    assert!(line == format!(r#"{{"jsonrpc":"2.0","id":1,"result":["m",{params}]}}"#));
    client.output = Some(output);
}

#[tokio::test]
async fn large_and_deep_messages_pass() {
    let (mut client, _peer, incoming) = connect(Limits::default());
    tokio::spawn(echo(incoming));
    round_trip(&mut client, format!(r#"["{}"]"#, "x".repeat(6 << 20))).await;
    round_trip(
        &mut client,
        ["[".repeat(100_000), "]".repeat(100_000)].concat(),
    )
    .await;
    round_trip(&mut client, "[]".to_owned()).await;
}
