//! `acp`: the front on stdin and stdout.

use std::{fs::File, io, os::fd::AsFd, time::Duration};

use tokio::signal::unix::{SignalKind, signal};

use super::{
    CliError,
    arguments::{Acp, OnExit},
    log, startup,
};
use crate::{
    client::Connector,
    front::{self, Settings},
};

/// Serves one client.
pub(super) async fn acp(connector: Connector, flags: Acp) -> Result<(), CliError> {
    log::to_file(&connector.instance().front_log())?;
    let checked = startup::check(&connector, flags.choice.workspace.as_deref()).await;
    checked.map_err(|refused| CliError::Workspace {
        command: "acp",
        refused,
    })?;
    let signals = signals(flags.on_exit).map_err(CliError::Stdio)?;
    let settings = Settings {
        choice: flags.choice,
        on_exit: flags.on_exit,
        progress: flags.progress,
        turn_timeout: flags.turn_timeout.map(Duration::from_secs),
    };
    let wire = connect().map_err(CliError::Stdio)?;
    let served = front::serve(settings, connector, wire, signals).await;
    served.map_err(CliError::Front)
}

fn connect() -> io::Result<(wire::Peer, wire::Incoming)> {
    // The handle of the standard library would split what is written at each line.
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    wire::connect_threads(io::stdin(), output, wire::Limits::default())
}

/// Ready when a signal asks for the end and there is something to do before it. Under `keep` there
/// is nothing, so the signals do what they always do.
fn signals(on_exit: OnExit) -> io::Result<impl Future<Output = ()>> {
    let kinds = match on_exit {
        OnExit::Keep => &[][..],
        OnExit::Suspend | OnExit::Destroy => &[
            SignalKind::terminate(),
            SignalKind::interrupt(),
            SignalKind::hangup(),
        ],
    };
    let (heard, mut hear) = tokio::sync::mpsc::channel(1);
    for kind in kinds {
        let mut signal = signal(*kind)?;
        let heard = heard.clone();
        tokio::spawn(async move {
            signal.recv().await;
            let _ = heard.send(()).await;
        });
    }
    Ok(async move {
        // Kept, so that without any signal nothing is heard.
        let _heard = heard;
        hear.recv().await;
    })
}
