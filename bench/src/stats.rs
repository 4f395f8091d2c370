//! What a list of samples says.
//!
//! Medians, not means: on a shared machine some samples are much too long, and none is too short.

use serde::Serialize;

/// What is said of one contender's samples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Summary {
    /// The middle one.
    pub median: f64,
    /// The border of the best tenth: what it costs when nothing is in the way.
    pub best_tenth: f64,
    /// The value that 99 of 100 are not worse than.
    pub p99: f64,
}

/// Which end of a scale is the good one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Times, memory.
    Less,
    /// Rates.
    More,
}

impl Summary {
    /// Sums up; absent for no samples.
    pub fn of(samples: &[f64], better: Better) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(|a, b| match better {
            Better::Less => a.total_cmp(b),
            Better::More => b.total_cmp(a),
        });
        Some(Self {
            median: quantile(&sorted, 0.5)?,
            best_tenth: quantile(&sorted, 0.1)?,
            p99: quantile(&sorted, 0.99)?,
        })
    }
}

/// The nearest rank: the smallest value that this share of the samples does not go beyond.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil().max(1.0);
    sorted.get(rank as usize - 1).copied()
}

/// How two contenders compare.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The one median by the other.
    pub of_medians: f64,
    /// The median of the quotients of samples that were taken one right after the other: what the
    /// machine did to both falls out.
    pub of_pairs: f64,
}

impl Ratio {
    /// `samples` by `floor`; absent when either has none.
    pub fn of(samples: &[f64], floor: &[f64]) -> Option<Self> {
        let median = |samples: &[f64]| Summary::of(samples, Better::Less).map(|all| all.median);
        let pairs: Vec<f64> = samples
            .iter()
            .zip(floor)
            .map(|(one, other)| one / other)
            .collect();
        Some(Self {
            of_medians: median(samples)? / median(floor)?,
            of_pairs: median(&pairs)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_summed_up() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let summary = |median, best_tenth, p99| {
            Some(Summary {
                median,
                best_tenth,
                p99,
            })
        };
        for (samples, better, expected) in [
            (&[][..], Better::Less, None),
            (&[7.0], Better::Less, summary(7.0, 7.0, 7.0)),
            (&[3.0, 1.0, 2.0], Better::Less, summary(2.0, 1.0, 3.0)),
            (&[3.0, 1.0, 2.0], Better::More, summary(2.0, 3.0, 1.0)),
            (&hundred, Better::Less, summary(50.0, 10.0, 99.0)),
            (&hundred, Better::More, summary(51.0, 91.0, 2.0)),
        ] {
            assert_eq!(Summary::of(samples, better), expected, "{samples:?}");
        }
    }

    #[test]
    fn contenders_are_compared_twice() {
        // The second pair was measured while the machine was busy.
        let ratio = Ratio::of(&[2.0, 40.0, 3.0], &[1.0, 10.0, 1.0]).unwrap();
        assert_eq!(
            ratio,
            Ratio {
                of_medians: 3.0,
                of_pairs: 3.0
            }
        );
        assert_eq!(Ratio::of(&[1.0], &[]), None);
    }
}
