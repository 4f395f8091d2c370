//! Which hosts a module says it reaches.

use serde_json::Value;

use super::object;

/// The categories, in the order in which the host names them.
const CATEGORIES: [&str; 4] = ["api", "auth", "telemetry", "extra"];

/// The longest label of a hostname.
const MAX_LABEL: usize = 63;

/// Checks the `egress` of a manifest, and returns the hosts of all categories. Nothing if it is not
/// declared.
pub(super) fn check(egress: Option<&Value>) -> Result<Option<Vec<String>>, String> {
    let Some(egress) = egress else {
        return Ok(None);
    };
    let categories = object(
        egress,
        "egress must be an object of host categories (api, auth, telemetry, extra)",
    )?;
    let mut hosts = Vec::new();
    for (category, list) in categories {
        if !CATEGORIES.contains(&category.as_str()) {
            return Err(format!(
                "egress: unknown category \"{category}\"; known: api, auth, telemetry, extra"
            ));
        }
        let Some(list) = list.as_array() else {
            return Err(format!("egress.{category} must be an array of hostnames"));
        };
        for (index, host) in list.iter().enumerate() {
            match host.as_str().filter(|host| is_hostname(host)) {
                Some(host) => hosts.push(host.to_ascii_lowercase()),
                None => {
                    return Err(format!(
                        "egress.{category}[{index}]: {host} is not a bare hostname"
                    ));
                }
            }
        }
    }
    Ok(Some(hosts))
}

/// Whether a text is a hostname without scheme, port and path, perhaps with one leading `*.`.
pub fn is_hostname(text: &str) -> bool {
    let name = text.strip_prefix("*.").unwrap_or(text);
    name.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= MAX_LABEL
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

/// Whether a declared host covers another one: itself, or with `*.` what is below it.
pub(super) fn covers(declared: &str, host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    match declared.strip_prefix("*.") {
        Some(domain) => host
            .strip_suffix(domain)
            .and_then(|rest| rest.strip_suffix('.'))
            .is_some_and(|rest| !rest.is_empty()),
        None => host == declared,
    }
}
