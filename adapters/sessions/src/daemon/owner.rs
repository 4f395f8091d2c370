//! The daemon's hold on its data directory: the owner lock, the token, and the endpoint file.
//!
//! Must stay true: files are only for the user; the endpoint file is there only while the daemon
//! answers, and is never seen half written.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    net::SocketAddr,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
    time::Duration,
};

use tokio::time::{Instant, sleep};

use super::DaemonError;
use crate::{api::Endpoint, instance::Instance};

/// Clients that look whether a daemon lives take the lock for an instant.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// How often the lock is tried meanwhile.
const LOCK_RETRY: Duration = Duration::from_millis(10);

/// The fewest hexadecimal digits of a token: 32 random bytes.
const TOKEN_DIGITS: usize = 64;

fn failed(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DaemonError {
    let path = path.to_owned();
    move |source| DaemonError::File { what, path, source }
}

/// Makes the folders of the instance.
pub(super) fn make_folders(instance: &Instance) -> Result<(), DaemonError> {
    for folder in [
        instance.data_dir.clone(),
        instance.places_dir(),
        instance.archives_dir(),
    ] {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder
            .create(&folder)
            .map_err(failed("make the folder", &folder))?;
    }
    Ok(())
}

/// Makes the store only for the user, whatever the folder is.
pub(super) fn make_store(instance: &Instance) -> Result<(), DaemonError> {
    let path = instance.store_file();
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600);
    options.open(&path).map_err(failed("make", &path))?;
    Ok(())
}

/// Takes the owner lock, which is held as long as the file is open.
pub(super) async fn own(instance: &Instance) -> Result<File, DaemonError> {
    let path = instance.owner_lock();
    let file = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&path);
    let file = file.map_err(failed("open", &path))?;
    let deadline = Instant::now() + LOCK_PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(LOCK_RETRY).await,
            Err(TryLockError::WouldBlock) => {
                return Err(DaemonError::Owned(instance.data_dir.clone()));
            }
            Err(TryLockError::Error(source)) => return Err(failed("lock", &path)(source)),
        }
    }
}

/// The bearer token: the one in the file, or a new one.
pub(super) fn token(instance: &Instance) -> Result<String, DaemonError> {
    let path = instance.token_file();
    let mut text = String::new();
    match File::open(&path) {
        Ok(mut file) => {
            file.read_to_string(&mut text)
                .map_err(failed("read", &path))?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed("read", &path)(error)),
    }
    let kept = text.trim();
    if kept.len() >= TOKEN_DIGITS {
        // Whoever opened it to others, it is the user's alone again.
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(&path, private).map_err(failed("protect", &path))?;
        return Ok(kept.to_owned());
    }
    let half = || rand::random::<u128>();
    let token = format!("{:032x}{:032x}", half(), half());
    replace(&path, token.as_bytes())?;
    Ok(token)
}

/// Tells clients where the daemon is.
pub(super) fn publish(instance: &Instance, address: SocketAddr) -> Result<(), DaemonError> {
    let endpoint = Endpoint {
        pid: std::process::id(),
        address,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    // Numbers and strings always become JSON.
    let text = serde_json::to_vec(&endpoint).unwrap_or_default();
    replace(&instance.endpoint_file(), &text)
}

/// Tells clients that the daemon is there no more.
pub(super) fn withdraw(instance: &Instance) {
    let path = instance.endpoint_file();
    if let Err(error) = fs::remove_file(&path) {
        tracing::warn!(path = %path.display(), %error, "the endpoint file cannot be removed");
    }
}

/// Writes a file of the user's own as a whole.
fn replace(path: &Path, text: &[u8]) -> Result<(), DaemonError> {
    let new = path.with_extension("new");
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true).mode(0o600);
    let written = options.open(&new).and_then(|mut file| {
        file.write_all(text)?;
        file.sync_all()
    });
    written.map_err(failed("write", &new))?;
    fs::rename(&new, path).map_err(failed("write", path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::{make_folders, own, token};
    use crate::{daemon::DaemonError, instance::Instance};

    fn instance(folder: &std::path::Path) -> Instance {
        let instance = Instance {
            name: None,
            config_dir: folder.join("config"),
            data_dir: folder.join("data"),
        };
        make_folders(&instance).unwrap();
        instance
    }

    #[test]
    fn a_token_is_private_and_survives() {
        let folder = tempfile::tempdir().unwrap();
        let instance = instance(folder.path());
        let first = token(&instance).unwrap();
        assert_eq!(first.len(), 64);
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(instance.token_file(), open).unwrap();
        assert_eq!(token(&instance).unwrap(), first);
        let mode = std::fs::metadata(instance.token_file())
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::write(instance.token_file(), "cut").unwrap();
        assert_ne!(token(&instance).unwrap(), first);
    }

    #[tokio::test]
    async fn only_one_daemon_owns_an_instance() {
        let folder = tempfile::tempdir().unwrap();
        let instance = instance(folder.path());
        let owned = own(&instance).await.unwrap();
        let refused = own(&instance).await.unwrap_err();
        assert!(matches!(refused, DaemonError::Owned(_)), "{refused}");
        drop(owned);
        own(&instance).await.unwrap();
    }
}
