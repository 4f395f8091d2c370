//! From a recording to checks: pure functions, one file for each thing that is judged.
//!
//! A judge never does anything but read the recording, so that `acp-journeys verify` comes to the same
//! checks as the run did.

mod cancel;
mod image;
mod load;
mod memory;
mod messages;
mod modes;
mod plan;
mod process;
mod reply;
mod session;
pub mod transcript;
mod turn;
mod wire;

#[cfg(test)]
mod journeys_tests;
#[cfg(test)]
mod process_tests;
#[cfg(test)]
mod scene;

use crate::{
    check::{Check, Finding},
    journey::Journey,
    recording::{Inputs, ProcessRecording, Recording},
    requirements::{Requirement, SESSION_NEW_ANSWERS},
};
pub use cancel::is_sleep;
use transcript::Transcript;

/// A process of the agent, as the judges see it.
struct Process<'r> {
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
            .chain(session::judge(&case, process, index));
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
    });
    checks
}

impl<'r> Case<'r> {
    fn new(recording: &'r Recording) -> Self {
        let processes = recording.processes.iter();
        let processes = processes.map(|recording| Process {
            recording,
            transcript: Transcript::new(&recording.events),
        });
        let trouble = recording.trouble.as_ref().map(ToString::to_string);
        Self {
            journey: recording.inputs.journey(),
            processes: processes.collect(),
            trouble: trouble.unwrap_or_else(|| "the journey ended before".to_owned()),
        }
    }

    fn check(&self, requirement: &'static Requirement, finding: Finding) -> Check {
        Check::new(requirement, self.journey, finding)
    }

    /// Judges what may be missing: nothing is "not reached", never a pass.
    fn check_if<T>(
        &self,
        requirement: &'static Requirement,
        reached: Option<T>,
        judge: impl FnOnce(T) -> Finding,
    ) -> Check {
        let finding = reached.map_or_else(|| Finding::NotReached(self.trouble.clone()), judge);
        self.check(requirement, finding)
    }

    fn not_reached(&self, requirement: &'static Requirement) -> Check {
        self.check_if(requirement, None::<()>, |()| Finding::Holds(String::new()))
    }

    fn first(&self) -> Option<&Process<'r>> {
        self.processes.first()
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
