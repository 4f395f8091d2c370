//! From a recording to checks: pure functions, one file for each thing that is judged.
//!
//! A judge never does anything but read the recording, so that `acp-journeys verify` comes to the same
//! checks as the run did.

mod cancel;
mod image;
mod killed_mid_turn;
mod load;
mod memory;
mod messages;
mod model_failure;
mod modes;
mod plan;
mod process;
mod question;
mod refused_permission;
mod reply;
mod session;
pub mod transcript;
mod turn;
mod wire;

#[cfg(test)]
mod evidence_tests;
#[cfg(test)]
mod journeys_tests;
#[cfg(test)]
mod process_tests;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod stand_ins_tests;
#[cfg(test)]
mod words_tests;

use crate::{
    check::{Check, Finding, Found},
    evidence::{Evidence, Part},
    journey::Journey,
    recording::{Inputs, ProcessRecording, Recording, What, When},
    requirements::{Requirement, SESSION_NEW_ANSWERS},
};
pub use cancel::is_sleep;
use transcript::Transcript;

/// A process of the agent, as the judges see it.
struct Process<'r> {
    index: usize,
    recording: &'r ProcessRecording,
    transcript: Transcript,
}

/// A whole journey, as the judges see it.
struct Case<'r> {
    journey: Journey,
    processes: Vec<Process<'r>>,
    trouble: String,
}

/// All checks of a journey.
#[must_use]
pub fn judge(recording: &Recording) -> Vec<Check> {
    let case = Case::new(recording);
    let mut checks = Vec::new();
    for (index, process) in case.processes.iter().enumerate() {
        let of_process = process::judge(&case, process)
            .into_iter()
            .chain(wire::judge(&case, process))
            .chain(session::judge(&case, process));
        checks.extend(of_process.map(|check| check.of_process(index)));
    }
    if case.processes.is_empty() {
        checks.extend(process::not_started(&case));
        checks.push(case.not_reached(&SESSION_NEW_ANSWERS));
    }
    checks.extend(match &recording.inputs {
        Inputs::Reply { marker } => reply::judge(&case, marker),
        Inputs::Memory { word } => memory::judge(&case, word),
        Inputs::Load { word } => load::judge(&case, word),
        Inputs::Image { word } => image::judge(&case, word),
        Inputs::Cancel => cancel::judge(&case),
        Inputs::Plan { plan } => plan::judge(&case, plan),
        Inputs::Modes {
            first,
            created_file,
            second,
        } => modes::judge(&case, first, created_file, second),
        Inputs::RefusedPermission => refused_permission::judge(&case),
        Inputs::KilledMidTurnThenLoad { word } => killed_mid_turn::judge(&case, word),
        Inputs::ModelFailure { marker } => model_failure::judge(&case, marker),
        Inputs::Question { answer } => question::judge(&case, answer),
    });
    checks
}

impl<'r> Case<'r> {
    fn new(recording: &'r Recording) -> Self {
        let processes = recording.processes.iter().enumerate();
        let processes = processes.map(|(index, recording)| Process {
            index,
            recording,
            transcript: Transcript::new(index, &recording.events),
        });
        let trouble = recording.trouble.as_ref().map(ToString::to_string);
        Self {
            journey: recording.inputs.journey(),
            processes: processes.collect(),
            trouble: trouble.unwrap_or_else(|| "the journey ended before".to_owned()),
        }
    }

    fn check(&self, requirement: &'static Requirement, found: impl Into<Found>) -> Check {
        Check::new(requirement, self.journey, found)
    }

    /// Judges what may be missing: nothing is "not reached", never a pass.
    fn check_if<T, F: Into<Found>>(
        &self,
        requirement: &'static Requirement,
        reached: Option<T>,
        judge: impl FnOnce(T) -> F,
    ) -> Check {
        match reached {
            Some(reached) => self.check(requirement, judge(reached)),
            None => self.not_reached(requirement),
        }
    }

    fn not_reached(&self, requirement: &'static Requirement) -> Check {
        self.check(requirement, Finding::NotReached(self.trouble.clone()))
    }

    fn first(&self) -> Option<&Process<'r>> {
        self.processes.first()
    }
}

impl Process<'_> {
    /// The events of this kind, as evidence.
    fn events_where(&self, wanted: impl Fn(&What) -> bool) -> Vec<Evidence> {
        let events = self.recording.events.iter().enumerate();
        events
            .filter(|(_, event)| wanted(&event.what))
            .map(|(at, _)| Part::Event(at).of(self.index))
            .collect()
    }

    /// The looks at this moment, as evidence.
    fn looks_where(&self, wanted: impl Fn(When) -> bool) -> Vec<Evidence> {
        let looks = self.recording.looks.iter().enumerate();
        looks
            .filter(|(_, look)| wanted(look.when))
            .map(|(at, _)| Part::Look(at).of(self.index))
            .collect()
    }
}

/// `Holds` if it is so, else `Breach`, with the same words for what came.
fn holds_if(so: bool, came: impl Into<String>) -> Finding {
    if so {
        Finding::Holds(came.into())
    } else {
        Finding::Breach(came.into())
    }
}

/// At most this many characters of an agent's text stand in a check.
const MAX_QUOTE_CHARS: usize = 300;

/// A quotation for a check, shortened.
fn quote(text: &str) -> String {
    let short: String = text.chars().take(MAX_QUOTE_CHARS).collect();
    let mark = if short.len() < text.len() { " …" } else { "" };
    format!("{short:?}{mark}")
}
