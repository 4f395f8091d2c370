//! The result that follows from the recordings alone, and where a stored one differs from it.

use serde_json::Value;

use super::{Checker, DrivenAgent, FORMAT, JourneyResult, RunResult, file::Stored};
use crate::{
    check::{Check, Verdict},
    journey::Journey,
    judge::{self, transcript::Transcript},
    recording::Recording,
};

/// A stored result after it was judged again.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// The result that follows from the recordings.
    pub result: RunResult,
    /// What is wrong with the file, in words: an edit, or a verdict that does not follow.
    pub differences: Vec<String>,
}

/// What a file says and what can be derived again.
struct Claims {
    passed: usize,
    info: Value,
    capabilities: Value,
    journeys: Vec<JourneyClaim>,
    stand_ins: Vec<JourneyClaim>,
}

struct JourneyClaim {
    name: Journey,
    verdict: Verdict,
    checks: Vec<Check>,
}

impl Stored {
    /// Judges the recordings again. They are not copied: a file may be large.
    #[must_use]
    pub fn verified(mut self) -> Verified {
        let mut differences: Vec<String> = self.digest_difference().into_iter().collect();
        let words_count = self.was_made_by_these_judges();
        let is_old = self.result.format < FORMAT;
        let claims = self.take_claims();
        let result = self.result;
        differences.extend(claims.differences(&result, is_old, words_count));
        Verified {
            result,
            differences,
        }
    }

    /// Puts what follows from the recordings in the place of what the file says, and returns the latter.
    fn take_claims(&mut self) -> Claims {
        let result = &mut self.result;
        let journeys = judge_again(&mut result.journeys);
        let stand_ins = judge_again(&mut result.stand_ins);
        let passed = result.journeys.iter().filter(|journey| journey.passes());
        let passed = std::mem::replace(&mut result.passed, passed.count());
        let (info, capabilities) = introduction(&result.journeys, &result.stand_ins);
        Claims {
            passed,
            info: std::mem::replace(&mut result.agent.info, info),
            capabilities: std::mem::replace(&mut result.agent.capabilities, capabilities),
            journeys,
            stand_ins,
        }
    }
    fn digest_difference(&self) -> Option<String> {
        let Some(stored) = &self.result.digest else {
            return match self.result.format < FORMAT {
                true => self.newer_member(),
                false => Some("the digest is missing".to_owned()),
            };
        };
        (*stored != self.digest).then(|| {
            format!(
                "the file was changed after it was written: it names the digest {stored:?}, \
                 its content has {:?}",
                self.digest
            )
        })
    }

    /// A new file that calls itself an old one would need no digest.
    fn newer_member(&self) -> Option<String> {
        let stored = &self.result;
        let timed = |journey: &JourneyResult| journey.recording.timing.is_some();
        let is_newer = stored.checker.sha256.is_some()
            || stored.agent.executable.is_some()
            || stored.took_ms > 0
            || stored.all_journeys().any(timed);
        is_newer.then(|| {
            let format = stored.format;
            format!("it says that it has the format {format}, and has members of a newer one")
        })
    }

    /// Whether the sentences of the checks can be compared, and not only their verdicts.
    fn was_made_by_these_judges(&self) -> bool {
        self.result.format == FORMAT
            && self.result.checker.version == Checker::VERSION
            && self.result.checker.name == Checker::NAME
    }
}

/// Judges each recording and returns what was said of it.
fn judge_again(journeys: &mut Vec<JourneyResult>) -> Vec<JourneyClaim> {
    let mut claims = Vec::new();
    let taken = std::mem::take(journeys);
    journeys.extend(taken.into_iter().map(|journey| {
        claims.push(JourneyClaim {
            name: journey.name,
            verdict: journey.verdict,
            checks: journey.checks,
        });
        judged(journey.recording)
    }));
    claims
}

impl Claims {
    fn differences(&self, derived: &RunResult, is_old: bool, words_count: bool) -> Vec<String> {
        let mut differences = Vec::new();
        for (what, said, derived) in [
            ("agent.info", &self.info, &derived.agent.info),
            (
                "agent.capabilities",
                &self.capabilities,
                &derived.agent.capabilities,
            ),
        ] {
            if said != derived && !is_old {
                differences.push(format!(
                    "{what}: the file says {}, the recordings say {}",
                    short(said),
                    short(derived)
                ));
            }
        }
        if self.passed != derived.passed {
            differences.push(format!(
                "the file says {} pass, the recordings say {}",
                self.passed, derived.passed
            ));
        }
        let groups = [
            (&self.journeys, &derived.journeys, false),
            (&self.stand_ins, &derived.stand_ins, true),
        ];
        for (claims, journeys, is_stand_in) in groups {
            for (claim, journey) in claims.iter().zip(journeys) {
                differences.extend(journey_differences(claim, journey, words_count));
                if journey.name.is_stand_in() != is_stand_in {
                    differences.push(format!("{}: it stands in the wrong list", journey.name));
                }
            }
        }
        differences
    }
}

/// A recording with the checks that follow from it.
#[must_use]
pub fn judged(recording: Recording) -> JourneyResult {
    let checks = judge::judge(&recording);
    JourneyResult::new(recording, checks)
}

impl DrivenAgent {
    /// With what the agent said of itself in the first answer to `initialize`.
    #[must_use]
    pub fn introduced_by(
        mut self,
        journeys: &[JourneyResult],
        stand_ins: &[JourneyResult],
    ) -> Self {
        (self.info, self.capabilities) = introduction(journeys, stand_ins);
        self
    }
}

/// `agentInfo` and `agentCapabilities` of the first answer to `initialize`.
fn introduction(journeys: &[JourneyResult], stand_ins: &[JourneyResult]) -> (Value, Value) {
    let journeys = journeys.iter().chain(stand_ins);
    let mut processes = journeys.flat_map(|journey| &journey.recording.processes);
    let answer = processes.find_map(|process| {
        let transcript = Transcript::new(0, &process.events);
        let initialize = transcript.exchanges("initialize").next()?;
        initialize.result().cloned()
    });
    let answer = answer.unwrap_or_default();
    (
        answer["agentInfo"].clone(),
        answer["agentCapabilities"].clone(),
    )
}

fn journey_differences(
    stored: &JourneyClaim,
    derived: &JourneyResult,
    words_count: bool,
) -> Vec<String> {
    let mut differences = Vec::new();
    let name = derived.name;
    if stored.name != name {
        differences.push(format!("{} has the recording of {name}", stored.name));
    }
    if stored.verdict != derived.verdict {
        differences.push(format!(
            "{name}: the file says {:?}, the recording says {:?}",
            stored.verdict, derived.verdict
        ));
    }
    let same = |one: &Check, other: &Check| {
        if words_count {
            one == other
        } else {
            (&one.id, one.process, one.verdict) == (&other.id, other.process, other.verdict)
        }
    };
    let pairs = stored.checks.iter().zip(&derived.checks);
    let changed = pairs.filter(|(stored, derived)| !same(stored, derived));
    differences.extend(changed.map(|(stored, derived)| {
        format!(
            "{name}: the file has {} {:?}, the recording gives {} {:?}: {}",
            stored.id, stored.verdict, derived.id, derived.verdict, derived.came
        )
    }));
    if stored.checks.len() != derived.checks.len() {
        differences.push(format!(
            "{name}: the file has {} checks, the recording gives {}",
            stored.checks.len(),
            derived.checks.len()
        ));
    }
    differences
}

/// Enough of a value to recognise it.
fn short(value: &Value) -> String {
    const CHARS: usize = 120;
    let text = value.to_string();
    match text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
