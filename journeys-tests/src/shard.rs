//! A part of a matrix: every N-th agent, from the I-th on.

use std::{num::NonZeroUsize, str::FromStr};

/// The I-th of N shards, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which one.
    pub number: NonZeroUsize,
    /// Of how many.
    pub of: NonZeroUsize,
}

/// Not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no shard; write 1/3, 2/3 or 3/3 for the three parts of a matrix")]
pub struct NoShard {
    text: String,
}

impl Shard {
    /// Whether the agent at this index, counted from 0, belongs to this shard.
    #[must_use]
    pub fn has(&self, index: usize) -> bool {
        index % self.of == self.number.get() - 1
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Self, NoShard> {
        let parts = text.split_once('/').and_then(|(number, of)| {
            let (number, of) = (number.parse().ok()?, of.parse().ok()?);
            Some(Self { number, of })
        });
        parts
            .filter(|shard| shard.number <= shard.of)
            .ok_or_else(|| NoShard {
                text: text.to_owned(),
            })
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_agent_is_in_exactly_one_shard() {
        for of in 1..7 {
            for index in 0..20 {
                let shards = (1..=of).map(|number| format!("{number}/{of}").parse::<Shard>());
                let having = shards.filter(|shard| shard.as_ref().unwrap().has(index));
                assert_eq!(having.count(), 1, "agent {index} in {of} shards");
            }
        }
    }

    #[test]
    fn what_is_no_shard() {
        for text in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
