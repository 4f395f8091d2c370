//! Order, turns, bounds and ends of what is said, without any stream.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::task::yield_now;

use super::*;

const FOREVER: Duration = Duration::from_secs(20);

fn outbox(outbox_soft: usize, outbox_hard: usize) -> Arc<Outbox> {
    let limits = Limits {
        outbox_soft,
        outbox_hard,
        ..Limits::default()
    };
    Arc::new(Outbox::new(&limits))
}

/// What a writer takes at one time.
async fn batch(outbox: &Outbox) -> String {
    let mut batch = Vec::new();
    let more = timeout(FOREVER, outbox.next_batch(&mut batch))
        .await
        .unwrap();
    assert!(more || batch.is_empty());
    String::from_utf8(batch).unwrap()
}

/// Lets every task run until it waits. The test runtime has one thread.
async fn settle() {
    for _ in 0..50 {
        yield_now().await;
    }
}

#[tokio::test]
async fn many_messages_are_one_batch_in_order() {
    let outbox = outbox(1000, 1000);
    outbox.send(&1).await.unwrap();
    outbox.push(&"two").unwrap();
    outbox.send(&[3]).await.unwrap();
    assert_eq!(batch(&outbox).await, "1\n\"two\"\n[3]\n");
}

#[tokio::test]
async fn a_sender_waits_above_the_soft_bound_and_goes_on_when_the_writer_takes() {
    let outbox = outbox(4, 1000);
    outbox.send(&12).await.unwrap();
    outbox.send(&34).await.unwrap();
    let other = Arc::clone(&outbox);
    let waiting = tokio::spawn(async move { other.send(&56).await.unwrap() });
    settle().await;
    assert!(!waiting.is_finished());
    // An answer does not wait.
    outbox.push(&78).unwrap();
    assert_eq!(batch(&outbox).await, "12\n34\n78\n");
    timeout(FOREVER, waiting).await.unwrap().unwrap();
    assert_eq!(batch(&outbox).await, "56\n");
}

#[tokio::test]
async fn those_who_wait_take_turns() {
    let outbox = outbox(0, 1000);
    outbox.send(&"full").await.unwrap();
    for name in ["a", "b", "c"] {
        let outbox = Arc::clone(&outbox);
        tokio::spawn(async move {
            for count in 0..4 {
                outbox.send(&format!("{name}{count}")).await.unwrap();
            }
        });
    }
    let mut order = Vec::new();
    for _ in 0..13 {
        settle().await;
        order.push(batch(&outbox).await.replace(['"', '\n'], ""));
    }
    let expected = "full a0 b0 c0 a1 b1 c1 a2 b2 c2 a3 b3 c3";
    assert_eq!(order.join(" "), expected);
}

#[tokio::test]
async fn a_newcomer_does_not_overtake_even_when_there_is_room() {
    let outbox = outbox(0, 1000);
    outbox.send(&0).await.unwrap();
    let other = Arc::clone(&outbox);
    tokio::spawn(async move { other.send(&1).await.unwrap() });
    settle().await;
    assert_eq!(batch(&outbox).await, "0\n");
    // There is room now, but whoever waited has not run yet.
    let newcomer = outbox.send(&2);
    let (sent, first) = tokio::join!(newcomer, batch(&outbox));
    sent.unwrap();
    assert_eq!(first, "1\n");
    assert_eq!(batch(&outbox).await, "2\n");
}

#[tokio::test]
async fn a_sender_that_gives_up_waiting_sends_nothing_and_passes_its_turn_on() {
    let outbox = outbox(0, 1000);
    outbox.send(&0).await.unwrap();
    let spawn = |value: u32| {
        let outbox = Arc::clone(&outbox);
        tokio::spawn(async move { outbox.send(&value).await.unwrap() })
    };
    let (first, second, third) = (spawn(1), spawn(2), spawn(3));
    settle().await;
    second.abort();
    first.abort();
    settle().await;
    assert_eq!(batch(&outbox).await, "0\n");
    timeout(FOREVER, third).await.unwrap().unwrap();
    assert_eq!(batch(&outbox).await, "3\n");
    assert_eq!(outbox.state().waiting, 0);
}

#[tokio::test]
async fn too_many_unread_answers_end_it_and_free_the_memory() {
    let outbox = outbox(10, 100);
    let other = Arc::clone(&outbox);
    let message = "x".repeat(7);
    let mut pushed = 0;
    while outbox.end().is_none() {
        outbox.push(&message).unwrap();
        pushed += 10;
        assert!(pushed <= 120);
    }
    // The largest one is not counted: 100 bytes may wait beside it.
    assert_eq!(pushed, 120);
    assert!(matches!(outbox.end(), Some(End::GivenUp { backlog: 120 })));
    assert!(outbox.closed().is_cancelled());
    assert_eq!(outbox.state().bytes.capacity(), 0);
    outbox.push(&message).unwrap();
    assert!(matches!(other.send(&1).await, Err(SendError::Closed)));
    assert!(!outbox.drain(FOREVER).await);
    assert_eq!(batch(&outbox).await, "");
    assert_eq!(outbox.state().bytes.capacity(), 0);
}

#[tokio::test]
async fn one_answer_of_any_size_passes_and_notifications_do_not_count() {
    let outbox = outbox(10_000, 100);
    outbox.send(&"n".repeat(5_000)).await.unwrap();
    outbox.push(&"small").unwrap();
    outbox.push(&"huge".repeat(1_000)).unwrap();
    outbox.push(&"small").unwrap();
    assert!(outbox.end().is_none());
    // What the writer has taken does not count either.
    assert_eq!(batch(&outbox).await.lines().count(), 4);
    outbox.push(&"x".repeat(90)).unwrap();
    outbox.push(&"x".repeat(90)).unwrap();
    assert!(outbox.end().is_none());
}

#[tokio::test]
async fn the_end_reaches_everyone_who_waits() {
    let outbox = outbox(0, 1000);
    outbox.send(&0).await.unwrap();
    let senders: Vec<_> = (1..4)
        .map(|value| {
            let outbox = Arc::clone(&outbox);
            tokio::spawn(async move { outbox.send(&value).await })
        })
        .collect();
    settle().await;
    outbox.close(End::ClosedHere);
    outbox.close(End::Eof);
    for sender in senders {
        let sent = timeout(FOREVER, sender).await.unwrap().unwrap();
        assert!(matches!(sent, Err(SendError::Closed)));
    }
    assert!(
        matches!(outbox.end(), Some(End::ClosedHere)),
        "the first reason stays"
    );
}

#[tokio::test]
async fn finishing_gives_the_writer_the_rest() {
    let outbox = outbox(1000, 1000);
    outbox.push(&1).unwrap();
    outbox.finish();
    assert_eq!(batch(&outbox).await, "1\n");
    let mut rest = Vec::new();
    assert!(
        !timeout(FOREVER, outbox.next_batch(&mut rest))
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn drain_waits_for_the_write_not_for_the_taking() {
    let outbox = outbox(1000, 1000);
    assert!(outbox.drain(FOREVER).await, "nothing was said");
    outbox.push(&1).unwrap();
    let other = Arc::clone(&outbox);
    let drained = tokio::spawn(async move { other.drain(FOREVER).await });
    let size = batch(&outbox).await.len();
    settle().await;
    assert!(!drained.is_finished());
    // What is said later is not waited for.
    outbox.push(&2).unwrap();
    outbox.wrote(size);
    assert!(timeout(FOREVER, drained).await.unwrap().unwrap());
    assert!(
        !outbox.drain(Duration::ZERO).await,
        "the second one is not written"
    );
}

#[tokio::test]
async fn what_cannot_be_serialised_leaves_no_trace() {
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            ("half", Panics(false)).serialize(serializer)
        }
    }
    struct Panics(bool);
    impl Serialize for Panics {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            assert!(!self.0, "a faulty Serialize");
            Err(serde::ser::Error::custom("no"))
        }
    }
    let outbox = outbox(1000, 1000);
    assert!(outbox.push(&Fails).is_err());
    assert!(matches!(
        outbox.send(&Fails).await,
        Err(SendError::Unserialisable(_))
    ));
    let panicked = catch_unwind(AssertUnwindSafe(|| outbox.push(&("half", Panics(true)))));
    assert!(panicked.is_err());
    outbox.push(&1).unwrap();
    assert!(outbox.push(&Fails).is_err());
    assert_eq!(batch(&outbox).await, "1\n");
    assert_eq!(outbox.state().pushed, 2);
}

#[tokio::test]
async fn a_message_is_one_line_whoever_wrote_its_raw_parts() {
    let outbox = outbox(1000, 1000);
    let pretty = "{\n  \"a\": \"\\n\",\n  \"b\": 1\n}";
    outbox
        .push(&RawValue::from_string(pretty.to_owned()).unwrap())
        .unwrap();
    assert_eq!(batch(&outbox).await, "{   \"a\": \"\\n\",   \"b\": 1 }\n");
}
