//! The user's Ctrl-C, or a SIGTERM: noticed at each wait, so that the bench unwinds and leaves
//! neither processes nor folders behind.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault::Fault;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Takes over the signals that ask for the end. Contenders are in process groups of their own, so
/// Ctrl-C does not reach them.
///
/// # Errors
/// The signals cannot be taken over.
pub fn on_signals() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| STOPPED.store(true, Ordering::Relaxed))
}

/// # Errors
/// The user has asked for the end.
pub fn check() -> Result<(), Fault> {
    if STOPPED.load(Ordering::Relaxed) {
        Err(Fault::Interrupted)
    } else {
        Ok(())
    }
}
