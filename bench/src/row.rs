//! What a number is: its name, its unit, its target, and its samples.
//!
//! Apart from the measuring, because the table and the measurements share these and nothing else.

use std::fmt;

use serde::Serialize;

use crate::stats::Better;

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Time.
    Milliseconds,
    /// Memory, or a file's size.
    Mebibytes,
    /// A rate.
    PerSecond,
    /// How many.
    Count,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Milliseconds => "ms",
            Unit::Mebibytes => "MiB",
            Unit::PerSecond => "/s",
            Unit::Count => "n",
        })
    }
}

/// What the reference agent is to reach.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Nothing is set: the number is a fact.
    None,
    /// The median divided by the floor's is at most this.
    TimesFloor(f64),
    /// The median divided by the floor's is at least this.
    AtLeastTimesFloor(f64),
    /// The median is at most this.
    AtMost(f64),
    /// Every sample is zero.
    Never,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::None => Ok(()),
            Target::TimesFloor(times) => write!(f, "≤ {times}x"),
            Target::AtLeastTimesFloor(times) => write!(f, "≥ {times}x"),
            Target::AtMost(most) => write!(f, "≤ {most}"),
            Target::Never => f.write_str("never"),
        }
    }
}

/// What one number of a measurement is.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// What was measured, for people; unique.
    pub what: String,
    /// What the number counts.
    pub unit: Unit,
    /// Which way is good.
    pub better: Better,
    /// What is to be reached.
    pub target: Target,
}

impl Row {
    /// A time.
    pub fn time(what: impl Into<String>, target: Target) -> Self {
        Self {
            what: what.into(),
            unit: Unit::Milliseconds,
            better: Better::Less,
            target,
        }
    }

    /// An amount of memory.
    pub fn memory(what: impl Into<String>, target: Target) -> Self {
        Self {
            what: what.into(),
            unit: Unit::Mebibytes,
            better: Better::Less,
            target,
        }
    }

    /// A rate.
    pub fn rate(what: impl Into<String>, target: Target) -> Self {
        Self {
            what: what.into(),
            unit: Unit::PerSecond,
            better: Better::More,
            target,
        }
    }

    /// A number of things that should not be.
    pub fn count(what: impl Into<String>, target: Target) -> Self {
        Self {
            what: what.into(),
            unit: Unit::Count,
            better: Better::Less,
            target,
        }
    }
}

/// All samples of one number.
#[derive(Debug, Serialize)]
pub struct Series {
    /// What they are.
    pub row: Row,
    /// By contender, in the order of the command line.
    pub columns: Vec<Column>,
    /// The share of the machine that others used meanwhile, from 0 to 1; absent when the series was
    /// too short to know.
    pub noise: Option<f64>,
}

/// The samples of one contender.
#[derive(Debug, Serialize)]
pub struct Column {
    /// The contender's name.
    pub contender: String,
    /// In the order in which they were taken; those of one round stand at the same place.
    pub samples: Vec<f64>,
    /// Why there are no more.
    pub fault: Option<String>,
}
