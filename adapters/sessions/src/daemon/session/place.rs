//! The environment of a session: where its processes run, and what is checked out there.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::Session;
use crate::{
    config::{BundleConfig, Config, ConfigError, ProfileConfig, TargetConfig},
    daemon::Daemon,
    git::{self, Checkout, GitError, Selection},
    store::{NewSession, StoreError},
    target::{Locator, Place, TargetCommand, TargetError},
};

/// Why an environment is not there.
#[derive(Debug, thiserror::Error)]
pub(super) enum PlaceError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("the configuration has no {what} {id:?} any more; there are: {known}")]
    Gone {
        what: &'static str,
        id: String,
        known: String,
    },
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("what is stored about the session cannot be read: {0}")]
    Stored(#[from] serde_json::Error),
    #[error(
        "the file {0:?} of the profile needs an absolute path: the session has no home of its own"
    )]
    File(PathBuf),
    #[error("the environment is gone, or cannot be reached: {0}")]
    Lost(#[source] TargetError),
}

/// What the configuration says about a session.
pub(super) struct Settings {
    pub(super) profile: ProfileConfig,
    pub(super) target: TargetConfig,
    pub(super) bundle: Option<BundleConfig>,
}

impl Settings {
    /// As they are now: the configuration may have changed since the session was made.
    pub(super) fn load(daemon: &Daemon, asked: &NewSession) -> Result<Self, PlaceError> {
        let config = Config::load(&daemon.instance.config_file())?;
        let bundle = asked.bundle_id.as_deref();
        Ok(Self {
            profile: configured("profile", &config.profiles, &asked.profile_id)?,
            target: configured("target", &config.targets, &asked.target_id)?,
            bundle: bundle
                .map(|id| configured("bundle", &config.bundles, id))
                .transpose()?,
        })
    }
}

fn configured<T: Clone>(
    what: &'static str,
    all: &BTreeMap<String, T>,
    id: &str,
) -> Result<T, PlaceError> {
    all.get(id).cloned().ok_or_else(|| PlaceError::Gone {
        what,
        id: id.to_owned(),
        known: all.keys().cloned().collect::<Vec<_>>().join(", "),
    })
}

/// What a session asked for in its primary repository.
pub(super) fn selection(asked: &NewSession) -> Selection {
    Selection {
        at: asked.at.clone(),
        branch: asked.branch.clone(),
        base: asked.base.clone(),
    }
}

impl Session {
    /// The place: the one that is there, or one that is made now. Where it will be is stored first, so
    /// that after a crash in the middle it can be given back.
    pub(super) async fn find_place(
        &self,
        daemon: &Daemon,
        target: &TargetConfig,
    ) -> Result<Place, PlaceError> {
        let (place, row) = {
            let known = self.lock();
            (known.place.clone(), known.row.clone())
        };
        if let Some(place) = place {
            return Ok(place);
        }
        let locator = match &row.locator {
            Some(locator) => serde_json::from_str(locator)?,
            None => {
                self.plan_place(daemon, target, row.asked.project_directory.as_deref())
                    .await?
            }
        };
        let place = match row.checkout {
            // What is checked out may hold work, so it is never made anew in silence.
            Some(_) => Place::attach(&daemon.grounds, target, &locator)
                .await
                .map_err(PlaceError::Lost)?,
            None => Place::provision(&daemon.grounds, target, &locator).await?,
        };
        self.update(|known| known.place = Some(place.clone()));
        Ok(place)
    }

    async fn plan_place(
        &self,
        daemon: &Daemon,
        target: &TargetConfig,
        project: Option<&Path>,
    ) -> Result<Locator, PlaceError> {
        let locator = Place::plan(&daemon.grounds, target, &self.id, project);
        let text = serde_json::to_string(&locator)?;
        self.save(&daemon.store, |known| known.row.locator = Some(text))
            .await?;
        Ok(locator)
    }

    /// What is checked out, as it is stored.
    pub(super) fn checkout(&self) -> Result<Option<Checkout>, PlaceError> {
        let stored = self.lock().row.checkout.clone();
        Ok(stored.map(|text| serde_json::from_str(&text)).transpose()?)
    }

    /// Stores what is checked out.
    pub(super) async fn set_checkout(
        &self,
        daemon: &Daemon,
        checkout: &Checkout,
    ) -> Result<(), PlaceError> {
        let text = serde_json::to_string(checkout)?;
        self.save(&daemon.store, |known| known.row.checkout = Some(text))
            .await?;
        Ok(())
    }

    /// Finds what is checked out, or checks it out.
    pub(super) async fn find_checkout(
        &self,
        daemon: &Daemon,
        place: &Place,
        bundle: Option<&BundleConfig>,
    ) -> Result<Checkout, PlaceError> {
        if let Some(checkout) = self.checkout()? {
            return Ok(checkout);
        }
        let asked = self.lock().row.asked.clone();
        let checkout = match bundle {
            Some(bundle) => git::prepare(place, bundle, &selection(&asked), &self.id).await?,
            None => Checkout::project(place.root()),
        };
        self.set_checkout(daemon, &checkout).await?;
        Ok(checkout)
    }

    /// Gives the place back, if there is one. One that is gone is given back.
    pub(super) async fn release(&self, daemon: &Daemon) -> Result<(), PlaceError> {
        let (locator, target) = {
            let known = self.lock();
            (known.row.locator.clone(), known.row.asked.target_id.clone())
        };
        let Some(locator) = locator else {
            return Ok(());
        };
        let config = Config::load(&daemon.instance.config_file())?;
        let target = configured("target", &config.targets, &target)?;
        let locator = serde_json::from_str(&locator)?;
        Place::release_at(&daemon.grounds, &target, &locator, false).await?;
        self.save(&daemon.store, |known| {
            known.place = None;
            known.row.locator = None;
            // What was checked out is gone with it.
            known.row.checkout = None;
        })
        .await?;
        Ok(())
    }
}

/// Puts the files of a profile on the target, and adds the variables by which the harness finds its
/// own folders.
pub(super) async fn furnish(place: &Place, profile: &mut ProfileConfig) -> Result<(), PlaceError> {
    for file in &profile.files {
        let to = match place.own_folder("home") {
            _ if file.to.is_absolute() => file.to.clone(),
            Some(home) => {
                let to = home.join(&file.to);
                let home = home.to_string_lossy().into_owned();
                profile.env.entry("HOME".to_owned()).or_insert(home);
                to
            }
            None => return Err(PlaceError::File(file.to.clone())),
        };
        make_folder(place, to.parent()).await?;
        place.store(&file.from, &to).await?;
    }
    if let Some(state) = place.state_dir() {
        make_folder(place, Some(&state)).await?;
        // Where well-behaved programs keep what they remember.
        let state = state.to_string_lossy().into_owned();
        profile
            .env
            .entry("XDG_STATE_HOME".to_owned())
            .or_insert(state);
    }
    Ok(())
}

async fn make_folder(place: &Place, folder: Option<&Path>) -> Result<(), PlaceError> {
    let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let words: [OsString; 4] = [
        "mkdir".into(),
        "-p".into(),
        "--".into(),
        PathBuf::from(folder).into(),
    ];
    place.run(&TargetCommand::new(words), b"").await?;
    Ok(())
}
