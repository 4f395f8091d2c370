//! SHA-256 of a stream, in hexadecimal: the name that results give to files and to themselves.

use std::io::{self, Read, Write};

use sha2::{Digest as _, Sha256};

/// A hash that is written to. Writing never fails.
#[derive(Debug, Clone, Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// The digest of all that was written, in hexadecimal.
    #[must_use]
    pub fn finish(self) -> String {
        let digest = self.0.finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The digest of all that can be read.
///
/// # Errors
/// What the reader says.
pub fn of(reader: &mut impl Read) -> io::Result<String> {
    let mut hasher = Hasher::default();
    io::copy(reader, &mut hasher)?;
    Ok(hasher.finish())
}
