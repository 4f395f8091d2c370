//! Looking at the work of a session, and taking it along.

use super::{Session, place::PlaceError};
use crate::{
    api::{Diff, Exported, Lifecycle},
    daemon::{Daemon, refusal::Refusal, work},
    git,
};

impl Session {
    /// Compares the work with a base.
    pub(crate) async fn diff(&self, daemon: &Daemon, base: Option<&str>) -> Result<Diff, Refusal> {
        self.check_there()?;
        let (_, place, checkout) = self
            .environment(daemon)
            .await
            .map_err(|error| refused(&error))?;
        let diff = git::diff(&place, &checkout, base).await;
        let diff = diff.map_err(|error| Refusal::conflict(error.to_string()))?;
        Ok(Diff {
            diff: diff.diff,
            base: diff.base,
            head: diff.head,
            head_descends_from_base: diff.head_descends_from_base,
        })
    }

    /// Puts the commits into a file of this machine.
    pub(crate) async fn export(&self, daemon: &Daemon) -> Result<Exported, Refusal> {
        self.check_there()?;
        let (_, place, checkout) = self
            .environment(daemon)
            .await
            .map_err(|error| refused(&error))?;
        let into = self.archives(daemon).join("export.bundle");
        let exported = work::export(&place, &checkout, into).await;
        exported.map_err(|error| Refusal::conflict(error.to_string()))
    }

    /// Only what is in an environment can be looked at.
    fn check_there(&self) -> Result<(), Refusal> {
        let known = self.lock();
        let lifecycle = known.row.state.lifecycle();
        match lifecycle {
            Lifecycle::Live if known.facts().has_environment => Ok(()),
            Lifecycle::Failed if known.facts().has_environment => Ok(()),
            _ => Err(Refusal::conflict(format!(
                "session {} is {}; its work can be looked at while it is live",
                self.id,
                lifecycle.as_str()
            ))),
        }
    }
}

fn refused(error: &PlaceError) -> Refusal {
    Refusal::conflict(error.to_string())
}
