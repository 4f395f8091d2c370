//! Lines for the record on standard error, which the host keeps as warnings.
//!
//! Written as they are, not through the log: the host reads them by their words.

use std::io::{self, Write as _};

/// Writes one line.
pub fn line(text: &str) {
    // Nobody may read it; that is no reason to stop.
    let _ = writeln!(io::stderr(), "{text}");
}
