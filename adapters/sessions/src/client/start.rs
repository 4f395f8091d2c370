//! Finding the daemon, and starting it when there is none.
//!
//! ```text
//! start lock, shared:     published and answering?  -> use it
//! start lock, exclusive:  looked again              -> use it
//!                         owner lock free?          -> start, wait until it answers
//! ```
//!
//! Must stay true: of any number of clients that find no daemon at the same time, one starts it and
//! the others wait for that one. A daemon that is alive but does not answer is never replaced: it
//! owns the store. The daemon outlives whoever started it, so it is no child to be ended.

use std::{
    ffi::OsStr,
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
    process::Stdio,
    time::Duration,
};

use tokio::{
    process::{Child, Command},
    time::{Instant, sleep},
};

use super::{Client, ClientError, StartError, log_tail};
use crate::{
    api::Endpoint,
    instance::{self, Instance},
    limits,
};

/// The pause between two looks at a lock, or for a daemon that is starting. Locks are held for
/// milliseconds, and a daemon starts in some dozen of them.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Finds the daemon of one instance.
#[derive(Debug, Clone)]
pub struct Connector {
    instance: Instance,
}

impl Connector {
    /// For this instance. Nothing is looked at yet.
    pub fn new(instance: Instance) -> Self {
        Self { instance }
    }

    /// The instance.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The daemon that runs, if one runs and answers. Never starts one.
    ///
    /// # Errors
    /// [`ClientError::Foreign`] or a refusal when the daemon that runs is not to be talked to.
    pub async fn running(&self) -> Result<Option<Client>, ClientError> {
        let Some(client) = self.published()? else {
            return Ok(None);
        };
        match client.info(limits::probe_timeout()).await {
            Ok(_) => Ok(Some(client)),
            Err(error) if error.is_hand_over() => Ok(None),
            // What a dead daemon published may lead to anybody by now.
            Err(_) if self.owner_is_free()? => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The daemon, which is started if none runs.
    ///
    /// # Errors
    /// See [`ClientError::Start`] and [`Connector::running`].
    pub async fn connect(&self) -> Result<Client, ClientError> {
        let found = self.find_or_start();
        tokio::pin!(found);
        tokio::select! {
            biased;
            found = &mut found => return found,
            () = sleep(limits::start_notice()) => {}
        }
        say_that_it_takes_long();
        found.await
    }

    async fn find_or_start(&self) -> Result<Client, ClientError> {
        let deadline = Instant::now() + limits::start_limit();
        {
            // Whoever starts a daemon holds the lock until it answers.
            let _shared = self.lock(File::try_lock_shared, deadline).await?;
            if let Some(client) = self.running().await? {
                return Ok(client);
            }
        }
        let _exclusive = self.lock(File::try_lock, deadline).await?;
        loop {
            if let Some(client) = self.running().await? {
                return Ok(client);
            }
            if self.owner_is_free()? {
                return self.start(deadline).await;
            }
            if Instant::now() >= deadline {
                return Err(self.occupied().into());
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    /// Starts a daemon and waits until it answers. The caller holds the start lock.
    async fn start(&self, deadline: Instant) -> Result<Client, ClientError> {
        let log = self.instance.daemon_log();
        let output = open(&log, OpenOptions::new().append(true))?;
        let start = output.metadata().map_err(file(&log))?.len();
        let mut child = self.spawn(output).map_err(StartError::Spawn)?;
        let pid = child.id();
        loop {
            // What an earlier one published leads nowhere, or to somebody else.
            let endpoint = Endpoint::read(&self.instance.endpoint_file());
            if endpoint.is_some_and(|endpoint| Some(endpoint.pid) == pid)
                && let Some(client) = self.running().await?
            {
                reap_later(child);
                return Ok(client);
            }
            if let Some(status) = child.try_wait().map_err(StartError::Spawn)? {
                // One that was started by other means may have been faster.
                if let Some(client) = self.running().await? {
                    return Ok(client);
                }
                let tail = log_tail::tail(&log, start);
                return Err(StartError::Died { status, log, tail }.into());
            }
            if Instant::now() >= deadline {
                reap_later(child);
                let seconds = limits::start_limit().as_secs_f64();
                return Err(StartError::Silent { seconds, log }.into());
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    fn spawn(&self, output: File) -> io::Result<Child> {
        Command::new(std::env::current_exe()?)
            .arg("daemon-run")
            .envs(environment(&self.instance))
            .current_dir(&self.instance.data_dir)
            // What ends a client at its terminal is not meant for the daemon.
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
    }

    /// A client for the daemon that was published last, if that was not taken back. The token is
    /// not in the endpoint file: it outlives the daemon, and people give it to programs of theirs.
    fn published(&self) -> Result<Option<Client>, StartError> {
        let Some(endpoint) = Endpoint::read(&self.instance.endpoint_file()) else {
            return Ok(None);
        };
        if !endpoint.address.ip().is_loopback() {
            return Err(StartError::NotLoopback {
                path: self.instance.endpoint_file(),
                address: endpoint.address,
            });
        }
        let path = self.instance.token_file();
        let token = std::fs::read_to_string(&path).map_err(file(&path))?;
        Ok(Some(Client::new(endpoint.address, token.trim())))
    }

    /// Whether no daemon is alive. The lock is let go at once.
    fn owner_is_free(&self) -> Result<bool, StartError> {
        let path = self.instance.owner_lock();
        let lock = open(&path, OpenOptions::new().write(true))?;
        match lock.try_lock_shared() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => Err(StartError::File { path, source }),
        }
    }

    async fn lock(
        &self,
        try_lock: fn(&File) -> Result<(), TryLockError>,
        deadline: Instant,
    ) -> Result<File, StartError> {
        let path = self.instance.start_lock();
        let lock = open(&path, OpenOptions::new().write(true))?;
        loop {
            match try_lock(&lock) {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(source)) => return Err(StartError::File { path, source }),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(self.occupied());
                }
                Err(TryLockError::WouldBlock) => sleep(LOOK_AGAIN).await,
            }
        }
    }

    fn occupied(&self) -> StartError {
        StartError::Occupied {
            pid: Endpoint::read(&self.instance.endpoint_file()).map(|endpoint| endpoint.pid),
            seconds: limits::start_limit().as_secs_f64(),
            log: self.instance.daemon_log(),
        }
    }
}

/// What tells the daemon which instance it serves, whatever told us.
fn environment(instance: &Instance) -> Vec<(&'static str, &OsStr)> {
    let mut variables = vec![
        (
            instance::CONFIG_DIR_VARIABLE,
            instance.config_dir.as_os_str(),
        ),
        (instance::DATA_DIR_VARIABLE, instance.data_dir.as_os_str()),
    ];
    if let Some(name) = &instance.name {
        variables.push((instance::INSTANCE_VARIABLE, name.as_ref()));
    }
    variables
}

/// Opens a file of the data directory, which is made if it is missing. Nobody else may read it.
fn open(path: &Path, options: &mut OpenOptions) -> Result<File, StartError> {
    if let Some(folder) = path.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(file(folder))?;
    }
    let opened = options.create(true).mode(0o600).open(path);
    opened.map_err(file(path))
}

fn file(path: &Path) -> impl FnOnce(io::Error) -> StartError {
    let path = path.to_owned();
    |source| StartError::File { path, source }
}

/// A daemon that ends while we live is reaped; one that outlives us is init's.
fn reap_later(mut child: Child) {
    tokio::spawn(async move { child.wait().await });
}

fn say_that_it_takes_long() {
    use io::Write;
    // A notice that cannot be written has nobody to read it.
    let _ = writeln!(
        io::stderr(),
        "acp-sessions: waiting for the daemon to start"
    );
}
