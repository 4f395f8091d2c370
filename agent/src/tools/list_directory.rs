//! `list_directory`: what is in a folder.
//!
//! Must stay true: the listing is sorted and bounded, and never goes through a symbolic link: links
//! are shown, not followed.

use std::{
    ffi::{OsStr, OsString},
    os::{
        fd::AsFd,
        unix::ffi::{OsStrExt, OsStringExt},
    },
    path::Path,
};

use nix::{
    dir::{Dir, Type},
    fcntl::{AtFlags, readlinkat},
    sys::stat::{SFlag, fstatat},
};
use serde_json::{Value, json};
use stub_model::ToolSpec;
use tokio_util::sync::CancellationToken;

use super::{
    Effect, Prepared, Scope, Tool, ToolError, ToolOutcome, anchor, arguments::Arguments, headline,
    job,
};
use crate::{acp, roots::Located};

const NAME: &str = "list_directory";

/// Lines in one answer.
const MAX_ENTRIES: usize = 1_000;

/// Names that are taken out of one folder before they are sorted. Beyond it, which ones are shown
/// is up to the file system.
const MAX_NAMES: usize = 20_000;

/// How deep a listing may go.
const MAX_DEPTH: u64 = 8;

/// The tool.
pub struct ListDirectory {
    spec: ToolSpec,
}

impl ListDirectory {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Lists a folder. Folders end in `/`; symbolic links are shown with their target.",
            json!({
                "path": {
                    "type": "string",
                    "description": "The folder, absolute or relative to the working directory, \
                                    which is the default"
                },
                "depth": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_DEPTH,
                    "description": "How many levels to list; 1 is only the folder itself"
                },
            }),
            &[],
        );
        Self { spec }
    }
}

impl Default for ListDirectory {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for ListDirectory {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, scope: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let path = arguments.optional_path("path")?.unwrap_or(".");
        let depth = arguments.number("depth", 1..=MAX_DEPTH)?.unwrap_or(1);
        arguments.finish()?;
        let located = scope.roots.locate(path.as_ref())?;
        Ok(Prepared {
            title: format!("List {}", headline(path, 200)),
            kind: acp::ToolKind::Read,
            effect: Effect::reading(&located),
            locations: vec![acp::ToolCallLocation::new(&located.shown)],
            content: Vec::new(),
            grant: format!("{NAME}: {}", located.path.display()),
            session: None,
            job: job::looking(move |cancel| list(&located, depth, cancel)),
        })
    }
}

fn list(
    located: &Located,
    depth: u64,
    cancel: &CancellationToken,
) -> Result<ToolOutcome, ToolError> {
    let folder = anchor::listing(&located.path)?;
    let mut listing = Listing {
        lines: Vec::new(),
        omitted: 0,
        cancel,
    };
    listing.add(folder, Path::new(""), depth);
    if cancel.is_cancelled() {
        return Ok(ToolOutcome::cancelled("cancelled"));
    }
    if listing.omitted > 0 {
        listing.lines.push(format!("[{} more]", listing.omitted));
    }
    if listing.lines.is_empty() {
        return Ok(ToolOutcome::completed("[the folder is empty]"));
    }
    Ok(ToolOutcome::completed(listing.lines.join("\n")))
}

/// The lines so far.
struct Listing<'a> {
    lines: Vec<String>,
    omitted: usize,
    cancel: &'a CancellationToken,
}

impl Listing<'_> {
    /// Adds a folder whose path below the listed one is `below`.
    fn add(&mut self, mut folder: Dir, below: &Path, depth: u64) {
        let (mut entries, cut) = entries(&mut folder);
        self.omitted += cut;
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, kind) in entries {
            if self.lines.len() >= MAX_ENTRIES || self.cancel.is_cancelled() {
                self.omitted += 1;
                continue;
            }
            let path = below.join(&name);
            self.lines.push(line(&folder, &name, &path, kind));
            if kind == Some(Type::Directory) && depth > 1 {
                match anchor::listing_in(&folder, Path::new(&name)) {
                    Ok(inner) => self.add(inner, &path, depth - 1),
                    Err(error) => {
                        self.lines
                            .push(format!("[{}/: {}]", path.display(), error.desc()));
                    }
                }
            }
        }
    }
}

/// The names in a folder with their kinds, and how many were left out.
fn entries(folder: &mut Dir) -> (Vec<(OsString, Option<Type>)>, usize) {
    let mut found = Vec::new();
    let mut cut = 0;
    for entry in folder.iter().flatten() {
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        if found.len() >= MAX_NAMES {
            cut += 1;
            continue;
        }
        found.push((OsString::from_vec(name.to_owned()), entry.file_type()));
    }
    for (name, kind) in &mut found {
        // Some file systems do not tell the kind with the name.
        if kind.is_none() {
            *kind = kind_of(&*folder, name);
        }
    }
    (found, cut)
}

fn kind_of(folder: impl AsFd, name: &OsStr) -> Option<Type> {
    let found = fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW).ok()?;
    match SFlag::from_bits_truncate(found.st_mode & SFlag::S_IFMT.bits()) {
        SFlag::S_IFDIR => Some(Type::Directory),
        SFlag::S_IFLNK => Some(Type::Symlink),
        SFlag::S_IFREG => Some(Type::File),
        _ => None,
    }
}

fn line(folder: impl AsFd, name: &OsStr, path: &Path, kind: Option<Type>) -> String {
    let path = String::from_utf8_lossy(path.as_os_str().as_bytes()).replace('\n', "\\n");
    match kind {
        Some(Type::Directory) => format!("{path}/"),
        Some(Type::Symlink) => match readlinkat(folder, name) {
            Ok(target) => format!("{path} -> {}", target.to_string_lossy()),
            Err(_) => format!("{path} -> ?"),
        },
        Some(Type::File) => path,
        _ => format!("{path} (special file)"),
    }
}
