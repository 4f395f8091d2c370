//! The file as it is written, and the checks that make a [`Config`] of it.
//!
//! Apart from the checked types so that only this file knows of places in a text.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Component, Path, PathBuf},
};

use serde::Deserialize;
use toml::Spanned;

use super::{
    BundleConfig, Config, ProfileConfig, RepositoryConfig, TargetConfig, TargetKind, error::Wrong,
};

/// Ids stand in command lines, paths and messages.
const LONGEST_ID: usize = 64;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    defaults: Defaults,
    profiles: BTreeMap<Spanned<String>, Spanned<ProfileConfig>>,
    targets: BTreeMap<Spanned<String>, Spanned<TargetKind>>,
    bundles: BTreeMap<Spanned<String>, Bundle>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Defaults {
    profile: Option<Spanned<String>>,
    target: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Bundle {
    primary_repo: Option<Spanned<String>>,
    repositories: Spanned<Vec<Repository>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Repository {
    id: Spanned<String>,
    source: Spanned<String>,
    destination: Option<Spanned<PathBuf>>,
}

pub(super) fn parse(text: &str) -> Result<Config, Wrong> {
    let file: File = toml::from_str(text).map_err(|error| {
        Wrong::new(error.span().unwrap_or_default(), error.message().to_owned())
    })?;
    let mut config = Config::default();
    for (id, profile) in file.profiles {
        let id = checked_id("profile", &id)?;
        let (span, profile) = (profile.span(), profile.into_inner());
        if profile
            .command
            .first()
            .is_none_or(|program| program.trim().is_empty())
        {
            let what =
                format!("profile {id:?} has an empty command; write the program and its arguments");
            return Err(Wrong::new(span, what));
        }
        config.profiles.insert(id, profile);
    }
    for (id, kind) in file.targets {
        let id = checked_id("target", &id)?;
        let (span, kind) = (kind.span(), kind.into_inner());
        check_target(&id, &kind, span)?;
        config.targets.insert(id.clone(), TargetConfig { id, kind });
    }
    for (id, bundle) in file.bundles {
        let id = checked_id("bundle", &id)?;
        config
            .bundles
            .insert(id.clone(), checked_bundle(id, bundle)?);
    }
    if let Some(name) = file.defaults.profile {
        config.default_profile = named("profile", name, &config.profiles)?;
    }
    if let Some(name) = file.defaults.target {
        config.default_target = named("target", name, &config.targets)?;
    }
    Ok(config)
}

fn checked_id(what: &str, id: &Spanned<String>) -> Result<String, Wrong> {
    let text = id.get_ref();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let begins_well = text
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphanumeric());
    if text.len() <= LONGEST_ID && begins_well && text.bytes().all(is_allowed) {
        return Ok(text.clone());
    }
    let what = format!(
        "{text:?} cannot be the id of a {what}: 1 to {LONGEST_ID} letters, digits, \"-\", \"_\" and \
         \".\", the first one a letter or digit"
    );
    Err(Wrong::new(id.span(), what))
}

/// What a default names, which must be there.
fn named<T>(
    what: &str,
    name: Spanned<String>,
    known: &BTreeMap<String, T>,
) -> Result<String, Wrong> {
    if known.contains_key(name.get_ref()) {
        return Ok(name.into_inner());
    }
    let known: Vec<&str> = known.keys().map(String::as_str).collect();
    let text = format!(
        "the default {what} {:?} does not exist; there are: {}",
        name.get_ref(),
        known.join(", ")
    );
    Err(Wrong::new(name.span(), text))
}

fn check_target(id: &str, kind: &TargetKind, span: Range<usize>) -> Result<(), Wrong> {
    let (member, text) = match kind {
        TargetKind::Local(_) => return Ok(()),
        TargetKind::Container(container) => ("image", &container.image),
        TargetKind::Kubernetes(kubernetes) => ("image", &kubernetes.image),
        TargetKind::Ssh(ssh) => ("destination", &ssh.destination),
    };
    // One that begins with a dash would be taken for an option.
    if !text.trim().is_empty() && !text.starts_with('-') {
        return Ok(());
    }
    let what =
        format!("target {id:?} needs a {member} that is not empty and does not begin with \"-\"");
    Err(Wrong::new(span, what))
}

fn checked_bundle(id: String, bundle: Bundle) -> Result<BundleConfig, Wrong> {
    let span = bundle.repositories.span();
    let mut repositories: Vec<RepositoryConfig> = Vec::new();
    let (mut ids, mut destinations) = (BTreeSet::new(), BTreeSet::new());
    for repository in bundle.repositories.into_inner() {
        let repository_id = checked_id("repository", &repository.id)?;
        if !ids.insert(repository_id.clone()) {
            let what = format!("bundle {id:?} has two repositories {repository_id:?}");
            return Err(Wrong::new(repository.id.span(), what));
        }
        let source = repository.source.get_ref();
        if source.trim().is_empty() || source.starts_with('-') {
            let what = format!("repository {repository_id:?} needs a source that git can clone");
            return Err(Wrong::new(repository.source.span(), what));
        }
        let (place, destination) = match repository.destination {
            Some(destination) => (destination.span(), destination.into_inner()),
            None => (repository.id.span(), PathBuf::from(&repository_id)),
        };
        if !is_below(&destination) {
            let what =
                format!("destination {destination:?} must be a relative path without \"..\"");
            return Err(Wrong::new(place, what));
        }
        if let Some(other) = destinations
            .iter()
            .find(|other: &&PathBuf| overlap(other, &destination))
        {
            let what =
                format!("destinations {other:?} and {destination:?} of bundle {id:?} overlap");
            return Err(Wrong::new(place, what));
        }
        destinations.insert(destination.clone());
        repositories.push(RepositoryConfig {
            id: repository_id,
            source: source.clone(),
            destination,
        });
    }
    let primary_repo = match (bundle.primary_repo, repositories.as_slice()) {
        (_, []) => {
            return Err(Wrong::new(
                span,
                format!("bundle {id:?} has no repositories"),
            ));
        }
        (Some(name), _) if !ids.contains(name.get_ref()) => {
            let ids: Vec<String> = ids.into_iter().collect();
            let what = format!(
                "primary_repo {:?} of bundle {id:?} is not one of its repositories: {}",
                name.get_ref(),
                ids.join(", ")
            );
            return Err(Wrong::new(name.span(), what));
        }
        (Some(name), _) => name.into_inner(),
        (None, [only]) => only.id.clone(),
        (None, _) => {
            let what =
                format!("bundle {id:?} has several repositories, so it needs a primary_repo");
            return Err(Wrong::new(span, what));
        }
    };
    Ok(BundleConfig {
        id,
        primary_repo,
        repositories,
    })
}

fn is_below(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
