//! Bundles: which repositories a session on a managed target works in.

use std::path::PathBuf;

/// Repositories that belong together. Every session gets its own clones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleConfig {
    /// Its id, for messages.
    pub id: String,
    /// The repository whose checkout is the agent's working directory; one of `repositories`.
    pub primary_repo: String,
    /// All of them; at least one, with different ids and destinations.
    pub repositories: Vec<RepositoryConfig>,
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryConfig {
    /// Its id in the bundle.
    pub id: String,
    /// What `git clone` takes, as it is reached from the target.
    pub source: String,
    /// Where its clone lies below the root of the session: relative, without `..`.
    pub destination: PathBuf,
}

impl BundleConfig {
    /// The primary repository.
    pub fn primary(&self) -> Option<&RepositoryConfig> {
        self.repositories
            .iter()
            .find(|repository| repository.id == self.primary_repo)
    }
}
