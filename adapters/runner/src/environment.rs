//! Which variables the agent and its terminals get.
//!
//! All of the runner's own, by the contract: what a colony gives to its agent comes this way, and
//! the runner cannot know which names a custom agent looks for. Who knows them names them in
//! [`NAMES`]; then nothing else is passed on but what programs need to find things.

use std::{env, ffi::OsString};

/// The variable with the names, separated by commas or spaces.
pub const NAMES: &str = "COLONIZER_ACP_ENV";

/// Variables with their values.
pub type Environment = Vec<(OsString, OsString)>;

/// The environment for the agent and its terminals. The preset's credential is always there.
pub fn load(credential: Option<&str>) -> Environment {
    match names(&env::var(NAMES).unwrap_or_default(), credential) {
        Some(names) => process_tree::base_environment(&names),
        None => env::vars_os().collect(),
    }
}

/// The names in a list; nothing if none is in it.
fn names(list: &str, credential: Option<&str>) -> Option<Vec<String>> {
    let named = list.split(|c: char| c == ',' || c.is_whitespace());
    let mut names: Vec<String> = named
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    if names.is_empty() {
        return None;
    }
    names.extend(credential.map(str::to_owned));
    Some(names)
}

/// The environment with more variables, which replace those of the same names.
pub fn with(environment: &Environment, added: &Environment) -> Environment {
    let is_added = |name: &OsString| added.iter().any(|(other, _)| other == name);
    let kept = environment.iter().filter(|(name, _)| !is_added(name));
    kept.chain(added).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_names_everything_is_passed_on() {
        assert_eq!(names("", Some("KEY")), None);
        assert_eq!(names(" , ", None), None);
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(names("A, B  C", None), Some(owned(&["A", "B", "C"])));
        assert_eq!(names("A", Some("KEY")), Some(owned(&["A", "KEY"])));
    }

    #[test]
    fn what_is_added_replaces() {
        let pairs = |pairs: &[(&str, &str)]| -> Environment {
            pairs
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect()
        };
        let all = with(&pairs(&[("A", "1"), ("B", "2")]), &pairs(&[("A", "3")]));
        assert_eq!(all, pairs(&[("B", "2"), ("A", "3")]));
    }
}
