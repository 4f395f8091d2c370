//! Lines for the record on standard error, which the host keeps as warnings.
//!
//! Written as they are, not through the log: the host reads them by their words.

use std::io::{self, Write as _};

use crate::fit::one_line;

/// How many characters of a line the host keeps.
const MOST: usize = 500;

/// Writes one line, as much of it as the host keeps.
pub fn line(text: &str) {
    // Nobody may read it; that is no reason to stop.
    let _ = writeln!(io::stderr(), "{}", one_line(text, MOST));
}
