//! How thorough a run is: how often each thing is measured.

/// How often something is measured.
#[derive(Debug, Clone, Copy)]
pub struct Rounds {
    /// How many rounds do not count.
    pub warm_up: usize,
    /// How many do.
    pub counted: usize,
}

/// How thorough the run is.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// A tenth of everything.
    pub quick: bool,
    /// So many rounds of everything, whatever it costs.
    pub rounds: Option<usize>,
}

/// What a quick run divides by.
const QUICK: usize = 10;

/// Fewer rounds than this say nothing.
const LEAST: usize = 3;

impl Effort {
    /// The rounds for a measurement whose full number is `full`.
    pub fn rounds(self, full: usize) -> Rounds {
        let counted = match self.rounds {
            Some(rounds) => rounds,
            None if self.quick => (full / QUICK).max(LEAST),
            None => full,
        };
        Rounds {
            warm_up: (counted / QUICK).max(1),
            counted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_follow_the_effort() {
        let rounds = |quick, rounds, full| {
            let rounds = Effort { quick, rounds }.rounds(full);
            (rounds.warm_up, rounds.counted)
        };
        assert_eq!(rounds(false, None, 200), (20, 200));
        assert_eq!(rounds(true, None, 200), (2, 20));
        assert_eq!(rounds(true, None, 10), (1, 3));
        assert_eq!(rounds(true, Some(50), 10), (5, 50));
    }
}
