//! A session's file that anybody may have written: listed, opened, replayed, and gone on with.
//!
//! An input is the whole file. What must hold, whatever is in it:
//!
//! - listing never fails, and shows a session exactly when its header can be read;
//! - a file is refused as damaged, or of a newer format, and for no other reason;
//! - what was replayed is replayed again, the same, with what was appended since behind it.

#![no_main]

use std::{cell::OnceCell, fs, path::PathBuf};

use acp_agent::store::{Item, Store, StoreError};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

/// The session that each input is the file of.
const ID: &str = "sess_1";

thread_local! {
    /// Made once. Whoever runs this removes what is below TMPDIR.
    static STATE: OnceCell<TempDir> = const { OnceCell::new() };
}

fuzz_target!(|input: &[u8]| {
    let state = STATE.with(|state| {
        let state = state.get_or_init(|| tempfile::tempdir().expect("a folder"));
        state.path().to_owned()
    });
    let file = file(&state);
    fs::write(&file, input).expect("a file");
    let store = Store::new(state);
    let listed = store.list(None, None, 10).expect("a list").sessions;
    let Some(items) = replayed(&store, None) else {
        return assert!(listed.len() <= 1);
    };
    assert_eq!(listed.len(), 1, "what can be loaded is listed");
    let note = Item::Note {
        text: "one more".to_owned(),
    };
    let once = replayed(&store, Some(&note)).expect("it was readable before");
    assert_eq!(once, items, "reading changes nothing");
    let twice = replayed(&store, None).expect("it can be read after it was appended to");
    let (last, before) = twice.split_last().expect("what was appended is there");
    assert_eq!((before, last), (&items[..], &note), "nothing is lost");
});

/// All items, if the file can be read. `more` is appended then.
fn replayed(store: &Store, more: Option<&Item>) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let opened = store.open(ID).map_err(refused).ok()?;
    let each = |item| {
        items.push(item);
        Ok::<_, StoreError>(())
    };
    let mut log = opened.replay(each).map_err(refused).ok()?.log;
    if let Some(item) = more {
        log.append(item).expect("there is room");
    }
    Some(items)
}

/// The reasons for which a file may be refused.
fn refused(error: StoreError) {
    let is_its_fault = matches!(
        error,
        StoreError::Damaged { .. } | StoreError::NewerFormat { .. }
    );
    assert!(is_its_fault, "{error}");
}

fn file(state: &std::path::Path) -> PathBuf {
    let folder = state.join("sessions");
    fs::create_dir_all(&folder).expect("a folder");
    folder.join(format!("{ID}.jsonl"))
}
