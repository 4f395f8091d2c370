//! The file that a command would execute: found as the system finds it, and named by its digest.
//!
//! Apart from the start of the agent, because it is looked at before anything runs: by the doctor, who
//! says what is wrong with it, and by the result, which says what was tested.
//!
//! See execve(2), elf(5).

use std::{
    env,
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use nix::unistd::{AccessFlags, access};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sha256;

/// The first line of a script is read up to here; the kernel reads less.
const MAX_SHEBANG_BYTES: u64 = 1024;

/// Files beyond this size are not hashed: it would take longer than the journeys.
const MAX_HASHED_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// A file, by its name and its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileDigest {
    /// Its path, with all links followed.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// SHA-256 of its content, in hexadecimal; none if it cannot be read or is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl FileDigest {
    /// Reads the file.
    ///
    /// # Errors
    /// What the system says about the path. A file that may be executed but not read has no digest.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let bytes = path.metadata()?.len();
        let readable = bytes <= MAX_HASHED_BYTES;
        Ok(Self {
            sha256: readable
                .then(|| {
                    File::open(&path)
                        .and_then(|mut file| sha256::of(&mut file))
                        .ok()
                })
                .flatten(),
            path: path.to_string_lossy().into_owned(),
            bytes,
        })
    }
}

/// Finds a program as the system does: a name with a slash is a path, any other is looked up on PATH.
#[must_use]
pub fn find(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut candidates = env::split_paths(&path).map(|folder| folder.join(program));
    candidates.find(|file| file.is_file() && is_executable(file))
}

/// Whether this process may execute the file.
#[must_use]
pub fn is_executable(file: &Path) -> bool {
    access(file, AccessFlags::X_OK).is_ok()
}

/// What the kernel makes of a file by its first bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// A program of this machine type (`e_machine`), with the loader that it asks for.
    Elf {
        /// The number of the architecture.
        machine: u16,
        /// The dynamic loader; none for a static program.
        loader: Option<String>,
    },
    /// A script, with the interpreter of its first line.
    Script {
        /// The interpreter.
        interpreter: String,
        /// What follows it on the line.
        argument: String,
    },
    /// Neither.
    Other,
}

/// Looks at the first bytes of a file.
///
/// # Errors
/// What the system says.
pub fn format(path: &Path) -> io::Result<Format> {
    let mut file = File::open(path)?;
    let mut start = Vec::new();
    file.by_ref().take(4).read_to_end(&mut start)?;
    if start == *b"\x7fELF" {
        return Ok(elf_format(&file));
    }
    if !start.starts_with(b"#!") {
        return Ok(Format::Other);
    }
    let mut line = Vec::new();
    let first = BufReader::new(start.chain(file)).take(MAX_SHEBANG_BYTES);
    BufReader::new(first).read_until(b'\n', &mut line)?;
    let line = String::from_utf8_lossy(&line);
    // A carriage return belongs to the name, as the kernel has it.
    let words = line
        .trim_start_matches("#!")
        .trim_matches([' ', '\t', '\n']);
    let (interpreter, argument) = words.split_once([' ', '\t']).unwrap_or((words, ""));
    Ok(Format::Script {
        interpreter: interpreter.to_owned(),
        argument: argument.trim_start().to_owned(),
    })
}

/// A file that only looks like a program is no program: the kernel says the same.
fn elf_format(file: &File) -> Format {
    let Ok(mut elf) = elf::ElfStream::<elf::endian::AnyEndian, _>::open_stream(file) else {
        return Format::Other;
    };
    let machine = elf.ehdr.e_machine;
    let interp = elf
        .segments()
        .iter()
        .find(|segment| segment.p_type == elf::abi::PT_INTERP)
        .copied();
    let loader = interp.and_then(|segment| {
        let bytes = elf.segment_data(&segment).ok()?;
        let text = String::from_utf8_lossy(bytes);
        Some(text.trim_end_matches('\0').to_owned())
    });
    Format::Elf { machine, loader }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_looked_up_and_a_path_is_not() {
        let sh = find("sh").unwrap();
        assert!(sh.is_absolute());
        assert!(is_executable(&sh));
        assert_eq!(find("no-such-program-anywhere"), None);
        assert_eq!(find("./x"), Some(PathBuf::from("./x")));
    }

    #[test]
    fn formats() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        let script = |interpreter: &str, argument: &str| Format::Script {
            interpreter: interpreter.to_owned(),
            argument: argument.to_owned(),
        };
        let table = [
            (
                &b"#!/usr/bin/env node\nx"[..],
                script("/usr/bin/env", "node"),
            ),
            (b"#! /bin/sh -eu \n", script("/bin/sh", "-eu")),
            (b"#!/bin/sh", script("/bin/sh", "")),
            (b"echo hello\n", Format::Other),
            (b"", Format::Other),
            (b"\x7fELF and nothing more", Format::Other),
        ];
        for (content, wanted) in table {
            std::fs::write(&file, content).unwrap();
            assert_eq!(format(&file).unwrap(), wanted);
        }
        let own = format(&env::current_exe().unwrap()).unwrap();
        assert!(
            matches!(own, Format::Elf { machine, .. } if machine != 0),
            "{own:?}"
        );
    }

    #[test]
    fn the_digest_is_that_of_the_content() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        std::fs::write(&file, "abc").unwrap();
        let digest = FileDigest::of(&file).unwrap();
        let wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.sha256.as_deref(), Some(wanted));
        assert_eq!(digest.bytes, 3);
    }
}
