//! The log: lines on stderr that never hold the agent up.
//!
//! Whoever starts an agent may give it a pipe for stderr and never read it. A write into a full
//! pipe blocks, and a thread that logs holds up everything behind it: so a line that has no room
//! is dropped, and how many were is said as soon as there is room again.
//!
//! Man pages: poll(2), pipe(7) `PIPE_BUF`.

use std::{
    borrow::Cow,
    io::{self, Write},
    os::fd::AsFd,
    sync::{Mutex, PoisonError},
};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tracing_subscriber::EnvFilter;

/// As much as a pipe that is ready takes without blocking. What is longer is cut.
const LONGEST: usize = 4096;

/// Lines that were dropped and not told of yet. The lock also makes the look for room and the
/// write one step.
static DROPPED: Mutex<u64> = Mutex::new(0);

/// Starts the log, with what the filter lets through.
pub fn init(filter: EnvFilter) {
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Unblocked(io::stderr()))
        .with_ansi(false)
        .init();
}

/// A stream that takes a line or drops it. Each write is one line.
struct Unblocked<W>(W);

impl<W: Write + AsFd> Write for Unblocked<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut dropped = DROPPED.lock().unwrap_or_else(PoisonError::into_inner);
        if *dropped > 0 && has_room(&self.0) {
            let note = format!("{} lines of the log had no room\n", *dropped);
            if self.0.write_all(note.as_bytes()).is_ok() {
                *dropped = 0;
            }
        }
        if has_room(&self.0) {
            // A log that cannot be written has nobody to tell it to.
            let _ = self.0.write_all(&cut(line));
        } else {
            *dropped += 1;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn has_room(stream: &impl AsFd) -> bool {
    let mut wanted = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
    let ready = poll(&mut wanted, PollTimeout::ZERO).is_ok_and(|ready| ready > 0);
    let [wanted] = wanted;
    ready
        && wanted
            .revents()
            .is_some_and(|events| events.contains(PollFlags::POLLOUT))
}

/// The line, or as much of it as fits, between two characters.
fn cut(line: &[u8]) -> Cow<'_, [u8]> {
    if line.len() <= LONGEST {
        return Cow::Borrowed(line);
    }
    let in_a_character = |at: usize| line[at] & 0b1100_0000 == 0b1000_0000;
    let end = (0..LONGEST).rev().find(|at| !in_a_character(*at));
    let mut line = line[..end.unwrap_or(0)].to_vec();
    line.push(b'\n');
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use std::{fs::File, io::Read, os::fd::OwnedFd};

    use super::*;

    #[test]
    fn lines_that_have_no_room_are_dropped_and_counted() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut log = Unblocked(File::from(OwnedFd::from(writer)));
        let line = format!("{}\n", "x".repeat(999));
        // Sixteen pages, each with some whole lines.
        for _ in 0..1_000 {
            assert_eq!(log.write(line.as_bytes()).unwrap(), 1_000);
        }
        let mut some = vec![0; 60_000];
        reader.read_exact(&mut some).unwrap();
        log.write_all(b"after\n").unwrap();
        log.write_all("é".repeat(9_000).as_bytes()).unwrap();
        drop(log);
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        let lines: Vec<_> = rest.lines().collect();
        let told = lines.iter().position(|line| line.contains("had no room"));
        assert_eq!(lines[told.unwrap() + 1], "after");
        assert!(lines[told.unwrap() + 2].len() < LONGEST);
    }
}
