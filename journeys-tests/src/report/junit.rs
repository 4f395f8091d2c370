//! A JUnit report: one suite for each run, one case for each journey. What CI systems show.
//!
//! A journey that could not be driven is an error and not a failure: the agent has no part in it.

use std::{io, path::Path, time::Duration};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::failure;
use crate::result::{JourneyResult, RunResult, file::write_beside};

/// Writes the report.
///
/// # Errors
/// What the system says.
pub fn write(results: &[RunResult], path: &Path) -> io::Result<()> {
    let report = report(results);
    write_beside(path, |out| report.serialize(out).map_err(io::Error::other))
}

fn report(results: &[RunResult]) -> Report {
    let mut report = Report::new("acp-journeys");
    for (number, result) in results.iter().enumerate() {
        report.add_test_suite(suite(result, number, results.len()));
    }
    report
}

fn suite(result: &RunResult, number: usize, of: usize) -> TestSuite {
    let agent = &result.agent;
    let mut name = agent
        .name
        .clone()
        .unwrap_or_else(|| agent.command.program.clone());
    if of > 1 && agent.name.is_none() {
        name = format!("{name} #{}", number + 1);
    }
    let mut suite = TestSuite::new(name);
    suite.set_time(Duration::from_millis(result.took_ms));
    suite.add_property(("isolation", result.isolation.as_str()));
    suite.add_property(("command", agent.command.words().join(" ").as_str()));
    suite.add_test_cases(
        result
            .journeys
            .iter()
            .map(|journey| case(journey, "journeys")),
    );
    let stand_ins = result.stand_ins.iter();
    suite.add_test_cases(stand_ins.map(|journey| case(journey, "stand-ins")));
    suite
}

fn case(journey: &JourneyResult, class: &str) -> TestCase {
    let status = if journey.could_not_run() {
        non_success(journey, NonSuccessKind::Error)
    } else if journey.passes() {
        TestCaseStatus::success()
    } else {
        non_success(journey, NonSuccessKind::Failure)
    };
    let mut case = TestCase::new(journey.name.name(), status);
    case.set_classname(format!("acp.{class}"));
    if let Some(timing) = journey.recording.timing {
        case.set_time(Duration::from_millis(timing.took_ms));
    }
    case
}

fn non_success(journey: &JourneyResult, kind: NonSuccessKind) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    let failed: Vec<&str> = journey
        .checks
        .iter()
        .filter(|check| check.verdict == crate::check::Verdict::Fail)
        .map(|check| check.id.as_str())
        .collect();
    let trouble = journey.recording.trouble.as_ref().map(ToString::to_string);
    status.set_message(match kind {
        NonSuccessKind::Error => trouble.unwrap_or_default(),
        NonSuccessKind::Failure => failed.join(", "),
    });
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _written = failure::write(journey, &mut text);
    status.set_description(String::from_utf8_lossy(&text).into_owned());
    status
}
