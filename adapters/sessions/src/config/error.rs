//! What can be wrong with the configuration, and where.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is there, but cannot be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file is wrong.
    #[error("{path}:{line}: {what}", path = path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong, and what would be right.
        what: String,
    },
}

/// Something wrong at a place in the text.
#[derive(Debug)]
pub(super) struct Wrong {
    /// Bytes.
    pub(super) span: Range<usize>,
    pub(super) what: String,
}

impl Wrong {
    pub(super) fn new(span: Range<usize>, what: impl Into<String>) -> Self {
        let what = what.into();
        Self { span, what }
    }

    pub(super) fn at(self, path: &Path, text: &str) -> ConfigError {
        let before = text.as_bytes().iter().take(self.span.start);
        ConfigError::Wrong {
            path: path.to_owned(),
            line: 1 + before.filter(|byte| **byte == b'\n').count(),
            what: self.what,
        }
    }
}
