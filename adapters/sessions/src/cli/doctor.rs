//! `doctor`: what is missing or wrong, before somebody meets it.
//!
//! It starts nothing and changes nothing.

use std::path::PathBuf;

use super::{CliError, output};
use crate::{
    client::Connector,
    config::{Config, TargetKind},
    store,
};

/// What a check found.
enum Found {
    Good(String),
    /// Nobody needs it now, but somebody may.
    Note(String),
    Bad(String),
}

pub(super) async fn doctor(connector: &Connector) -> Result<(), CliError> {
    let instance = connector.instance();
    let mut found = vec![("daemon", daemon(connector).await)];
    found.push((
        "store",
        match store::saved_workspaces(&instance.store_file()) {
            Ok(workspaces) => Found::Good(format!("{} workspaces", workspaces.len())),
            Err(error) => Found::Bad(error.to_string()),
        },
    ));
    match Config::load(&instance.config_file()) {
        Ok(config) => {
            let file = instance.config_file();
            let text = match file.exists() {
                true => file.display().to_string(),
                false => format!("{} is not there; the defaults apply", file.display()),
            };
            found.push(("configuration", Found::Good(text)));
            found.extend(harnesses(&config).map(|harness| ("harness", harness)));
            found.extend(targets(&config).map(|target| ("target", target)));
        }
        Err(error) => found.push(("configuration", Found::Bad(error.to_string()))),
    }
    found.push(("git", program("git", "bundles and diffs need it")));
    let bad = found
        .iter()
        .filter(|(_, found)| matches!(found, Found::Bad(_)))
        .count();
    let rows = found.into_iter().map(|(what, found)| {
        let (how, text) = match found {
            Found::Good(text) => ("ok", text),
            Found::Note(text) => ("note", text),
            Found::Bad(text) => ("WRONG", text),
        };
        vec![how.to_owned(), what.to_owned(), text]
    });
    output::print_table(&[], rows)?;
    match bad {
        0 => Ok(()),
        bad => Err(CliError::Doctor(bad)),
    }
}

async fn daemon(connector: &Connector) -> Found {
    match connector.running().await {
        Ok(Some(client)) => Found::Good(format!("answers at {}", client.address())),
        Ok(None) => Found::Note("none runs; the first command that needs it starts it".to_owned()),
        Err(error) => Found::Bad(error.to_string()),
    }
}

/// The harness of each profile, as it is found on this machine.
fn harnesses(config: &Config) -> impl Iterator<Item = Found> {
    config.profiles.iter().map(|(id, profile)| {
        let command = profile.command.first().map_or("", String::as_str);
        match (which(command), profile.enabled) {
            (Some(path), _) => Found::Good(format!("{id}: {}", path.display())),
            (None, false) => Found::Note(format!("{id}: disabled, and {command} is not here")),
            (None, true) => Found::Note(format!(
                "{id}: {command} is not here; sessions of this profile need it on their target"
            )),
        }
    })
}

/// What each target needs on this machine.
fn targets(config: &Config) -> impl Iterator<Item = Found> {
    config
        .targets
        .iter()
        .map(|(id, target)| match &target.kind {
            TargetKind::Local(_) => Found::Good(format!("{id}: this machine")),
            TargetKind::Container(container) => {
                let engines = match &container.engine {
                    Some(engine) => vec![engine.display().to_string()],
                    None => vec!["podman".to_owned(), "docker".to_owned()],
                };
                match engines.iter().find_map(|engine| which(engine)) {
                    Some(engine) => Found::Good(format!("{id}: {}", engine.display())),
                    None => Found::Bad(format!("{id}: {} is not here", engines.join(" or "))),
                }
            }
            TargetKind::Ssh(_) => named(id, "ssh"),
            TargetKind::Kubernetes(kubernetes) => {
                let kubectl = kubernetes.kubectl.as_ref();
                let kubectl =
                    kubectl.map_or_else(|| "kubectl".to_owned(), |path| path.display().to_string());
                named(id, &kubectl)
            }
        })
}

fn named(id: &str, name: &str) -> Found {
    match program(name, "the target needs it") {
        Found::Good(text) => Found::Good(format!("{id}: {text}")),
        Found::Note(text) => Found::Note(format!("{id}: {text}")),
        Found::Bad(text) => Found::Bad(format!("{id}: {text}")),
    }
}

fn program(name: &str, why: &str) -> Found {
    match which(name) {
        Some(path) => Found::Good(path.display().to_string()),
        None => Found::Bad(format!("{name} is not here; {why}")),
    }
}

/// Where a program is, by its path or on the `PATH`.
fn which(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|path| path.is_file());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}
