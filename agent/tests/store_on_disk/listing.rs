//! The list of sessions.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use acp_agent::store::{Item, Page, StoreError};

use crate::fixture::{State, header, header_in, note, prompt, store_session, title, turn_end};

/// Sets when a session was last written to.
fn touch(state: &State, id: &str, seconds: u64) -> SystemTime {
    let time = UNIX_EPOCH + Duration::from_secs(seconds);
    let file = std::fs::File::options()
        .append(true)
        .open(state.file(id))
        .unwrap();
    file.set_modified(time).unwrap();
    time
}

fn ids(page: &Page) -> Vec<&str> {
    page.sessions
        .iter()
        .map(|session| session.session_id.as_str())
        .collect()
}

/// The ids of all pages, and how many pages they were.
fn all(state: &State, cwd: Option<&str>, size: usize) -> (Vec<String>, usize) {
    let (mut found, mut pages, mut cursor) = (Vec::new(), 0, None);
    loop {
        let page = state
            .store()
            .list(cwd.map(Path::new), cursor.as_deref(), size)
            .unwrap();
        pages += 1;
        assert!(pages < 100, "no end");
        found.extend(ids(&page).into_iter().map(str::to_owned));
        match page.next_cursor {
            Some(next) => cursor = Some(next),
            None => return (found, pages),
        }
    }
}

#[test]
fn a_store_that_is_not_there_has_no_sessions() {
    let state = State::new();
    let page = state.store().list(None, None, 10).unwrap();
    assert!(page.sessions.is_empty() && page.next_cursor.is_none());
    assert!(!state.sessions().exists());
}

#[test]
fn pages_hold_each_session_once_latest_first() {
    let state = State::new();
    let mut expected = Vec::new();
    for number in 0..23_u64 {
        let id = format!("s{number:02}");
        let cwd = if number % 5 == 0 { "/w2" } else { "/w1" };
        store_session(&state.store(), &header_in(&id, cwd), &[]);
        // Every four of them at the same moment.
        touch(&state, &id, 1_000 - number / 4);
        expected.push(id);
    }
    for (size, pages) in [(1, 23), (7, 4), (22, 2), (23, 1), (100, 1)] {
        assert_eq!(
            all(&state, None, size),
            (expected.clone(), pages),
            "pages of {size}"
        );
    }
    let of_w2 = ["s00", "s05", "s10", "s15", "s20"]
        .map(str::to_owned)
        .to_vec();
    for (size, pages) in [(1, 5), (2, 3), (5, 1), (6, 1)] {
        assert_eq!(
            all(&state, Some("/w2"), size),
            (of_w2.clone(), pages),
            "pages of {size}"
        );
    }
    assert_eq!(all(&state, Some("/w3"), 5), (Vec::new(), 1));
}

#[test]
fn a_cursor_outlives_its_session() {
    let state = State::new();
    for (id, seconds) in [("a", 30), ("b", 20), ("c", 10)] {
        store_session(&state.store(), &header(id), &[]);
        touch(&state, id, seconds);
    }
    let page = state.store().list(None, None, 2).unwrap();
    assert_eq!(ids(&page), ["a", "b"]);
    state.store().delete("b").unwrap();
    let page = state
        .store()
        .list(None, page.next_cursor.as_deref(), 2)
        .unwrap();
    assert_eq!(ids(&page), ["c"]);
    assert_eq!(page.next_cursor, None);
}

#[test]
fn a_bad_cursor_is_refused() {
    let state = State::new();
    for cursor in ["", "garbage", "2", "eyJwYWdlIjogMn0="] {
        let error = state.store().list(None, Some(cursor), 10).unwrap_err();
        assert!(
            matches!(error, StoreError::InvalidCursor),
            "{cursor}: {error}"
        );
    }
}

#[test]
fn a_session_shows_what_it_is() {
    let state = State::new();
    let mut header = header("s");
    header.additional_directories = vec!["/lib".into()];
    let turn = [
        prompt("p"),
        title("first"),
        turn_end(),
        title("last"),
        note("n"),
    ];
    store_session(&state.store(), &header, &turn);
    let updated_at = touch(&state, "s", 77);
    let page = state.store().list(None, None, 10).unwrap();
    let [session] = &page.sessions[..] else {
        panic!("{page:?}");
    };
    assert_eq!(session.cwd, header.cwd);
    assert_eq!(
        session.additional_directories,
        header.additional_directories
    );
    assert_eq!(session.title.as_deref(), Some("last"));
    assert_eq!(session.updated_at, updated_at);
}

/// The title of a log that is too long to be read whole.
#[test]
fn a_long_log_shows_its_early_or_late_title() {
    let long = || note(&"x".repeat(2 << 20));
    let early = || title("early");
    let late = || title("late");
    let table: [(&str, Vec<Item>, Option<&str>); 4] = [
        (
            "early",
            vec![early(), long(), long(), long()],
            Some("early"),
        ),
        (
            "after an image",
            vec![long(), early(), long(), long()],
            Some("early"),
        ),
        (
            "late",
            vec![early(), long(), long(), long(), late()],
            Some("late"),
        ),
        ("none", vec![long(), long(), long()], None),
    ];
    for (name, turn, expected) in table {
        let state = State::new();
        store_session(&state.store(), &header("s"), &turn);
        let page = state.store().list(None, None, 10).unwrap();
        assert_eq!(page.sessions[0].title.as_deref(), expected, "{name}");
    }
}

#[test]
fn what_is_no_session_hides_only_itself() {
    let state = State::new();
    state.plant("empty", b"");
    state.plant("garbage", b"garbage\n");
    state.plant("newer", b"{\"format\":2}\n");
    std::fs::write(state.sessions().join("notes.txt"), "x").unwrap();
    std::fs::write(state.sessions().join("a b.jsonl"), "x").unwrap();
    store_session(&state.store(), &header("s"), &[]);
    assert_eq!(all(&state, None, 10), (vec!["s".to_owned()], 1));
    assert_eq!(all(&state, None, 1).0, ["s"]);
}

#[test]
fn a_session_in_use_is_listed_with_what_it_has() {
    let state = State::new();
    let mut log = state.store().create(&header("s")).unwrap();
    log.append(&title("T")).unwrap();
    let page = state.store().list(None, None, 10).unwrap();
    assert_eq!(page.sessions[0].title.as_deref(), Some("T"));
}
