//! The identity of what really runs: digests of the bytes that are executed on the target.
//!
//! What must stay true:
//!
//! - The program itself is looked at, with all links followed, never a wrapper that stands in front
//!   of it: the digest of a wrapper says nothing about what it starts. So a program that is a script
//!   has no identity, and the receipt says why.
//! - Changed bytes change the id, also under an unchanged version.
//! - A receipt holds no path, no home and no environment.

mod here;
mod there;

use std::{fmt::Write as _, path::Path};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    api::{Component, ErrorCode, Provenance, Runtime},
    config::ProfileConfig,
    daemon::refusal::Refusal,
    store::now,
    target::{LocatorKind, Place},
};

/// The beginning of every id: what is digested, and how.
const FORMAT: &str = "acp-sessions-runtime-v1";

/// What is known of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Inspected {
    /// Operating system and processor.
    platform: String,
    /// The digest of its bytes, or why there is none.
    digest: Result<String, Unknown>,
}

/// Why a program has no identity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum Unknown {
    #[error("the command is a script, so what it starts is not known")]
    Script,
    #[error("the program is not on the target")]
    Missing,
    #[error("the target could not look at the program: {0}")]
    Unreadable(String),
}

/// Looks at the program of a profile on the target. Never fails: what cannot be found out is a
/// reason in the receipt.
pub(super) async fn inspect(place: &Place, profile: &ProfileConfig, cwd: &Path) -> Inspected {
    match place.locator().kind {
        LocatorKind::Local => here::inspect(profile, cwd).await,
        _ => there::inspect(place, profile, cwd).await,
    }
}

/// The receipt, from what the target and what the harness itself says in its answer to
/// `initialize`.
pub(super) fn receipt(
    profile: &ProfileConfig,
    inspected: Inspected,
    initialized: &Value,
) -> Runtime {
    let program = profile.command.first().map_or("", String::as_str);
    let name = program.rsplit('/').next().unwrap_or(program).to_owned();
    let Inspected { platform, digest } = inspected;
    let (sha256, unavailable_reason) = match digest {
        Ok(digest) => (Some(digest), None),
        Err(why) => (None, Some(why.to_string())),
    };
    let mut components = vec![Component {
        name,
        version: None,
        sha256,
    }];
    let agent = &initialized["agentInfo"];
    if let Some(name) = agent["name"].as_str() {
        components.push(Component {
            name: name.to_owned(),
            version: agent["version"].as_str().map(str::to_owned),
            sha256: None,
        });
    }
    components.sort();
    let mut runtime = Runtime {
        id: None,
        harness: profile.harness_kind(),
        platform,
        provenance: Provenance::TargetInstallation,
        components,
        unavailable_reason,
        event_ordinal: 0,
        observed_at_ms: now(),
    };
    if runtime.unavailable_reason.is_none() {
        runtime.id = Some(id(&runtime));
    }
    runtime
}

fn id(runtime: &Runtime) -> String {
    let what = (
        FORMAT,
        &runtime.harness,
        &runtime.platform,
        runtime.provenance,
        &runtime.components,
    );
    // Strings and lists always become JSON.
    let bytes = serde_json::to_vec(&what).unwrap_or_default();
    format!("{FORMAT}:{}", hex(&Sha256::digest(bytes)))
}

/// Lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing into a string never fails.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Whether the runtime is the one that was asked for.
///
/// # Errors
/// Why not, and what to do.
pub(crate) fn check(expected: Option<&str>, runtime: Option<&Runtime>) -> Result<(), String> {
    let Some(expected) = expected else {
        return Ok(());
    };
    let Some(runtime) = runtime else {
        return Err(format!(
            "expected_runtime_identity {expected} cannot be checked: the harness was never initialised"
        ));
    };
    match &runtime.id {
        Some(id) if id == expected => Ok(()),
        Some(id) => Err(format!(
            "expected_runtime_identity is {expected}, but the runtime is {id}; look at what has \
             changed, and select the runtime anew"
        )),
        None => Err(format!(
            "expected_runtime_identity is {expected}, but the identity of the runtime is \
             unavailable: {}",
            runtime
                .unavailable_reason
                .as_deref()
                .unwrap_or("nobody knows why")
        )),
    }
}

/// The same as a refusal of a prompt.
pub(crate) fn admit(expected: Option<&str>, runtime: Option<&Runtime>) -> Result<(), Refusal> {
    check(expected, runtime)
        .map_err(|why| Refusal::conflict_because(ErrorCode::RuntimeMismatch, why))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{check, receipt, there::read};
    use crate::{api::Runtime, config::ProfileConfig};

    fn of(text: &str, initialized: serde_json::Value) -> Runtime {
        let mut profile = ProfileConfig::reference();
        profile.command = vec!["/some/home/bin/agent".to_owned()];
        receipt(&profile, read(text), &initialized)
    }

    fn program(digit: &str) -> String {
        format!("Linux x86_64\nprogram\n{}\n", digit.repeat(64))
    }

    #[test]
    fn the_id_follows_the_bytes_and_the_version_and_nothing_else() {
        let info = |version: &str| json!({"agentInfo": {"name": "a", "version": version}});
        let first = of(&program("0"), info("1"));
        assert_eq!(first.id, of(&program("0"), info("1")).id);
        assert_ne!(first.id, of(&program("1"), info("1")).id, "changed bytes");
        assert_ne!(first.id, of(&program("0"), info("2")).id, "changed version");
        assert_eq!(first.platform, "linux-x86_64");
        let told = serde_json::to_string(&first).unwrap();
        assert!(!told.contains("/some"), "{told}");
    }

    #[test]
    fn what_is_not_known_has_no_id_but_a_reason() {
        let table = [
            ("Linux x86_64\nscript\n", "is a script"),
            ("Linux x86_64\nmissing\n", "not on the target"),
            ("Linux x86_64\nprogram\n", "has no digest"),
            ("", "has no digest"),
        ];
        for (text, why) in table {
            let runtime = of(text, json!({}));
            assert_eq!(runtime.id, None);
            let reason = runtime.unavailable_reason.clone().unwrap();
            assert!(reason.contains(why), "{reason}");
            let refused = check(Some("x"), Some(&runtime)).unwrap_err();
            assert!(
                refused.contains("unavailable") && refused.contains(why),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_constraint_names_both_ids() {
        let runtime = of(&program("0"), json!({}));
        let id = runtime.id.clone().unwrap();
        assert_eq!(check(None, None), Ok(()));
        assert_eq!(check(Some(&id), Some(&runtime)), Ok(()));
        let refused = check(Some("other"), Some(&runtime)).unwrap_err();
        assert!(
            refused.contains("other") && refused.contains(&id),
            "{refused}"
        );
        assert!(check(Some(&id), None).is_err());
    }
}
