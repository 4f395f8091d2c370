//! Checking the `module.json` of a module, with the words that the host uses.
//!
//! The host refuses a module at its start, for the first violation it finds. This says the same
//! before anything is shipped, and two things more that the host's own tests want of a shipped
//! module.
//!
//! Pure but for the reading of the file.

mod egress;
mod requires;

use std::{fmt, fs, path::Path};

use serde_json::{Map, Value};

pub use egress::is_hostname;

/// A violation, and the file it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    file: String,
    cause: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.file, self.cause)
    }
}

/// Checks a module's folder, or every module below a folder of modules. Sorted; empty if all is
/// well.
pub fn check(folder: &Path) -> Vec<Problem> {
    if folder.join("module.json").exists() {
        return check_file(&folder.join("module.json"))
            .into_iter()
            .collect();
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return vec![problem(folder, error.to_string())],
    };
    let mut problems: Vec<Problem> = entries
        .flatten()
        .map(|entry| entry.path().join("module.json"))
        // A folder without one is no module, and no problem.
        .filter(|file| file.exists())
        .filter_map(|file| check_file(&file))
        .collect();
    problems.sort_by_key(ToString::to_string);
    problems
}

fn check_file(file: &Path) -> Option<Problem> {
    let cause = match fs::read_to_string(file) {
        Ok(text) => violation(&text)?,
        Err(error) => error.to_string(),
    };
    Some(problem(file, cause))
}

fn problem(file: &Path, cause: String) -> Problem {
    Problem {
        file: file.display().to_string(),
        cause,
    }
}

/// The first violation of a manifest, in the order in which the host looks, and after those what a
/// shipped module needs besides.
pub fn violation(text: &str) -> Option<String> {
    let manifest: Value = match serde_json::from_str(text) {
        Ok(manifest) => manifest,
        Err(error) => return Some(error.to_string()),
    };
    loads(&manifest).err().or_else(|| {
        let is_declared = manifest.get("egress").is_some();
        (!is_declared).then(|| "missing egress declaration".to_owned())
    })
}

/// Whether the host loads it.
///
/// # Errors
/// The first violation.
pub fn loads(manifest: &Value) -> Result<(), String> {
    if !manifest["id"].is_string() {
        return Err("missing \"id\"".to_owned());
    }
    if !is_strings(&manifest["entry"]) || manifest["entry"] == Value::Array(Vec::new()) {
        return Err("\"entry\" must be a non-empty array of strings".to_owned());
    }
    requires::check(manifest.get("requires"))?;
    let hosts = egress::check(manifest.get("egress"))?;
    if let Some(resume) = manifest.get("session_resume") {
        let is_absolute = resume["dir"]
            .as_str()
            .is_some_and(|dir| dir.starts_with('/'));
        if !is_absolute {
            let cause =
                "\"session_resume\" must name an absolute in-VM transcript directory as \"dir\"";
            return Err(cause.to_owned());
        }
    }
    for name in ["loop_tools", "skill_packs"] {
        if manifest.get(name).is_some_and(|value| !value.is_boolean()) {
            return Err(format!("\"{name}\" must be a boolean"));
        }
    }
    match hosts {
        Some(hosts) => covered(&manifest["secrets"], &hosts),
        None => Ok(()),
    }
}

/// Each host that a secret is sent to must be one that the module reaches.
fn covered(secrets: &Value, hosts: &[String]) -> Result<(), String> {
    let secrets = secrets.as_array().into_iter().flatten();
    let wanted = secrets.flat_map(|secret| secret["hosts"].as_array().into_iter().flatten());
    for host in wanted.filter_map(Value::as_str) {
        if !hosts.iter().any(|declared| egress::covers(declared, host)) {
            return Err(format!(
                "secrets host \"{host}\" is not in the egress declaration"
            ));
        }
    }
    Ok(())
}

fn is_strings(value: &Value) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(Value::is_string))
}

fn object<'a>(value: &'a Value, cause: &str) -> Result<&'a Map<String, Value>, String> {
    value.as_object().ok_or_else(|| cause.to_owned())
}

#[cfg(test)]
mod tests;
