//! The session's folder: what is in it, and what a turn changed.
//!
//! A snapshot is data and the comparison is pure, so that a verdict can be derived again. Content,
//! kind, mode and link target say what changed; inode and times say what was touched and put back.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#working-directory>

use std::{
    collections::{BTreeMap, HashSet},
    fs::{self, File, Metadata},
    io::{self, Read as _},
    os::unix::fs::{FileTypeExt as _, MetadataExt as _},
    path::Path,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sha256;

/// A workspace of the checker holds a handful of files; an agent that makes this many is cut off.
const MAX_ENTRIES: usize = 10_000;

/// Content is hashed up to here; beyond it the size and the times must do.
const MAX_HASHED_BYTES: u64 = 64 * 1024 * 1024;

/// The folder at one moment: relative path to entry. The folder itself is the path `.`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// The entries.
    pub entries: BTreeMap<String, Entry>,
    /// Parts that could not be read, or that were too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

/// One file, folder or link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// What it is and holds.
    #[serde(flatten)]
    pub kind: EntryKind,
    /// Permission bits.
    pub mode: u32,
    /// Inode number: a file that was replaced has another one.
    pub inode: u64,
    /// Time of the last change of content, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time of the last change of any kind; no program can set it back.
    pub ctime_ns: i64,
}

/// What an entry is and holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EntryKind {
    /// A regular file.
    File {
        /// Its length.
        bytes: u64,
        /// SHA-256 of its content, in hexadecimal; none if it was too long.
        sha256: Option<String>,
    },
    /// A folder.
    Folder,
    /// A symbolic link.
    Link {
        /// Where it points.
        target: String,
    },
    /// A pipe, socket or device.
    Other,
}

/// What happened between two snapshots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Difference {
    /// Paths that are there, gone, or different, each with a word for it.
    pub changed: Vec<String>,
    /// Paths that look the same but were written, replaced, or had something made and removed inside.
    pub touched: Vec<String>,
}

impl Snapshot {
    /// Looks at the folder. Never fails: what cannot be read is named in `faults`.
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let mut snapshot = Self::default();
        let mut open = vec![String::from(".")];
        while let Some(relative) = open.pop() {
            if snapshot.entries.len() >= MAX_ENTRIES {
                snapshot.faults.push(format!(
                    "more than {MAX_ENTRIES} entries; the rest is not compared"
                ));
                break;
            }
            let path = folder.join(&relative);
            match entry(&path) {
                Ok(entry) => {
                    if entry.kind == EntryKind::Folder {
                        match children(&path, &relative) {
                            Ok(children) => open.extend(children),
                            Err(error) => snapshot.faults.push(format!("{relative}: {error}")),
                        }
                    }
                    snapshot.entries.insert(relative, entry);
                }
                Err(error) => snapshot.faults.push(format!("{relative}: {error}")),
            }
        }
        snapshot
    }

    /// What changed from this snapshot to a later one.
    #[must_use]
    pub fn difference(&self, later: &Self) -> Difference {
        let mut difference = Difference::default();
        for (path, before) in &self.entries {
            match later.entries.get(path) {
                None => difference.changed.push(format!("{path} removed")),
                Some(after) if before.kind != after.kind || before.mode != after.mode => {
                    difference.changed.push(format!("{path} changed"));
                }
                Some(after) if before != after => difference.touched.push(path.clone()),
                Some(_) => {}
            }
        }
        let new = later
            .entries
            .keys()
            .filter(|path| !self.entries.contains_key(*path));
        difference
            .changed
            .extend(new.map(|path| format!("{path} created")));
        let known: HashSet<&String> = self.faults.iter().collect();
        let faults = later.faults.iter().filter(|fault| !known.contains(fault));
        difference.changed.extend(faults.cloned());
        difference
    }
}

/// The names beside a workspace. Those with the prefix are the checker's own.
#[must_use]
pub fn beside(workspace: &Path, own_prefix: &str) -> Vec<String> {
    let entries = workspace
        .parent()
        .and_then(|folder| fs::read_dir(folder).ok());
    let entries = entries.into_iter().flatten().flatten().take(MAX_ENTRIES);
    let names = entries.map(|entry| entry.file_name());
    let strange = names
        .filter(|name| Some(name.as_os_str()) != workspace.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| !name.starts_with(own_prefix));
    let mut names: Vec<String> = strange.collect();
    names.sort();
    names
}

fn children(path: &Path, relative: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for child in fs::read_dir(path)?.take(MAX_ENTRIES) {
        let name = child?.file_name().to_string_lossy().into_owned();
        names.push(if relative == "." {
            name
        } else {
            format!("{relative}/{name}")
        });
    }
    Ok(names)
}

fn entry(path: &Path) -> io::Result<Entry> {
    let metadata = fs::symlink_metadata(path)?;
    Ok(Entry {
        kind: kind(path, &metadata)?,
        mode: metadata.mode() & 0o7777,
        inode: metadata.ino(),
        mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        ctime_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
    })
}

/// An agent may set any time on a file, also one that no number of nanoseconds can hold.
fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

fn kind(path: &Path, metadata: &Metadata) -> io::Result<EntryKind> {
    let file_type = metadata.file_type();
    Ok(if file_type.is_symlink() {
        EntryKind::Link {
            target: fs::read_link(path)?.to_string_lossy().into_owned(),
        }
    } else if file_type.is_dir() {
        EntryKind::Folder
    } else if file_type.is_fifo() || file_type.is_socket() || !file_type.is_file() {
        // Opening a pipe would wait for a writer.
        EntryKind::Other
    } else {
        EntryKind::File {
            bytes: metadata.len(),
            sha256: digest(path, metadata.len())?,
        }
    })
}

fn digest(path: &Path, bytes: u64) -> io::Result<Option<String>> {
    if bytes > MAX_HASHED_BYTES {
        return Ok(None);
    }
    sha256::of(&mut File::open(path)?.take(MAX_HASHED_BYTES)).map(Some)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    /// A way to change a folder.
    type Change = fn(&Path) -> io::Result<()>;

    #[test]
    fn each_change_is_seen() {
        #[rustfmt::skip]
        let table: [(&str, Change, &[&str], bool); 10] = [
            ("nothing", |_| Ok(()), &[], false),
            ("read", |at| fs::read(at.join("a")).map(drop), &[], false),
            ("content", |at| fs::write(at.join("a"), "two"), &["a changed"], false),
            ("mode", |at| fs::set_permissions(at.join("a"), fs::Permissions::from_mode(0o755)), &["a changed"], false),
            ("created", |at| fs::write(at.join("d/b"), ""), &["d/b created"], true),
            ("removed", |at| fs::remove_file(at.join("a")), &["a removed"], true),
            ("link", |at| { fs::remove_file(at.join("l"))?; symlink("d", at.join("l")) }, &["l changed"], true),
            ("file for link", |at| { fs::remove_file(at.join("l"))?; fs::write(at.join("l"), "one") }, &["l changed"], true),
            ("put back", |at| { fs::write(at.join("a"), "two")?; fs::write(at.join("a"), "one") }, &[], true),
            ("made and removed", |at| { fs::write(at.join("t"), "")?; fs::remove_file(at.join("t")) }, &[], true),
        ];
        for (name, change, changed, touched) in table {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("a"), "one").unwrap();
            fs::create_dir(folder.path().join("d")).unwrap();
            symlink("a", folder.path().join("l")).unwrap();
            let before = Snapshot::of(folder.path());
            assert_eq!(before.faults, Vec::<String>::new());
            wait_for_the_clock(folder.path());
            change(folder.path()).unwrap();
            let difference = before.difference(&Snapshot::of(folder.path()));
            assert_eq!(difference.changed, changed, "{name}");
            assert_eq!(
                !difference.touched.is_empty(),
                touched,
                "{name}: {difference:?}"
            );
        }
    }

    #[test]
    fn what_lies_beside_is_seen_but_the_checkers_own() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        fs::create_dir(&workspace).unwrap();
        fs::write(workspace.join("inside"), "").unwrap();
        for name in ["rondar-0.jsonl", "PLAN.md", "a"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(beside(&workspace, "rondar-"), ["PLAN.md", "a"]);
    }

    #[test]
    fn what_could_not_be_read_counts_as_changed_once() {
        let with = |faults: &[&str]| Snapshot {
            faults: faults.iter().map(|&fault| fault.to_owned()).collect(),
            ..Snapshot::default()
        };
        let difference = with(&["a"]).difference(&with(&["a", "b"]));
        assert_eq!(difference.changed, ["b"]);
    }

    #[test]
    fn pipes_and_sockets_are_looked_at_and_never_opened() {
        let folder = tempfile::tempdir().unwrap();
        let mode = nix::sys::stat::Mode::S_IRUSR;
        nix::unistd::mkfifo(&folder.path().join("pipe"), mode).unwrap();
        let socket = folder.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(socket).unwrap();
        let snapshot = Snapshot::of(folder.path());
        for name in ["pipe", "socket"] {
            assert_eq!(snapshot.entries[name].kind, EntryKind::Other, "{name}");
        }
    }

    /// File times move in ticks of the kernel: waits, outside the folder, for the next one.
    fn wait_for_the_clock(folder: &Path) {
        let newest = fs::symlink_metadata(folder).unwrap().modified().unwrap();
        let probe = tempfile::NamedTempFile::new().unwrap();
        while probe.as_file().metadata().unwrap().modified().unwrap() <= newest {
            fs::write(probe.path(), "x").unwrap();
        }
    }
}
