//! Searching the operator's vault: a folder of Markdown files.

use std::{fs, path::Path};

use super::notes::flat;
use crate::{fit::one_line, small_file};

/// The largest file that is searched, how many are, and how deep.
const MAX_FILE: u64 = 1024 * 1024;
const MOST_FILES: usize = 10_000;
const MOST_DEEP: usize = 16;

/// How many characters of a line are told.
const SHOWN: usize = 200;

/// The lines that hold all terms, as `file:line: text`.
pub(super) fn search(folder: &Path, terms: &[String], most: usize) -> Vec<String> {
    let mut found = Vec::new();
    if terms.is_empty() {
        return found;
    }
    for path in files(folder) {
        let Some(bytes) = small_file::read(&path, MAX_FILE) else {
            continue;
        };
        let name = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
        for (number, line) in String::from_utf8_lossy(&bytes).lines().enumerate() {
            let small = line.to_lowercase();
            if terms.iter().all(|term| small.contains(term.as_str())) {
                let text = one_line(&flat(line), SHOWN);
                found.push(format!("- {}:{}: {text}", flat(&name), number + 1));
            }
            if found.len() == most {
                return found;
            }
        }
    }
    found
}

/// The Markdown files below a folder, in order. Links are not followed.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![(folder.to_owned(), 0)];
    while let Some((folder, depth)) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let path = entry.path();
            if kind.is_dir() && depth < MOST_DEEP {
                open.push((path, depth + 1));
            } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
            if found.len() == MOST_FILES {
                break;
            }
        }
    }
    found.sort();
    found
}
