//! The end of a log, for whoever has to be told why a daemon died.

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

/// As much of the end as is shown, in bytes: a few dozen lines.
const SHOWN: u64 = 4096;

/// What was written behind `start`, or the end of it. Says so if it cannot be read or is empty.
pub(super) fn tail(log: &Path, start: u64) -> String {
    let read = || -> std::io::Result<String> {
        let mut file = File::open(log)?;
        let end = file.metadata()?.len();
        file.seek(SeekFrom::Start(start.max(end.saturating_sub(SHOWN))))?;
        let mut bytes = Vec::new();
        file.take(SHOWN).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
    };
    match read() {
        Ok(text) if text.is_empty() => "(nothing)".to_owned(),
        Ok(text) => text,
        Err(error) => format!("(it cannot be read: {error})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_new_and_only_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        assert!(tail(&log, 0).contains("cannot be read"));
        std::fs::write(&log, "old\nnew\n").unwrap();
        assert_eq!(tail(&log, 4), "new");
        assert_eq!(tail(&log, 8), "(nothing)");
        std::fs::write(&log, format!("{}\nlast", "x".repeat(9_000))).unwrap();
        let long = tail(&log, 0);
        assert!(long.len() <= 4096 && long.ends_with("\nlast"));
    }
}
