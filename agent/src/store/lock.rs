//! A session's file, held by one process at a time.
//!
//! Apart from the log, because both the loader and the writer own the file in turn, and the lock
//! has to go with it from one to the other.
//!
//! Must stay true: whoever has a [`Locked`] is the only one who does, and giving it up frees the
//! session at once, even while a child that is being started still has a copy of the descriptor.
//!
//! The lock is the kind of flock(2): it belongs to the open file, ends with the process however
//! that ends, and so leaves nothing behind that would have to be cleaned up.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::StoreError;
use super::error::io_error;

/// How much of `/proc/locks` is looked at. A line is about 60 bytes.
const MAX_LOCKS: u64 = 4 << 20;

/// A session's file with its exclusive lock.
#[derive(Debug)]
pub(super) struct Locked {
    file: File,
    /// The device and the inode, which nothing else can have while the file is open.
    place: (u64, u64),
}

impl Locked {
    /// Takes the lock of an open file, without waiting.
    pub(super) fn take(file: File, path: &Path, session_id: &str) -> Result<Locked, StoreError> {
        let found = file.metadata().map_err(io_error("look at", path))?;
        let place = place_of(&found);
        match file.try_lock() {
            Ok(()) => Ok(Locked { file, place }),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse {
                session_id: session_id.to_owned(),
                pid: holder(place),
            }),
            Err(TryLockError::Error(source)) => Err(io_error("lock", path)(source)),
        }
    }

    /// The file.
    pub(super) fn file(&self) -> &File {
        &self.file
    }

    /// What there is to know of this file, if the path still leads to this very one.
    pub(super) fn metadata_at(&self, path: &Path) -> io::Result<Option<Metadata>> {
        match std::fs::symlink_metadata(path) {
            Ok(there) => Ok((place_of(&there) == self.place).then_some(there)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Read for Locked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // Closing would not do: between fork and exec a child has the descriptor too, and the lock
        // would live on in it. Nothing can be done about a failure, and closing follows anyway.
        let _ = self.file.unlock();
    }
}

/// The device and the inode.
fn place_of(file: &Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// The process that holds the lock of the file at this place, where it can be seen from here.
fn holder((device, inode): (u64, u64)) -> Option<u32> {
    let mut locks = String::new();
    let list = File::open("/proc/locks").ok()?;
    list.take(MAX_LOCKS).read_to_string(&mut locks).ok()?;
    find_holder(&locks, device, inode)
}

/// Finds the holder in the text of `/proc/locks`, see proc_locks(5).
///
/// Inode numbers are unique within a file system only. The device that is printed is the file
/// system's own, which on overlay and btrfs is not the one that stat(2) tells, so a line of another
/// device counts only if there is no other candidate.
fn find_holder(locks: &str, device: u64, inode: u64) -> Option<u32> {
    let mut elsewhere = Vec::new();
    for line in locks.lines() {
        let mut words = line.split_ascii_whitespace().skip(1);
        if words.next() != Some("FLOCK") {
            continue; // another kind of lock, or `->`: one that waits
        }
        let mut words = words.skip(2);
        let (Some(pid), Some(place)) = (words.next(), words.next()) else {
            continue;
        };
        let (Ok(pid), Some((found_device, found_inode))) = (pid.parse(), parse_place(place)) else {
            continue;
        };
        match (found_inode == inode, found_device == device) {
            (true, true) => return Some(pid),
            (true, false) => elsewhere.push(pid),
            (false, _) => {}
        }
    }
    match elsewhere[..] {
        [pid] => Some(pid),
        _ => None,
    }
}

/// `fe:00:1234` is the device's major and minor number, both hexadecimal, and the inode.
fn parse_place(place: &str) -> Option<(u64, u64)> {
    let mut parts = place.splitn(3, ':');
    let major = u64::from_str_radix(parts.next()?, 16).ok()?;
    let minor = u64::from_str_radix(parts.next()?, 16).ok()?;
    let inode = parts.next()?.parse().ok()?;
    Some((nix::sys::stat::makedev(major, minor), inode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_found_by_device_and_inode() {
        let locks = "\
1: FLOCK  ADVISORY  WRITE 100 08:01:41 0 EOF
2: POSIX  ADVISORY  WRITE 200 fe:00:42 0 EOF
3: FLOCK  ADVISORY  WRITE 300 fe:00:42 0 EOF
3: -> FLOCK  ADVISORY  WRITE 301 fe:00:42 0 EOF
4: FLOCK  ADVISORY  WRITE 400 08:01:42 0 EOF
5: FLOCK  ADVISORY  WRITE 500 08:02:43 0 EOF
6: FLOCK  ADVISORY  WRITE 600 08:03:44 0 EOF
7: FLOCK  ADVISORY  WRITE 700 08:04:44 0 EOF
8: FLOCK  ADVISORY
9: FLOCK  ADVISORY  WRITE x fe:00:42 0 EOF
garbage
";
        let device = nix::sys::stat::makedev(0xfe, 0);
        let table = [
            ("the exact place", 42, Some(300)),
            ("one candidate on another device", 43, Some(500)),
            ("two candidates, neither exact", 44, None),
            ("nobody", 45, None),
        ];
        for (name, inode, pid) in table {
            assert_eq!(find_holder(locks, device, inode), pid, "{name}");
        }
        assert_eq!(find_holder("", device, 42), None);
    }
}
