//! One page for a run: the verdict, each check, and the wire of each journey as a sequence diagram.
//!
//! What must stay true: the page needs nothing but itself, neither a file nor a network; what an agent
//! said is text in it and never markup, and no script runs but the page's own.

mod diagram;
mod fold;
mod label;
mod sequence;

use std::{io, path::Path};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use crate::{
    check::{Check, Verdict},
    evidence::{Evidence, Part},
    journey::Journey,
    requirements,
    result::{JourneyResult, RunResult, file::write_beside},
};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Writes the page.
///
/// # Errors
/// What the system says.
pub fn write(result: &RunResult, path: &Path) -> io::Result<()> {
    let page = page(result).into_string();
    write_beside(path, |out| out.write_all(page.as_bytes()))
}

fn page(result: &RunResult) -> Markup {
    let agent = &result.agent;
    let title = agent.name.clone().unwrap_or_else(|| name_of(result));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                title { (title) ": " (result.passed) " of " (result.journeys.len()) " journeys pass" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.verdict.(class_of_run(result)) {
                        (result.passed) " of " (result.journeys.len()) " journeys pass"
                    }
                    (facts(result))
                }
                nav {
                    @for journey in result.all_journeys() {
                        a.(class_of(journey)) href={ "#" (journey.name) } { (journey.name) }
                    }
                    label.search {
                        input #search type="search" placeholder="Search checks and messages   /"
                            aria-label="Search checks and messages" autocomplete="off";
                        output #found for="search" {}
                    }
                }
                main {
                    @for journey in &result.journeys { (section(journey)) }
                    @if !result.stand_ins.is_empty() {
                        h2.group { "Stand-in journeys" }
                        p.hint { "They need an agent that follows scenario commands, and are no part of the verdict." }
                        @for journey in &result.stand_ins { (section(journey)) }
                    }
                }
                footer {
                    "Made by acp-journeys " (result.checker.version) " from a result with the digest "
                    code { (result.digest.as_deref().unwrap_or("none")) } "."
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// Only the page's own script and style: the wire holds what strangers wrote.
fn policy() -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; \
         form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// What the agent calls itself, or its program.
fn name_of(result: &RunResult) -> String {
    let info = &result.agent.info;
    let told = info["title"].as_str().or(info["name"].as_str());
    match (told, info["version"].as_str()) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        (Some(name), None) => name.to_owned(),
        (None, _) => result.agent.command.program.clone(),
    }
}

fn facts(result: &RunResult) -> Markup {
    let agent = &result.agent;
    let started = i64::try_from(result.started_unix_ms).unwrap_or_default();
    let started = jiff::Timestamp::from_millisecond(started);
    let started = started.map_or_else(|_| String::new(), |at| format!("{at:.0}"));
    let executable = agent.executable.as_ref();
    html! {
        dl.facts {
            dt { "Command" } dd { code { (agent.command.words().join(" ")) } }
            @if let Some(file) = executable {
                dt { "Program" }
                dd {
                    code { (file.path) }
                    @if let Some(sha256) = &file.sha256 { " " code.digest title="SHA-256" { (sha256) } }
                }
            }
            dt { "Isolation" } dd { (result.isolation) }
            dt { "Started" } dd { (started) ", took " (seconds(result.took_ms)) }
        }
    }
}

fn section(journey: &JourneyResult) -> Markup {
    let open = journey.verdict == Verdict::Fail;
    html! {
        details.journey.(class_of(journey)) id=(journey.name) open[open] {
            summary {
                span.badge { (word_of(journey)) }
                h2 { (journey.name) }
                span.about { (journey.name.summary()) }
                @if let Some(timing) = journey.recording.timing {
                    span.took { (seconds(timing.took_ms)) }
                }
            }
            @if let Some(trouble) = &journey.recording.trouble {
                p.trouble { "Stopped: " (trouble) }
            }
            (checks(journey))
            @for (index, process) in journey.recording.processes.iter().enumerate() {
                (diagram::of(journey, index, process))
            }
        }
    }
}

fn checks(journey: &JourneyResult) -> Markup {
    let (passed, open): (Vec<&Check>, Vec<&Check>) = journey
        .checks
        .iter()
        .partition(|check| check.verdict == Verdict::Pass);
    // Failures first; what was never reached says least.
    let rank = |check: &&Check| match check.verdict {
        Verdict::Fail if check.came.starts_with("not reached: ") => 1,
        Verdict::Fail => 0,
        Verdict::Warn | Verdict::Pass => 2,
    };
    let mut open = open;
    open.sort_by_key(rank);
    html! {
        @for check in open { (check_card(journey.name, check)) }
        @if !passed.is_empty() {
            details.passed {
                summary { (passed.len()) " checks pass" }
                ul {
                    @for check in passed {
                        li.check.searchable {
                            code { (check.id) } (of_process(check)) " " (check.requires)
                            span.came { (check.came) }
                            (evidence_links(journey.name, &check.evidence))
                        }
                    }
                }
            }
        }
    }
}

fn check_card(journey: Journey, check: &Check) -> Markup {
    let (class, word) = match check.verdict {
        Verdict::Fail => ("fail", "failed"),
        Verdict::Warn | Verdict::Pass => ("warn", "warning"),
    };
    html! {
        article.check.searchable.(class) {
            h3 { code { (check.id) } (of_process(check)) " " span.word { (word) } }
            p.expected { b { "Expected: " } (check.requires) }
            p.came { b { "Came: " } (check.came) }
            @if let Some(requirement) = requirements::find(&check.id) {
                p.advice { b { "Advice: " } (requirement.advice) }
                p.see { a href=(requirement.page) rel="noreferrer" { (requirement.page) } }
            }
            (evidence_links(journey, &check.evidence))
        }
    }
}

fn of_process(check: &Check) -> Markup {
    html! {
        @if let Some(process) = check.process {
            span.process { "process " (process + 1) }
        }
    }
}

fn evidence_links(journey: Journey, evidence: &[Evidence]) -> Markup {
    html! {
        @for (number, evidence) in evidence.iter().enumerate() {
            @if number == 0 { span.seen { "Seen in " } }
            a.evidence href={ "#" (anchor(journey, *evidence)) } { (evidence_name(*evidence)) }
            " "
        }
    }
}

fn evidence_name(evidence: Evidence) -> String {
    match evidence.part {
        Part::Event(at) => format!("event {at}"),
        Part::Look(at) => format!("look {at}"),
        Part::Turn(at) => format!("turn {at}"),
        Part::ToolServerLine(at) => format!("tool server line {at}"),
    }
}

/// The id of the row that shows this part of the recording.
fn anchor(journey: Journey, evidence: Evidence) -> String {
    let (letter, at) = match evidence.part {
        Part::Event(at) => ('e', at),
        Part::Look(at) => ('l', at),
        Part::Turn(at) => ('t', at),
        Part::ToolServerLine(at) => ('s', at),
    };
    format!("{journey}-p{}-{letter}{at}", evidence.process)
}

fn class_of_run(result: &RunResult) -> &'static str {
    if result.all_pass() { "pass" } else { "fail" }
}

fn class_of(journey: &JourneyResult) -> &'static str {
    match journey.verdict {
        Verdict::Pass => "pass",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
    }
}

fn word_of(journey: &JourneyResult) -> &'static str {
    match journey.verdict {
        Verdict::Pass => "pass",
        Verdict::Warn => "pass, with warnings",
        Verdict::Fail if journey.could_not_run() => "could not run",
        Verdict::Fail => "fail",
    }
}

fn seconds(ms: u64) -> String {
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        format!("{}.{:01} s", ms / 1000, ms % 1000 / 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        recording::{Inputs, Recording},
        result::again,
        trouble::Trouble,
    };

    #[test]
    fn what_an_agent_said_is_text() {
        let evil = "<script>alert(1)</script>\"'&";
        let recording = Recording {
            inputs: Inputs::Reply {
                marker: evil.to_owned(),
            },
            processes: Vec::new(),
            trouble: Some(Trouble::CouldNotStart {
                program: evil.to_owned(),
                error: evil.to_owned(),
            }),
            timing: None,
        };
        let section = section(&again::judged(recording)).into_string();
        assert!(section.contains("&lt;script&gt;alert(1)"), "{section}");
        assert!(!section.contains("<script>"), "{section}");
    }

    #[test]
    fn times_are_short() {
        for (ms, wanted) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (1000, "1.0 s"),
            (61_250, "61.2 s"),
        ] {
            assert_eq!(seconds(ms), wanted);
        }
    }
}
