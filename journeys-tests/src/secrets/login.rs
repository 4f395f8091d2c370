//! The secrets in a login: a file or a folder that is handed to the agent as it is.
//!
//! Nobody says which of its words are secret, so every word is one that is long enough for a key. What
//! is hidden too much, such as an address, costs a reader less than what is hidden too little.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A shorter word is no key; keys have 20 characters and more.
const MIN_WORD_BYTES: usize = 16;

/// Files of a login that are read, and how much of each. A login has a handful of small files; a cache
/// or a database beside them holds no keys that are looked for in vain in each message.
const MAX_FILES: usize = 64;
const MAX_FILE_BYTES: u64 = 256 * 1024;

/// Folders in folders.
const MAX_DEPTH: usize = 4;

/// The words that must not be in a result.
///
/// # Errors
/// The path cannot be read. What cannot be read below it, the agent cannot read either.
pub fn words(path: &Path) -> io::Result<Vec<String>> {
    fs::metadata(path)?;
    let mut files = Vec::new();
    collect(path, MAX_DEPTH, &mut files);
    let texts = files.iter().filter_map(|file| fs::read(file).ok());
    let mut words: Vec<String> = texts
        .flat_map(|text| words_of(&String::from_utf8_lossy(&text)))
        .collect();
    words.sort();
    words.dedup();
    Ok(words)
}

fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    if files.len() >= MAX_FILES {
        return;
    }
    if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES {
        files.push(path.to_owned());
    } else if metadata.is_dir() && depth > 0 {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut below: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        below.sort();
        below
            .iter()
            .for_each(|path| collect(path, depth - 1, files));
    }
}

/// What stands between quotes, spaces and the signs of JSON, YAML and INI files.
fn words_of(text: &str) -> Vec<String> {
    let is_border =
        |c: char| c.is_whitespace() || c.is_control() || "\"'`,;{}[]()<>\u{fffd}".contains(c);
    let words = text.split(is_border);
    // `key=value` and `key: value`, but also the `=` at the end of base64.
    let values = words.map(|word| match word.split_once('=') {
        Some((_, value)) if value.len() >= MIN_WORD_BYTES => value,
        _ => word,
    });
    let long = values.filter(|word| word.len() >= MIN_WORD_BYTES && !is_path(word));
    long.map(str::to_owned).collect()
}

/// A path of this machine is no secret, and may stand in every message.
fn is_path(word: &str) -> bool {
    word.starts_with('/') || word.starts_with("./") || word.starts_with("~/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_in_files_of_all_kinds() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(
            "auth.json",
            br#"{"token":"sk-json-0123456789","expires":12,"short":"abc"}"#,
        );
        put(
            "deep/er/.env",
            b"export KEY=sk-env-0123456789abc\nPORT=80\n",
        );
        put("token", b"c2stcGxhaW4tMDEyMzQ1Njc4OQ==\n");
        put("data.bin", b"\xff\xfe\0sk-binary-0123456789\0");
        put("paths", b"/usr/share/something/long\n");
        let wanted = [
            "c2stcGxhaW4tMDEyMzQ1Njc4OQ==",
            "sk-binary-0123456789",
            "sk-env-0123456789abc",
            "sk-json-0123456789",
        ];
        assert_eq!(words(folder.path()).unwrap(), wanted);
        assert_eq!(words(&folder.path().join("token")).unwrap(), wanted[..1]);
        assert!(words(&folder.path().join("none")).is_err());
    }
}
