//! The result that follows from the recordings alone, and where a stored one differs from it.

use serde_json::Value;

use super::{Checker, DrivenAgent, FORMAT, JourneyResult, RunResult, file::Stored};
use crate::{
    check::Check,
    judge::{self, transcript::Transcript},
    recording::Recording,
};

impl RunResult {
    /// The result with all that can be derived from its recordings derived again.
    #[must_use]
    pub fn judged_again(&self) -> Self {
        let again = |journeys: &[JourneyResult]| -> Vec<JourneyResult> {
            let recordings = journeys.iter().map(|journey| journey.recording.clone());
            recordings.map(judged).collect()
        };
        let (journeys, stand_ins) = (again(&self.journeys), again(&self.stand_ins));
        Self {
            passed: journeys.iter().filter(|journey| journey.passes()).count(),
            agent: self.agent.clone().introduced_by(&journeys, &stand_ins),
            journeys,
            stand_ins,
            ..self.clone()
        }
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
        let processes = journeys
            .iter()
            .chain(stand_ins)
            .flat_map(|journey| &journey.recording.processes);
        let mut processes = processes;
        let answer = processes.find_map(|process| {
            let transcript = Transcript::new(0, &process.events);
            let initialize = transcript.exchanges("initialize").next()?;
            initialize.result().cloned()
        });
        let answer = answer.unwrap_or_default();
        self.info = answer["agentInfo"].clone();
        self.capabilities = answer["agentCapabilities"].clone();
        self
    }
}

impl Stored {
    /// What is wrong with the file, in words: an edit, or a verdict that does not follow.
    #[must_use]
    pub fn differences(&self, again: &RunResult) -> Vec<String> {
        let stored = &self.result;
        let mut differences: Vec<String> = self.digest_difference().into_iter().collect();
        if stored.format == FORMAT {
            for (what, said, derived) in [
                ("agent.info", &stored.agent.info, &again.agent.info),
                (
                    "agent.capabilities",
                    &stored.agent.capabilities,
                    &again.agent.capabilities,
                ),
            ] {
                if said != derived {
                    differences.push(format!(
                        "{what}: the file says {}, the recordings say {}",
                        short(said),
                        short(derived)
                    ));
                }
            }
        }
        if stored.passed != again.passed {
            differences.push(format!(
                "the file says {} pass, the recordings say {}",
                stored.passed, again.passed
            ));
        }
        let words_count = self.was_made_by_these_judges();
        for (stored, derived) in stored.all_journeys().zip(again.all_journeys()) {
            differences.extend(journey_differences(stored, derived, words_count));
        }
        for (group, is_stand_in) in [(&stored.journeys, false), (&stored.stand_ins, true)] {
            let strays = group
                .iter()
                .filter(|journey| journey.recording.inputs.journey().is_stand_in() != is_stand_in);
            differences.extend(
                strays.map(|journey| format!("{}: it stands in the wrong list", journey.name)),
            );
        }
        differences
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

fn journey_differences(
    stored: &JourneyResult,
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
