//! A flush that fails, which no healthy disk will do for a test: a pipe cannot be flushed either.

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::*;

#[test]
fn a_failed_flush_ends_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    mkfifo(&path, Mode::S_IRWXU).unwrap();
    let file = File::options().read(true).write(true).open(&path).unwrap();
    let file = Locked::take(file, &path, "s").unwrap();
    let mut log = SessionLog::resume(file, path, "s".to_owned(), 0, false);

    let error = log.sync().unwrap_err();
    assert!(
        matches!(error, StoreError::Io { what: "flush", .. }),
        "{error}"
    );
    for _ in 0..2 {
        let item = Item::Note {
            text: "x".to_owned(),
        };
        let error = log.append(&item).unwrap_err();
        assert!(matches!(error, StoreError::Lost { .. }), "{error}");
        let error = log.sync().unwrap_err();
        assert!(matches!(error, StoreError::Lost { .. }), "{error}");
    }
}
