//! The environment that commands and MCP servers inherit.
//!
//! The owner's own environment holds what its user gave to the *owner*: keys of model providers,
//! tokens of the editor. A command that the model chose must not see them, so nothing is inherited
//! but a short list of names that programs need to find things, and what the user names.
//!
//! Left out on purpose: every `*_KEY` and `*_TOKEN`, `SSH_AUTH_SOCK` (it lends the user's keys),
//! and the proxy variables (their URLs may hold passwords). Who needs one, names it.

use std::ffi::{OsStr, OsString};

/// What programs need to find the user, their files, and the language to speak.
const INHERITED: [&str; 16] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// All names that begin so are inherited too.
const INHERITED_PREFIX: &str = "LC_";

/// No command has a terminal, and nobody could answer: pagers print, questions fail, editors keep
/// the text they are given, and nobody draws with escape sequences.
const FIXED: [(&str, &str); 6] = [
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// The environment for a command: the stated names from the owner's own environment, the names in
/// `extra`, and what switches questions off. A name in `extra` wins over the latter.
pub fn base_environment(extra: &[String]) -> Vec<(OsString, OsString)> {
    select(std::env::vars_os(), extra)
}

fn select(
    own: impl Iterator<Item = (OsString, OsString)>,
    extra: &[String],
) -> Vec<(OsString, OsString)> {
    let named = |name: &OsStr| extra.iter().any(|wanted| name == OsStr::new(wanted));
    let listed = |name: &OsStr| {
        name.to_str()
            .is_some_and(|name| INHERITED.contains(&name) || name.starts_with(INHERITED_PREFIX))
    };
    let mut environment: Vec<_> = own
        .filter(|(name, _)| named(name) || listed(name))
        .collect();
    for (name, value) in FIXED {
        if !environment.iter().any(|(present, _)| present == name) {
            environment.push((name.into(), value.into()));
        }
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stated_and_named_variables_are_inherited() {
        //  name                  named  inherited
        let table = [
            ("PATH", false, true),
            ("LC_ALL", false, true),
            ("TMPDIR", false, true),
            ("OUTER_SECRET_KEY", false, false),
            ("OUTER_SECRET_KEY", true, true),
            ("SSH_AUTH_SOCK", false, false),
            ("http_proxy", false, false),
            ("path", false, false),
            ("PATHS", false, false),
        ];
        for (name, named, inherited) in table {
            let extra = if named {
                vec![name.to_owned()]
            } else {
                Vec::new()
            };
            let got = select([(name.into(), "value".into())].into_iter(), &extra);
            let found = got.contains(&(name.into(), "value".into()));
            assert_eq!(found, inherited, "{name}");
        }
    }

    #[test]
    fn questions_are_off_unless_the_user_says_otherwise() {
        let own = || [("PAGER".into(), "less".into())].into_iter();
        let value = |environment: &[(OsString, OsString)]| {
            let values: Vec<_> = environment
                .iter()
                .filter(|(name, _)| name == "PAGER")
                .collect();
            assert_eq!(values.len(), 1);
            values[0].1.clone()
        };
        assert_eq!(value(&select(own(), &[])), "cat");
        assert_eq!(value(&select(own(), &["PAGER".into()])), "less");
    }
}
