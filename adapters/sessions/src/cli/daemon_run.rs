//! `daemon-run`: the daemon itself. Clients start it; people hardly do.

use super::{CliError, log};
use crate::instance::Instance;

/// Runs the daemon until it is told to end.
pub(super) async fn daemon_run(instance: Instance) -> Result<(), CliError> {
    log::to_stderr("info");
    Ok(crate::daemon::run(instance).await?)
}
