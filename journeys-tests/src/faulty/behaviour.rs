//! Which single thing is broken or odd in this run, and how fast its clock goes.

use std::time::Duration;

use super::{faults::Fault, variants::Variant};

/// How this run differs from a right and plain agent.
#[derive(Debug, Clone, Copy)]
pub struct Behaviour {
    /// The one thing that is broken.
    pub fault: Option<Fault>,
    /// The one thing that is odd but right.
    pub variant: Option<Variant>,
    /// The factor for waits that are measured against the checker's limits.
    pub scale: f64,
}

impl Behaviour {
    /// Whether this fault is on.
    #[must_use]
    pub fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Whether this variant is on.
    #[must_use]
    pub fn is(&self, variant: Variant) -> bool {
        self.variant == Some(variant)
    }

    /// A wait of so many of the checker's seconds.
    #[must_use]
    pub fn seconds(&self, seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds * self.scale)
    }
}
