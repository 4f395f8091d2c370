//! What is wrong with the agent, in words.

use thiserror::Error;

/// Something that an agent must not do, or that kept the soak from looking.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Finding(pub String);

/// What may be a finding instead of a value.
pub type Found<T> = Result<T, Finding>;

impl Finding {
    /// A failure of the machine, or of a step of the soak itself.
    pub fn cannot(what: &str) -> impl FnOnce(std::io::Error) -> Self {
        move |cause| Self(format!("cannot {what}: {cause}"))
    }
}

/// A finding when this does not hold. The words are only made then.
///
/// # Errors
/// The finding.
pub fn must(holds: bool, otherwise: impl FnOnce() -> String) -> Found<()> {
    if holds {
        Ok(())
    } else {
        Err(Finding(otherwise()))
    }
}
