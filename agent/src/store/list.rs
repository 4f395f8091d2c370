//! The list of sessions, a page at a time.
//!
//! Apart from the folder, because it is the one part that looks at many sessions, and so the one
//! whose costs grow with their number. There is no index that could disagree with the files: the
//! order comes from the folder itself (the time of each file's last write), and only the files of
//! the page are opened.
//!
//! Must stay true: a page costs one look at each name in the folder and at most [`MAX_OPENED`]
//! opened files; memory is bounded by the same number. No lock is taken, so that a session in use
//! is listed too. A file that cannot be read hides itself, not the others.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-list#listing-sessions>

use std::collections::BinaryHeap;
use std::fs::{DirEntry, File};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::cursor::Place;
use super::encoding::{MAX_HEADER, TITLE_LINE, decode_item};
use super::error::io_error;
use super::folder::open_options;
use super::item::{Header, Item};
use super::lines::{Line, Lines};
use super::replay::header_of;
use super::{Store, StoreError, id};

/// How many files are opened for one page, at most. A filter that matches little then gives a
/// short page with a cursor, in bounded time, and not a long wait. Measured: 3 µs a file, and 1.5 µs
/// for each name in the folder.
const MAX_OPENED: usize = 10_000;

/// How much of a log's beginning is searched for its title: a first prompt with some images. Most
/// logs are shorter, and theirs is always the last title.
const HEAD: u64 = 4 << 20;

/// How much of its end, for a title that came later. Of a longer log, a title that came neither
/// early nor late is not found; to look for it would cost more than it is worth.
const TAIL: u64 = 256 << 10;

/// One page of the list.
#[derive(Debug)]
pub struct Page {
    /// The sessions, the latest first.
    pub sessions: Vec<Summary>,
    /// Where the next page begins. Without it this one is the last.
    pub next_cursor: Option<String>,
}

/// A session as the list shows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Summary {
    /// The session's id.
    pub session_id: String,
    /// The working directory that it was made with.
    pub cwd: PathBuf,
    /// Its further workspace roots.
    pub additional_directories: Vec<PathBuf>,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// When it was last written to.
    pub updated_at: SystemTime,
}

impl Store {
    /// The sessions behind `cursor`, or from the start; only those of `cwd` where one is given; at
    /// most `size` of them, and at least one is asked for.
    ///
    /// A page may be short and still have a cursor. A session that is used between two pages moves
    /// to the front, so that the later page misses it.
    ///
    /// # Errors
    ///
    /// [`StoreError::InvalidCursor`], or [`StoreError::Io`] if the folder cannot be read. A folder
    /// that does not exist has no sessions.
    pub fn list(
        &self,
        cwd: Option<&Path>,
        cursor: Option<&str>,
        size: usize,
    ) -> Result<Page, StoreError> {
        self.page(cwd, cursor, size.max(1), MAX_OPENED)
    }

    /// A page for which at most `max_opened` files are opened.
    fn page(
        &self,
        cwd: Option<&Path>,
        cursor: Option<&str>,
        size: usize,
        max_opened: usize,
    ) -> Result<Page, StoreError> {
        let behind = cursor.map(Place::from_cursor).transpose()?;
        // Without a filter the first place behind the page is enough to know that there is one.
        let most = match cwd {
            None => max_opened.min(size.saturating_add(1)),
            Some(_) => max_opened,
        };
        let (places, more) = first_places(self.folder(), behind.as_ref(), most)?;
        let mut sessions = Vec::new();
        let mut last_shown = None;
        for place in &places {
            let Some(summary) = self.summary(place, cwd) else {
                continue;
            };
            if sessions.len() == size {
                // One more than fits: now it is known that there is another page.
                return Ok(Page {
                    sessions,
                    next_cursor: last_shown.map(Place::to_cursor),
                });
            }
            sessions.push(summary);
            last_shown = Some(place);
        }
        let next_cursor = places.last().filter(|_| more).map(Place::to_cursor);
        Ok(Page {
            sessions,
            next_cursor,
        })
    }

    /// What the list shows of a session, unless it is of another folder or cannot be read.
    fn summary(&self, place: &Place, cwd: Option<&Path>) -> Option<Summary> {
        let path = self.folder().join(id::file_name(place.id()).ok()?);
        match summarize(&path, place, cwd) {
            Ok(summary) => summary,
            Err(error) => {
                tracing::warn!(%error, "a session is left out of the list");
                None
            }
        }
    }
}

/// The first places behind `behind`, in order, and whether there are more than `max` of them.
fn first_places(
    folder: &Path,
    behind: Option<&Place>,
    max: usize,
) -> Result<(Vec<Place>, bool), StoreError> {
    let failed = |error| io_error("list the folder", folder)(error);
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), false)),
        Err(error) => return Err(failed(error)),
    };
    // The greatest place is on top, the first to make room.
    let mut first = BinaryHeap::with_capacity(max.min(1024));
    let mut more = false;
    for entry in entries {
        let Some(place) = place_of(&entry.map_err(failed)?).map_err(failed)? else {
            continue;
        };
        if behind.is_some_and(|behind| place <= *behind) {
            continue;
        }
        if first.len() < max {
            first.push(place);
            continue;
        }
        more = true;
        if let Some(mut last) = first.peek_mut()
            && place < *last
        {
            *last = place;
        }
    }
    Ok((first.into_sorted_vec(), more))
}

/// The place of a session's file; of anything else, or of one that is gone already, none.
fn place_of(entry: &DirEntry) -> io::Result<Option<Place>> {
    let name = entry.file_name();
    let Some(id) = name.to_str().and_then(id::of_file_name) else {
        return Ok(None);
    };
    match entry.metadata() {
        Ok(found) if found.is_file() => Ok(Some(Place::new(found.modified()?, id.to_owned()))),
        Ok(_) => Ok(None),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads what the list shows of one file. `None`: it is of another working directory, or was
/// deleted meanwhile.
fn summarize(
    path: &Path,
    place: &Place,
    cwd: Option<&Path>,
) -> Result<Option<Summary>, StoreError> {
    let file = match open_options().open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io_error("open", path)(error)),
    };
    let read = |error| io_error("read", path)(error);
    let mut lines = Lines::new(BufReader::new((&file).take(HEAD)), MAX_HEADER);
    let header = header_of(lines.read().map_err(read)?, path, place.id())?;
    if cwd.is_some_and(|cwd| cwd != header.cwd) {
        return Ok(None);
    }
    lines.set_max(HEAD as usize);
    let title = title(&file, lines).map_err(read)?;
    let Header {
        session_id,
        cwd,
        additional_directories,
        ..
    } = header;
    Ok(Some(Summary {
        session_id,
        cwd,
        additional_directories,
        title,
        updated_at: place.updated_at(),
    }))
}

/// The last title in the head and the tail of a log.
fn title(mut file: &File, head: Lines<impl io::BufRead>) -> io::Result<Option<String>> {
    let in_head = last_title(head)?;
    let length = file.metadata()?.len();
    if length <= HEAD {
        return Ok(in_head);
    }
    // The first line is cut in two most likely. It does not begin as a title then.
    file.seek(SeekFrom::Start(length - TAIL))?;
    let tail = Lines::new(BufReader::new(file.take(TAIL)), TAIL as usize);
    Ok(last_title(tail)?.or(in_head))
}

fn last_title(mut lines: Lines<impl io::BufRead>) -> io::Result<Option<String>> {
    let mut last = None;
    while let Line::Whole(line) = lines.read()? {
        if line.starts_with(TITLE_LINE)
            && let Ok(Item::Title { title }) = decode_item(line)
        {
            last = Some(title);
        }
    }
    Ok(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::FORMAT;

    /// Twelve sessions, every sixth of them in `/w2`.
    fn twelve(state: &Path) -> Store {
        let store = Store::new(state.to_owned());
        for number in 0..12 {
            let header = Header {
                format: FORMAT,
                session_id: format!("s{number:02}"),
                cwd: if number % 6 == 5 { "/w2" } else { "/w1" }.into(),
                additional_directories: Vec::new(),
                created: String::new(),
            };
            drop(store.create(&header).unwrap());
            let file = File::options()
                .append(true)
                .open(store.folder().join(format!("s{number:02}.jsonl")))
                .unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        }
        store
    }

    /// A filter that matches little gives short pages, and an end.
    #[test]
    fn a_page_opens_no_more_files_than_it_may() {
        let state = tempfile::tempdir().unwrap();
        let store = twelve(state.path());
        let (mut pages, mut cursor) = (Vec::new(), None);
        loop {
            let page = store.page(Some(Path::new("/w2")), cursor.as_deref(), 10, 4);
            let page = page.unwrap();
            let ids = page.sessions.into_iter().map(|found| found.session_id);
            pages.push(ids.collect::<Vec<_>>());
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
            assert!(pages.len() < 10, "no end");
        }
        assert_eq!(
            pages,
            [vec![], vec!["s05".to_owned()], vec!["s11".to_owned()]]
        );
    }
}
