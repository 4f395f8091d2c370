//! The key of a model server.
//!
//! Must stay true: it is shown to nobody. It has no way into a log or an error but by
//! [`Key::header`], whose value is marked as sensitive, and what a server says is cleaned of it
//! before anybody reads it. Children never see it: they inherit no variable that is not named.

use std::fmt;

use reqwest::header::HeaderValue;

/// A key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

/// The shortest key that is looked for in texts: a shorter one would be found in ordinary words.
const FOUND: usize = 6;

impl Key {
    /// The key in this text; nothing when there is none, or when it could not be sent as a header.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        sound.then(|| Self(text.to_owned()))
    }

    /// The key as the value of a header, behind `scheme`.
    pub(super) fn header(&self, scheme: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{scheme}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The text without the key.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.len() < FOUND {
            return text.to_owned();
        }
        text.replace(&self.0, "[the key]")
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = Key::new(" sk-secret\n").unwrap();
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.to_str().unwrap(), "Bearer sk-secret");
        for shown in [
            format!("{key:?}"),
            format!("{header:?}"),
            key.redact("wrong key: sk-secret!"),
        ] {
            assert!(!shown.contains("secret"), "{shown}");
        }
    }

    #[test]
    fn what_is_no_key() {
        for text in ["", " \n", "two words", "caf\u{e9}", "a\u{7f}"] {
            assert_eq!(Key::new(text), None, "{text:?}");
        }
    }
}
