//! Git on a target: the clones of a session, what was selected in them, and their work.
//!
//! The git program of the target does everything, through the one seam of `crate::target`, so that
//! a session on another machine or in a container is the same as one here.
//!
//! What must stay true:
//!
//! - Nothing is pushed, and nothing of the user's own checkout is touched.
//! - Nothing that an agent has written into a clone is run by our own commands; see `repository`.
//! - Work is never discarded: what cannot be saved, or is not verified, is refused with a reason.

mod archive;
mod checkout;
mod checkpoint;
mod diff;
mod error;
mod exact;
mod export;
mod manifest;
mod marker;
mod prepare;
mod publication;
mod refs;
mod repository;
mod restore;
mod scratch;
mod selection;
mod tree;

use std::path::PathBuf;

pub use archive::{Archive, open};
pub use checkout::{Checkout, Cloned};
pub use checkpoint::checkpoint;
pub use diff::{Diff, diff};
pub use error::GitError;
pub use export::export;
pub use manifest::{Manifest, Payload, Saved};
pub use prepare::prepare;
pub use publication::{Publication, published};
pub use refs::{SavedRef, SavedStash};
pub use restore::restore;
pub use selection::Selection;

use crate::target::Place;

/// Where our own files about a clone lie while an operation needs them.
fn scratch_folder(place: &Place, id: &str) -> Result<PathBuf, GitError> {
    let folder = place.own_folder("scratch").ok_or_else(|| GitError::Clone {
        directory: place.root().to_path_buf(),
        what: "it is a directory of the user's own, which is not saved".to_owned(),
    })?;
    // The id is a name of the configuration, which may hold anything.
    let name: String = id.bytes().map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join(name))
}
