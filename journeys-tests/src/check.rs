//! A check: one requirement, what came, and what that means. Pass and fail are made by one constructor,
//! so that they cannot differ in anything but the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{evidence::Evidence, journey::Journey, requirements::Requirement};

/// What a check or a journey came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// As required.
    Pass,
    /// Not as ACP or good manners have it; the journey can pass all the same.
    Warn,
    /// Not as required, or never reached.
    Fail,
}

/// What a judge found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// As required; what came.
    Holds(String),
    /// Not as required; what came instead.
    Breach(String),
    /// As the contract has it, but not as one would wish; what came.
    Blemish(String),
    /// The journey ended before; why. Never a pass.
    NotReached(String),
}

impl Finding {
    /// The same finding, with where in the recording it is seen.
    #[must_use]
    pub fn seen_in(self, evidence: impl IntoIterator<Item = Evidence>) -> Found {
        let evidence = evidence.into_iter().take(MAX_EVIDENCE).collect();
        Found {
            finding: self,
            evidence,
        }
    }

    /// Whether it is as required.
    #[must_use]
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Holds(_))
    }
}

/// A finding and where in the recording it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What was found.
    pub finding: Finding,
    /// Where.
    pub evidence: Vec<Evidence>,
}

impl From<Finding> for Found {
    fn from(finding: Finding) -> Self {
        finding.seen_in([])
    }
}

/// Places that are named for one check; a reply in a thousand chunks needs no thousand of them.
const MAX_EVIDENCE: usize = 16;

/// One judged requirement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// The requirement's id.
    pub id: String,
    /// Which process of the agent it is about, counted from 0; none for the journey as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<usize>,
    /// The verdict.
    pub verdict: Verdict,
    /// What was required, in one sentence.
    #[serde(alias = "expected")]
    pub requires: String,
    /// The page on which it is written.
    #[serde(default)]
    pub page: String,
    /// What came.
    pub came: String,
    /// Where in the recording this is seen. Empty if there is no one place for it.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

impl Check {
    /// Judges a requirement of this journey by what was found.
    #[must_use]
    pub fn new(requirement: &Requirement, journey: Journey, found: impl Into<Found>) -> Self {
        let Found { finding, evidence } = found.into();
        let breach = if requirement.decides(journey) {
            Verdict::Fail
        } else {
            Verdict::Warn
        };
        let (verdict, came) = match finding {
            Finding::Holds(came) => (Verdict::Pass, came),
            Finding::Blemish(came) => (Verdict::Warn, came),
            Finding::Breach(came) => (breach, came),
            Finding::NotReached(cause) => (Verdict::Fail, format!("not reached: {cause}")),
        };
        Self {
            id: requirement.id.to_owned(),
            process: None,
            verdict,
            requires: requirement.requires.to_owned(),
            page: requirement.page.to_owned(),
            came,
            evidence,
        }
    }

    /// The same check, about one process.
    #[must_use]
    pub fn of_process(mut self, process: usize) -> Self {
        self.process = Some(process);
        self
    }
}

/// The verdict of several checks: the worst of them. No check at all is a fail: nothing was shown.
#[must_use]
pub fn worst(checks: &[Check]) -> Verdict {
    let has = |verdict| checks.iter().any(|check| check.verdict == verdict);
    if checks.is_empty() || has(Verdict::Fail) {
        Verdict::Fail
    } else if has(Verdict::Warn) {
        Verdict::Warn
    } else {
        Verdict::Pass
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requirements::{EXIT_STATUS_ZERO, STOP_REASON_END_TURN};

    #[test]
    fn the_verdict_follows_the_demand() {
        let breach = || Finding::Breach("x".to_owned());
        let verdict =
            |requirement, journey, finding| Check::new(requirement, journey, finding).verdict;
        assert_eq!(
            verdict(&STOP_REASON_END_TURN, Journey::Reply, breach()),
            Verdict::Fail
        );
        assert_eq!(
            verdict(&STOP_REASON_END_TURN, Journey::Plan, breach()),
            Verdict::Warn
        );
        assert_eq!(
            verdict(&EXIT_STATUS_ZERO, Journey::Reply, breach()),
            Verdict::Warn
        );
        let not_reached = Finding::NotReached("crash".to_owned());
        assert_eq!(
            verdict(&EXIT_STATUS_ZERO, Journey::Reply, not_reached),
            Verdict::Fail
        );
    }

    #[test]
    fn the_worst_check_counts_and_nothing_checked_is_a_fail() {
        let check = |finding| Check::new(&STOP_REASON_END_TURN, Journey::Reply, finding);
        let pass = check(Finding::Holds(String::new()));
        let warn = check(Finding::Blemish(String::new()));
        let fail = check(Finding::Breach(String::new()));
        let table = [
            (vec![], Verdict::Fail),
            (vec![&pass], Verdict::Pass),
            (vec![&pass, &warn], Verdict::Warn),
            (vec![&warn, &fail, &pass], Verdict::Fail),
        ];
        for (checks, wanted) in table {
            let checks: Vec<Check> = checks.into_iter().cloned().collect();
            assert_eq!(worst(&checks), wanted);
        }
    }
}
