//! Files that are not what was written.

use acp_agent::store::StoreError;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::fixture::{State, header, items, load, note, sample, store_session};

const HEADER: &str = r#"{"format":1,"session_id":"s","cwd":"/w","created":"now"}"#;
const NOTE: &str = r#"{"item":"note","text":"n"}"#;

/// How a file loads.
#[derive(Debug, PartialEq)]
enum Loads {
    /// With so many notes, and so many bytes dropped.
    With { notes: usize, dropped: u64 },
    /// Not at all, for this line.
    Damaged { line: u64 },
    /// Not by this program.
    Newer,
}
use Loads::{Damaged, Newer, With};

/// Loads a session of notes.
fn loads(state: &State) -> Loads {
    match load(&state.store(), "s") {
        Ok((items, replayed)) => {
            assert!(items.iter().all(|item| *item == note("n")));
            With {
                notes: items.len(),
                dropped: replayed.dropped,
            }
        }
        Err(StoreError::Damaged { line, .. }) => Damaged { line },
        Err(StoreError::NewerFormat { .. }) => Newer,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn each_damage_has_its_answer() {
    let two = format!("{HEADER}\n{NOTE}\n{NOTE}\n");
    let torn_letter = "{\"item\":\"note\",\"text\":\"ü".as_bytes();
    let table: Vec<(&str, Vec<u8>, Loads)> = vec![
        (
            "whole",
            two.clone().into(),
            With {
                notes: 2,
                dropped: 0,
            },
        ),
        (
            "only a header",
            format!("{HEADER}\n").into(),
            With {
                notes: 0,
                dropped: 0,
            },
        ),
        (
            "with CRLF",
            two.replace('\n', "\r\n").into(),
            With {
                notes: 2,
                dropped: 0,
            },
        ),
        (
            "no last newline",
            two.trim_end().into(),
            With {
                notes: 1,
                dropped: 26,
            },
        ),
        (
            "torn item",
            format!("{two}{{\"it").into(),
            With {
                notes: 2,
                dropped: 4,
            },
        ),
        (
            "torn within a letter",
            [two.as_bytes(), &torn_letter[..torn_letter.len() - 1]].concat(),
            With {
                notes: 2,
                dropped: 24,
            },
        ),
        (
            "zeros at the end",
            format!("{two}\0\0\0").into(),
            With {
                notes: 2,
                dropped: 3,
            },
        ),
        (
            "zeros and a newline",
            format!("{two}\0\0\0\n").into(),
            With {
                notes: 2,
                dropped: 4,
            },
        ),
        (
            "an empty last line",
            format!("{two}\n").into(),
            With {
                notes: 2,
                dropped: 1,
            },
        ),
        ("empty", Vec::new(), Damaged { line: 1 }),
        ("torn header", HEADER[..20].into(), Damaged { line: 1 }),
        ("header without newline", HEADER.into(), Damaged { line: 1 }),
        ("zeros for a header", vec![0; 4096], Damaged { line: 1 }),
        (
            "no header",
            format!("{NOTE}\n{NOTE}\n").into(),
            Damaged { line: 1 },
        ),
        (
            "another's header",
            two.replace("\"s\"", "\"t\"").into(),
            Damaged { line: 1 },
        ),
        ("a huge header", vec![b' '; 2 << 20], Damaged { line: 1 }),
        (
            "a newer format",
            b"{\"format\":2}\n\0\0\n\0\0\n".into(),
            Newer,
        ),
        (
            "a bad line in the middle",
            format!("{HEADER}\n{NOTE}\nx\n{NOTE}\n").into(),
            Damaged { line: 3 },
        ),
        (
            "an empty line in the middle",
            format!("{HEADER}\n\n{NOTE}\n").into(),
            Damaged { line: 2 },
        ),
        (
            "zeros in the middle",
            format!("{HEADER}\n\0\0\n{NOTE}\n").into(),
            Damaged { line: 2 },
        ),
        (
            "two items in one line",
            format!("{HEADER}\n{NOTE}{NOTE}\n{NOTE}\n").into(),
            Damaged { line: 2 },
        ),
        (
            "an unknown kind",
            format!("{HEADER}\n{{\"item\":\"x\"}}\n{NOTE}\n").into(),
            Damaged { line: 2 },
        ),
        (
            "an unknown kind at the end",
            format!("{two}{{\"item\":\"x\"}}\n").into(),
            Damaged { line: 4 },
        ),
        (
            "another header",
            format!("{two}{HEADER}\n").into(),
            Damaged { line: 4 },
        ),
    ];
    for (name, bytes, expected) in table {
        let state = State::new();
        state.plant("s", &bytes);
        assert_eq!(loads(&state), expected, "{name}");
        assert_eq!(
            std::fs::read(state.file("s")).unwrap(),
            bytes,
            "{name}: loading wrote"
        );
    }
}

#[test]
fn the_items_before_a_bad_line_are_handed_on() {
    let state = State::new();
    state.plant("s", format!("{HEADER}\n{NOTE}\nx\n{NOTE}\n").as_bytes());
    let mut seen = 0;
    let error = state
        .store()
        .open("s")
        .unwrap()
        .replay(|_| {
            seen += 1;
            Ok::<_, StoreError>(())
        })
        .unwrap_err();
    assert_eq!(seen, 1);
    let message = error.to_string();
    let expected = "sessions/s.jsonl, line 3: expected value at column 1; mend or remove";
    assert!(message.contains(expected), "{message}");
}

/// Wherever a file is cut, what is whole before the cut loads, and the session goes on.
#[test]
fn a_file_cut_anywhere_loads_a_prefix_and_goes_on() {
    let state = State::new();
    let all = sample();
    store_session(&state.store(), &header("s"), &all);
    let bytes = std::fs::read(state.file("s")).unwrap();
    for cut in 0..=bytes.len() {
        state.plant("s", &bytes[..cut]);
        let lines = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
        let Some(whole) = lines.checked_sub(1) else {
            let error = load(&state.store(), "s").unwrap_err();
            assert!(
                matches!(error, StoreError::Damaged { line: 1, .. }),
                "{cut}: {error}"
            );
            continue;
        };
        let (loaded, mut replayed) = load(&state.store(), "s").unwrap();
        assert_eq!(loaded, all[..whole], "cut at {cut}");
        let in_turn = (1..=3).contains(&whole) || whole == 6;
        assert_eq!(replayed.interrupted, in_turn, "cut at {cut}");

        replayed.log.append(&note("on")).unwrap();
        replayed.log.sync().unwrap();
        drop(replayed);
        let mut expected = all[..whole].to_vec();
        expected.push(note("on"));
        assert_eq!(items(&state.store(), "s"), expected, "cut at {cut}");
    }
}

/// Whatever is wrong with a file: an answer, never a crash, and never an item that was not there.
#[test]
fn random_damage_is_survived() {
    let state = State::new();
    let all = sample();
    store_session(&state.store(), &header("s"), &all);
    let bytes = std::fs::read(state.file("s")).unwrap();
    let mut random = SmallRng::seed_from_u64(1);
    for round in 0..2_000 {
        let mut damaged = bytes.clone();
        for _ in 0..random.random_range(1..4) {
            let place = random.random_range(0..damaged.len());
            damaged[place] = random.random();
        }
        state.plant("s", &damaged);
        match load(&state.store(), "s") {
            Ok((items, _)) => assert!(items.len() <= all.len() + 3, "round {round}"),
            Err(StoreError::Damaged { line, .. }) => assert!(line >= 1, "round {round}"),
            Err(StoreError::NewerFormat { .. }) => {}
            Err(error) => panic!("round {round}: {error}"),
        }
    }
}
