//! The same connection over blocking streams, with a thread for each direction.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write, pipe};
use std::thread;

use wire::{Closed, End, Limits, RequestError, connect_threads};

use crate::raw_client::{DEADLINE, echo, next_request, soon};

#[tokio::test]
async fn a_conversation_over_pipes() {
    let (reader, mut client_output) = pipe().unwrap();
    let (client_input, writer) = pipe().unwrap();
    let (peer, incoming) = connect_threads(reader, writer, Limits::default()).unwrap();
    let handler = tokio::spawn(echo(incoming));
    let client = thread::spawn(move || {
        let mut lines = BufReader::new(client_input).lines().map_while(Result::ok);
        for id in 0..1000 {
            writeln!(
                client_output,
                r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#
            )
            .unwrap();
            let answer = lines.next().unwrap();
            assert_eq!(
                answer,
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":["m",null]}}"#)
            );
        }
        // Without a newline, and then the end.
        write!(
            client_output,
            r#"{{"jsonrpc":"2.0","id":"last","method":"m"}}"#
        )
        .unwrap();
        drop(client_output);
        lines.collect::<Vec<_>>()
    });
    soon(handler).await.unwrap();
    assert!(matches!(peer.end(), Some(End::Eof)));
    peer.notify("bye", &[0]).await.unwrap();
    assert!(peer.drain(DEADLINE).await);
    // The writer's thread ends with the last handle, and the client sees its end.
    drop(peer);
    let rest = soon(tokio::task::spawn_blocking(|| client.join().unwrap()))
        .await
        .unwrap();
    assert_eq!(rest.len(), 2);
    assert!(rest[0].contains("last") && rest[1].contains("bye"));
}

#[tokio::test]
async fn a_blocked_writer_and_a_blocked_reader_stop_nobody() {
    let (reader, _client_output) = pipe().unwrap();
    let (client_input, writer) = pipe().unwrap();
    let limits = Limits {
        outbox_hard: 100,
        ..Limits::default()
    };
    let (peer, mut incoming) = connect_threads(reader, writer, limits).unwrap();
    // More than a pipe holds: the writer blocks.
    peer.notify("update", &["x".repeat(1 << 20)]).await.unwrap();
    assert!(!peer.drain(std::time::Duration::from_millis(1)).await);
    peer.close();
    assert!(soon(incoming.next()).await.is_none());
    drop(client_input);
}

#[tokio::test]
async fn a_closed_pipe_ends_everything() {
    let (reader, mut client_output) = pipe().unwrap();
    let (client_input, writer) = pipe().unwrap();
    let (peer, mut incoming) = connect_threads(reader, writer, Limits::default()).unwrap();
    drop(client_input);
    client_output
        .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n")
        .unwrap();
    let request = next_request(&mut incoming).await;
    request.responder.respond(&1);
    soon(peer.closed().cancelled()).await;
    match peer.end() {
        Some(End::WriteFailed(error)) => assert_eq!(error.kind(), ErrorKind::BrokenPipe),
        other => panic!("{other:?}"),
    }
    assert_eq!(peer.notify("update", &[0]).await, Err(Closed));
    assert!(matches!(
        peer.request::<u32>("ask", &[0]).await,
        Err(RequestError::Closed)
    ));
    assert!(
        soon(incoming.next()).await.is_none(),
        "although the input is open"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_who_talk_at_once_lose_nothing_and_keep_their_own_order() {
    const TALKERS: usize = 8;
    const MESSAGES: usize = 2000;
    let (client_input, writer) = pipe().unwrap();
    let limits = Limits {
        outbox_soft: 500,
        ..Limits::default()
    };
    let (peer, _incoming) = connect_threads(io::empty(), writer, limits).unwrap();
    for talker in 0..TALKERS {
        let peer = peer.clone();
        tokio::spawn(async move {
            for message in 0..MESSAGES {
                peer.notify("update", &[talker, message]).await.unwrap();
            }
        });
    }
    let counted = tokio::task::spawn_blocking(|| {
        let mut next = [0; TALKERS];
        let lines = BufReader::new(client_input).lines();
        for line in lines.take(TALKERS * MESSAGES) {
            let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            let number = |index: usize| line["params"][index].as_u64().unwrap() as usize;
            assert_eq!(number(1), next[number(0)]);
            next[number(0)] += 1;
        }
        next
    });
    assert_eq!(soon(counted).await.unwrap(), [MESSAGES; TALKERS]);
}

/// A stream that is interrupted and not ready before everything it does, and does it byte by byte.
struct Moody<T>(T, u8);

impl<T> Moody<T> {
    fn mood(&mut self) -> io::Result<()> {
        self.1 = (self.1 + 1) % 3;
        match self.1 {
            0 => Ok(()),
            1 => Err(ErrorKind::Interrupted.into()),
            _ => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl<R: Read> Read for Moody<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.mood()?;
        self.0.read(&mut buffer[..1])
    }
}

impl<W: Write> Write for Moody<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.mood()?;
        self.0.write(&bytes[..bytes.len().min(1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.mood()?;
        self.0.flush()
    }
}

#[tokio::test]
async fn streams_in_non_blocking_mode_lose_nothing() {
    let (client_input, writer) = pipe().unwrap();
    let request = br#"{"jsonrpc":"2.0","id":1,"method":"m"}"#;
    let reader = Moody(&request[..], 0);
    let (peer, incoming) = connect_threads(reader, Moody(writer, 0), Limits::default()).unwrap();
    soon(echo(incoming)).await;
    assert!(peer.drain(DEADLINE).await);
    drop(peer);
    let text = tokio::task::spawn_blocking(|| io::read_to_string(client_input));
    let text = soon(text).await.unwrap().unwrap();
    assert_eq!(
        text,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"m\",null]}\n"
    );
}

#[tokio::test]
async fn a_failed_read_is_told() {
    struct Fails;
    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("unplugged"))
        }
    }
    let (peer, mut incoming) = connect_threads(Fails, io::sink(), Limits::default()).unwrap();
    assert!(soon(incoming.next()).await.is_none());
    assert_eq!(peer.end().unwrap().to_string(), "reading failed: unplugged");
}

#[test]
fn threads_need_a_runtime() {
    assert!(connect_threads(io::empty(), io::sink(), Limits::default()).is_err());
}
