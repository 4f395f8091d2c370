//! The id of a session.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The id of a session: 128 random bits as 32 lower-case hexadecimal digits. The ACP session id of
/// the front is the same.
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

/// A text that is not a session id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a session id: expected 32 lower-case hexadecimal digits")]
pub struct BadSessionId(String);

impl SessionId {
    /// A new id that no other session has.
    pub fn random() -> Self {
        Self(format!("{:032x}", rand::random::<u128>()))
    }

    /// As it stands in paths and messages.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for SessionId {
    type Error = BadSessionId;

    fn try_from(text: String) -> Result<Self, BadSessionId> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 32 && text.bytes().all(is_digit) {
            return Ok(Self(text));
        }
        Err(BadSessionId(text.chars().take(64).collect()))
    }
}

impl FromStr for SessionId {
    type Err = BadSessionId;

    fn from_str(text: &str) -> Result<Self, BadSessionId> {
        Self::try_from(text.to_owned())
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::SessionId;

    #[test]
    fn only_32_lower_case_digits_are_an_id() {
        let good = "0123456789abcdef0123456789abcdef";
        assert_eq!(
            good.parse::<SessionId>().map(String::from).as_deref(),
            Ok(good)
        );
        for bad in [
            "",
            "0123",
            "0123456789ABCDEF0123456789ABCDEF",
            "../3456789abcdef0123456789abcdef",
        ] {
            assert!(bad.parse::<SessionId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_random_id_is_an_id_and_new() {
        let (one, other) = (SessionId::random(), SessionId::random());
        assert_ne!(one, other);
        assert_eq!(one.as_str().parse(), Ok(one.clone()));
    }
}
