//! Bytes in arbitrary pieces, to lines, to messages: the reader of a connection.
//!
//! The first line of an input holds the lengths of the reads, a byte each; the rest is what comes
//! over the wire. What must hold, whatever that is:
//!
//! - it does not matter how the bytes were cut into reads;
//! - each request gets its one answer, under its own id, byte for byte;
//! - what is written is one JSON-RPC message a line, and never the answer to an answer;
//! - one line is answered at most once.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/transports#stdio>

#![no_main]

use std::{collections::BTreeMap, time::Duration};

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, value::RawValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use wire::{Call, Limits, connect_streams};

/// Small, so that an input of a few hundred bytes goes beyond each.
const LIMITS: Limits = Limits {
    max_line: 300,
    outbox_soft: 1 << 10,
    outbox_hard: 1 << 24,
    incoming: 3,
    incoming_bytes: 500,
};

/// Requests of ours that what comes in may answer. Their ids are small integers.
const ASKED: usize = 3;

/// What is between the two sides: more than is ever said here, so that nobody waits for room.
const ROOM: usize = 1 << 22;

/// How long a connection may take for a few kilobytes.
const DEADLINE: Duration = Duration::from_secs(10);

fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|byte| *byte == b'\n');
    let Some(end) = end else { return };
    let (lengths, stream) = (&input[..end], &input[end + 1..]);
    let seen = connection(stream, &[]);
    assert_eq!(
        seen,
        connection(stream, lengths),
        "the reads make a difference"
    );
    seen.check(stream);
});

/// What a connection made of a stream.
#[derive(Debug, PartialEq)]
struct Seen {
    /// The method and params of each call, in their order.
    calls: Vec<String>,
    /// The id of each request, as it was written.
    ids: Vec<String>,
    /// How our own requests ended.
    answers: Vec<String>,
    /// What was written. The reader and the handler answer beside each other, so: sorted.
    written: Vec<String>,
}

/// Speaks with a peer that sends this, cut into reads of these lengths.
fn connection(stream: &[u8], lengths: &[u8]) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let (theirs, ours) = duplex(ROOM);
        let (mut heard, mut said) = split(theirs);
        let (reading, writing) = split(ours);
        let (peer, mut incoming) = connect_streams(reading, writing, LIMITS);
        let asked = [(); ASKED].map(|()| {
            let peer = peer.clone();
            tokio::spawn(async move { peer.request::<Value>("ask", &[0]).await })
        });
        tokio::task::yield_now().await;
        // They are written now, and may be answered.
        assert!(peer.drain(DEADLINE).await);
        let pieces = pieces(stream, lengths);
        let saying = tokio::spawn(async move {
            for piece in pieces {
                said.write_all(&piece).await.expect("it is read");
                tokio::task::yield_now().await;
            }
            said.shutdown().await.expect("it is read");
        });
        let (mut calls, mut ids) = (Vec::new(), Vec::new());
        while let Some(call) = incoming.next().await {
            let (method, params) = match call {
                Call::Request(request) => {
                    ids.push(request.responder.id().to_string());
                    request.responder.respond(&"done");
                    (request.method, request.params)
                }
                Call::Notification(told) => (told.method, told.params),
            };
            calls.push(format!("{method:?} {:?}", params.raw().map(RawValue::get)));
        }
        saying.await.expect("no panic");
        let mut answers = Vec::new();
        for asked in asked {
            answers.push(format!("{:?}", asked.await.expect("no panic")));
        }
        drop((peer, incoming));
        let mut written = String::new();
        heard.read_to_string(&mut written).await.expect("UTF-8");
        assert!(written.ends_with('\n'), "whole lines");
        let mut written: Vec<_> = written.lines().map(ToOwned::to_owned).collect();
        written.sort_unstable();
        Seen {
            calls,
            ids,
            answers,
            written,
        }
    })
}

/// The stream in pieces of these lengths, over and over; without any, in one.
fn pieces(stream: &[u8], lengths: &[u8]) -> Vec<Vec<u8>> {
    let mut lengths = lengths.iter().cycle();
    let mut rest = stream;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let length = lengths
            .next()
            .map_or(rest.len(), |length| usize::from(*length).max(1));
        let (piece, behind) = rest.split_at(length.min(rest.len()));
        pieces.push(piece.to_vec());
        rest = behind;
    }
    pieces
}

impl Seen {
    fn check(&self, stream: &[u8]) {
        let mut answered = Vec::new();
        let (mut refused, mut asked) = (0, 0);
        for line in &self.written {
            // An id goes back as it came, also one that is no Unicode: so nothing is decoded here.
            let message: BTreeMap<String, Box<RawValue>> =
                serde_json::from_str(line).expect("one JSON object a line");
            assert_eq!(message["jsonrpc"].get(), r#""2.0""#, "{line}");
            if message.contains_key("method") {
                asked += 1;
                continue;
            }
            let id = line.strip_prefix(r#"{"jsonrpc":"2.0","id":"#).expect(line);
            match (message.get("result"), message.get("error")) {
                (Some(_), None) => {
                    let id = id.strip_suffix(r#","result":"done"}"#).expect(line);
                    answered.push(id.to_owned());
                }
                (None, Some(error)) => {
                    let error: Value = serde_json::from_str(error.get()).expect(line);
                    assert!(
                        error["code"].is_i64() && error["message"].is_string(),
                        "{line}"
                    );
                    refused += 1;
                }
                _ => panic!("neither a result nor an error: {line}"),
            }
        }
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        answered.sort_unstable();
        assert_eq!(ids, answered, "each request has its answer");
        assert_eq!(asked, ASKED, "our requests, and no cancel of one");
        let lines = stream.split(|byte| *byte == b'\n').count();
        assert!(
            refused + self.calls.len() <= lines,
            "more answers than lines"
        );
    }
}
