//! A result file from a stranger: read, judged again, and reported.
//!
//! An input is the whole file. What must hold, whatever is in it:
//!
//! - it is refused or judged, and judged the same each time;
//! - what the judges make of it, written as a file, follows from its own recordings;
//! - a report of it can be written.

#![no_main]

use std::{cell::OnceCell, fs, path::Path};

use journeys_tests::{
    report,
    result::{again::Verified, file},
};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

thread_local! {
    /// Made once. Whoever runs this removes what is below TMPDIR.
    static FOLDER: OnceCell<TempDir> = const { OnceCell::new() };
}

fuzz_target!(|input: &[u8]| {
    let path = FOLDER.with(|folder| {
        let folder = folder.get_or_init(|| tempfile::tempdir().expect("a folder"));
        folder.path().join("result.json")
    });
    fs::write(&path, input).expect("a file");
    let Some(verified) = verified(&path) else {
        return;
    };
    assert_eq!(
        Some(&verified),
        self::verified(&path).as_ref(),
        "a judge has a memory"
    );
    report::write(&verified.result, &mut Vec::new()).expect("a report");
    report::html::write(&verified.result, &path).expect("a page");

    let format = verified.result.format;
    verified.result.sealed().write(&path).expect("a file");
    let again = self::verified(&path).expect("what was written can be read");
    assert_eq!(
        again.differences, [""; 0],
        "a result of format {format} does not follow"
    );
});

fn verified(path: &Path) -> Option<Verified> {
    Some(file::read(path).ok()?.verified())
}
