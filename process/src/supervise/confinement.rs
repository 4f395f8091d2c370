//! How far a read-only command is really kept from changing anything.
//!
//! It is a value of its own because it crosses three borders: the supervisor finds it out, the
//! owner decides by it what plan mode may offer, and the user is told.

/// How far [`Access::ReadOnly`](crate::Access::ReadOnly) is enforced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// All of it.
    Full,
    /// Files are protected, but something less is not; the text says what.
    Partial(String),
    /// Nothing is enforced; the text says why.
    None(String),
}

impl Confinement {
    /// Whether no file can be changed, which is what plan mode promises.
    pub const fn protects_files(&self) -> bool {
        matches!(self, Self::Full | Self::Partial(_))
    }
}
