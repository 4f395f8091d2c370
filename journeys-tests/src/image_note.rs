//! The text file of the journey `image`, at the path that the contract names, and the red image.
//!
//! The path is one for the whole machine: a lock keeps two checkers apart. Nobody else's folder is used:
//! what lies there and is not a plain folder is a fault, not a place to write.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use nix::fcntl::OFlag;

use crate::{
    interrupt::{self, Removal},
    trouble::Trouble,
};

/// The path that the prompt names.
pub const PATH: &str = "/tmp/.rondar-session-files/note.txt";
const FOLDER: &str = "/tmp/.rondar-session-files";
const LOCK: &str = "/tmp/.acp-journeys-note.lock";

/// Another checker holds the file for one turn, which may take as long as this.
const LOCK_PATIENCE: Duration = Duration::from_secs(300);
const LOCK_LOOK_AGAIN: Duration = Duration::from_millis(100);

/// The image's side, in pixels.
const SIDE: u32 = 64;

/// The file while it is there. Dropping it removes the file, and the folder if it was made for it.
#[derive(Debug)]
pub struct ImageNote {
    made_folder: bool,
    _lock: File,
}

impl ImageNote {
    /// Writes the file, after any other checker is done with it.
    ///
    /// # Errors
    /// [`Trouble::Checker`] if it cannot be written or another checker holds it too long.
    pub fn write(word: &str) -> Result<Self, Trouble> {
        let lock = lock().map_err(|error| failed(LOCK, &error))?;
        let made_folder = match fs::DirBuilder::new().mode(0o755).create(FOLDER) {
            Ok(()) => true,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            Err(error) => return Err(failed(FOLDER, &error)),
        };
        let note = Self {
            made_folder,
            _lock: lock,
        };
        if !fs::symlink_metadata(FOLDER).is_ok_and(|metadata| metadata.is_dir()) {
            let error = io::Error::other("it is not a folder; remove it");
            return Err(failed(FOLDER, &error));
        }
        if made_folder {
            interrupt::will_remove(Path::new(FOLDER), Removal::EmptyFolder);
        }
        interrupt::will_remove(Path::new(PATH), Removal::File);
        write_new(word).map_err(|error| failed(PATH, &error))?;
        Ok(note)
    }
}

impl Drop for ImageNote {
    fn drop(&mut self) {
        let _gone = fs::remove_file(PATH);
        interrupt::removed(Path::new(PATH));
        if self.made_folder {
            // Stays if somebody else put a file there.
            let _in_use = fs::remove_dir(FOLDER);
            interrupt::removed(Path::new(FOLDER));
        }
    }
}

/// The red image as base64 of a PNG.
///
/// # Errors
/// [`Trouble::Checker`] if the encoder fails, which it has no reason to.
pub fn red_png_base64() -> Result<String, Trouble> {
    let mut bytes = Vec::new();
    encode(&mut bytes).map_err(|error| Trouble::Checker {
        what: format!("cannot encode the image: {error}"),
    })?;
    Ok(BASE64_STANDARD.encode(bytes))
}

fn encode(bytes: &mut Vec<u8>) -> Result<(), png::EncodingError> {
    let mut encoder = png::Encoder::new(bytes, SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let pixels = [255, 0, 0].repeat((SIDE * SIDE) as usize);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()
}

fn lock() -> io::Result<File> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o666)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(LOCK)?;
    let deadline = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                return Err(io::Error::other(
                    "another acp-journeys holds it; wait for its end",
                ));
            }
            Err(TryLockError::WouldBlock) => thread::sleep(LOCK_LOOK_AGAIN),
        }
    }
}

/// Replaces what an ended checker may have left; a link is removed, never followed.
fn write_new(word: &str) -> io::Result<()> {
    match fs::remove_file(PATH) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .mode(0o644)
        .open(PATH)?;
    writeln!(file, "{word}")
}

fn failed(path: &str, error: &io::Error) -> Trouble {
    Trouble::Checker {
        what: format!("cannot prepare {path}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_64_by_64_and_red() {
        let bytes = BASE64_STANDARD.decode(red_png_base64().unwrap()).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes))
            .read_info()
            .unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((frame.width, frame.height), (64, 64));
        assert!(pixels.chunks(3).all(|pixel| pixel == [255, 0, 0]));
    }
}
