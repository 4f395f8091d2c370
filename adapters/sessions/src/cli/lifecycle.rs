//! `suspend`, `resume`, `destroy` and `checkpoint`: asked for, and seen through.

use super::{
    CliError,
    arguments::{Change, Suspend},
    find,
    progress::Progress,
};
use crate::{api, client::Daemon, retire};

pub(super) async fn suspend(daemon: &Daemon, flags: Suspend) -> Result<(), CliError> {
    let client = daemon.client().await?;
    let id = find::session(&client, &flags.change.session).await?;
    let how = api::Suspend {
        acknowledge_unpublished_work: flags.acknowledge_unpublished_work,
    };
    if flags.change.no_wait {
        client.suspend(&id, how).await?;
        return Ok(());
    }
    Progress::new().show(&format!("session {id}: it is being suspended"));
    Ok(retire::suspend(daemon, &id, how).await?)
}

pub(super) async fn resume(daemon: &Daemon, flags: Change) -> Result<(), CliError> {
    let client = daemon.client().await?;
    let id = find::session(&client, &flags.session).await?;
    if flags.no_wait {
        return Ok(client.resume(&id).await?);
    }
    let mut progress = Progress::new();
    let seen = |session: &api::Session| progress.show_session(session);
    Ok(retire::resume(daemon, &id, seen).await?)
}

pub(super) async fn destroy(daemon: &Daemon, flags: Change) -> Result<(), CliError> {
    let client = daemon.client().await?;
    let id = find::session(&client, &flags.session).await?;
    let exists = match flags.no_wait {
        true => client.destroy(&id).await?.is_some(),
        false => client.session(&id).await?.is_some(),
    };
    if !exists {
        return Err(CliError::NoSession(id.to_string()));
    }
    if flags.no_wait {
        return Ok(());
    }
    Progress::new().show(&format!("session {id}: it is being destroyed"));
    Ok(retire::destroy(daemon, &id).await?)
}

pub(super) async fn checkpoint(daemon: &Daemon, flags: Change) -> Result<(), CliError> {
    let client = daemon.client().await?;
    let id = find::session(&client, &flags.session).await?;
    if flags.no_wait {
        return Ok(client.checkpoint(&id).await?);
    }
    Progress::new().show(&format!("session {id}: its work is being saved"));
    Ok(retire::checkpoint(daemon, &id).await?)
}
