//! The checkpoint archive on this machine: a tar file, its manifest first.
//!
//! What must stay true: an archive that [`open`] accepts is whole. Every payload is there with its
//! size and digest, nothing else is, and no tar file in it can write outside of where it is
//! unpacked.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File},
    io::{self, Read, Seek as _, Write as _},
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tar::EntryType;

use super::{
    GitError,
    manifest::{Manifest, NAME, Payload, VERSION},
};

/// The longest manifest. One with a hundred thousand branches fits.
const MANIFEST: u64 = 64 * 1024 * 1024;

/// How much is read at once.
const PIECE: usize = 256 * 1024;

/// An archive, as it is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Archive {
    /// Where it lies on this machine.
    pub path: PathBuf,
    /// Its length in bytes.
    pub size: u64,
    /// The SHA-256 of its content, in lower-case hexadecimal digits.
    pub sha256: String,
}

fn wrong(path: &Path, what: impl Into<String>) -> GitError {
    GitError::Archive {
        path: path.to_path_buf(),
        what: what.into(),
    }
}

/// Writes the archive of payloads that lie in `folder` under their names, and looks at it again.
pub(super) fn write(manifest: &Manifest, folder: &Path, into: &Path) -> Result<Archive, GitError> {
    let mut part = into.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let written = pack(manifest, folder, &part).map_err(|error| wrong(into, error.to_string()));
    let finished = written.and_then(|()| {
        open(&part, None)?;
        let (size, sha256) = digest(&part)?;
        fs::rename(&part, into).map_err(|error| wrong(into, error.to_string()))?;
        Ok(Archive {
            path: into.to_path_buf(),
            size,
            sha256,
        })
    });
    if finished.is_err() {
        // It is of no use to anybody.
        let _ = fs::remove_file(&part);
    }
    finished
}

fn pack(manifest: &Manifest, folder: &Path, part: &Path) -> io::Result<()> {
    let mut builder = tar::Builder::new(io::BufWriter::new(File::create(part)?));
    let text = serde_json::to_vec_pretty(manifest)?;
    let header = |size| {
        let mut header = tar::Header::new_gnu();
        header.set_size(size);
        header.set_mode(0o600);
        header.set_mtime(0);
        header
    };
    builder.append_data(&mut header(text.len() as u64), NAME, &text[..])?;
    for payload in manifest.payloads() {
        let file = File::open(folder.join(&payload.name))?;
        builder.append_data(
            &mut header(payload.size),
            &payload.name,
            file.take(payload.size),
        )?;
    }
    let mut file = builder.into_inner()?;
    file.flush()?;
    file.get_ref().sync_all()
}

/// Opens an archive and looks at all of it. With `sha256`, the recorded digest, it must be the same
/// archive too.
///
/// # Errors
/// [`GitError::Archive`] says what is wrong with it.
pub fn open(path: &Path, sha256: Option<&str>) -> Result<Manifest, GitError> {
    if let Some(recorded) = sha256 {
        let (_, found) = digest(path)?;
        if found != recorded {
            let what = format!("its SHA-256 is {found}, but {recorded} was recorded");
            return Err(wrong(path, what));
        }
    }
    let manifest = read_manifest(path)?;
    let mut tars: HashSet<&str> = manifest
        .tars()
        .map(|payload| payload.name.as_str())
        .collect();
    let mut missing: HashMap<&str, &Payload> = HashMap::new();
    for payload in manifest.payloads() {
        if !is_plain(Path::new(&payload.name)) || missing.insert(&payload.name, payload).is_some() {
            return Err(wrong(
                path,
                format!("{:?} cannot be a payload", payload.name),
            ));
        }
    }
    each(path, |name, content| {
        let payload = missing.remove(name);
        let payload =
            payload.ok_or_else(|| io::Error::other(format!("{name:?} is not in its manifest")))?;
        let mut content = Hashing::of(content);
        if tars.remove(name) {
            is_harmless(&mut content)?;
        }
        let (size, sha256) = content.finish()?;
        if (size, &sha256) != (payload.size, &payload.sha256) {
            let what = format!("{name:?} is damaged: {size} bytes with the SHA-256 {sha256}");
            return Err(io::Error::other(what));
        }
        Ok(())
    })?;
    match missing.keys().next() {
        Some(name) => Err(wrong(path, format!("{name:?} is missing"))),
        None => Ok(manifest),
    }
}

/// Unpacks the payloads below a folder, under their names.
pub(super) fn unpack(path: &Path, folder: &Path) -> Result<(), GitError> {
    each(path, |name, content| {
        let file = folder.join(name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        io::copy(content, &mut File::create(file)?).map(drop)
    })
}

/// Calls for each payload with its name and content.
fn each(
    path: &Path,
    mut call: impl FnMut(&str, &mut dyn Read) -> io::Result<()>,
) -> Result<(), GitError> {
    let mut walk = || -> io::Result<()> {
        let mut archive = tar::Archive::new(File::open(path)?);
        for entry in archive.entries()?.skip(1) {
            let mut entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            if !is_plain(Path::new(&name)) || entry.header().entry_type() != EntryType::Regular {
                return Err(io::Error::other(format!("{name:?} cannot be a payload")));
            }
            call(&name, &mut entry)?;
        }
        Ok(())
    };
    walk().map_err(|error| wrong(path, error.to_string()))
}

fn read_manifest(path: &Path) -> Result<Manifest, GitError> {
    let read = || -> io::Result<Vec<u8>> {
        let mut archive = tar::Archive::new(File::open(path)?);
        let first = archive.entries()?.next();
        let first = first.ok_or_else(|| io::Error::other("it is empty"))??;
        if first.path()? != Path::new(NAME) {
            return Err(io::Error::other("it does not begin with a manifest"));
        }
        let mut text = Vec::new();
        first.take(MANIFEST).read_to_end(&mut text)?;
        Ok(text)
    };
    let text = read().map_err(|error| wrong(path, error.to_string()))?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| wrong(path, format!("its manifest cannot be read: {error}")))?;
    if manifest.version != VERSION {
        let what = format!(
            "it has the format {}, and this program knows {VERSION}",
            manifest.version
        );
        return Err(wrong(path, what));
    }
    Ok(manifest)
}

/// Only names, going down.
fn is_plain(path: &Path) -> bool {
    path.components().next().is_some()
        && path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// Fails if the tar file could write outside of where it is unpacked: by a name, or through a link.
fn is_harmless(content: &mut dyn Read) -> io::Result<()> {
    let mut links: HashSet<PathBuf> = HashSet::new();
    let mut archive = tar::Archive::new(content);
    for entry in archive.entries()? {
        let entry = entry?;
        let path = entry.path()?.into_owned();
        let refused = |what: &str| Err(io::Error::other(format!("{path:?} in a tar file {what}")));
        let inside = |path: &Path| {
            path.components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        let plain: PathBuf = path
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        if !inside(&path) {
            return refused("lies outside");
        }
        if plain.ancestors().skip(1).any(|above| links.contains(above)) {
            return refused("lies behind a link");
        }
        match entry.header().entry_type() {
            EntryType::Regular
            | EntryType::Continuous
            | EntryType::GNUSparse
            | EntryType::Directory => {}
            EntryType::Symlink => {
                links.insert(plain);
            }
            EntryType::Link => match entry.link_name()? {
                Some(target) if inside(&target) => {}
                _ => return refused("is a link to outside"),
            },
            kind => return refused(&format!("is a {kind:?}")),
        }
    }
    Ok(())
}

/// The size and SHA-256 of a file.
pub(super) fn digest(path: &Path) -> Result<(u64, String), GitError> {
    let read = || -> io::Result<(u64, String)> {
        let mut file = File::open(path)?;
        file.rewind()?;
        Hashing::of(&mut file).finish()
    };
    read().map_err(|error| wrong(path, error.to_string()))
}

/// A reader that remembers the length and digest of what passed.
struct Hashing<'a> {
    inner: &'a mut dyn Read,
    size: u64,
    sha256: Sha256,
}

impl<'a> Hashing<'a> {
    fn of(inner: &'a mut dyn Read) -> Self {
        Self {
            inner,
            size: 0,
            sha256: Sha256::new(),
        }
    }

    /// Reads what is left.
    fn finish(mut self) -> io::Result<(u64, String)> {
        let mut piece = vec![0; PIECE];
        while self.read(&mut piece)? > 0 {}
        let digest = self.sha256.finalize();
        let digits = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok((self.size, digits))
    }
}

impl Read for Hashing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.sha256.update(&buffer[..length]);
        self.size += length as u64;
        Ok(length)
    }
}
