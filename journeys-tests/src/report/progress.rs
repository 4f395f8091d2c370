//! Progress on standard error: a moving line on a terminal, plain lines elsewhere.

use std::{
    io::{self, IsTerminal as _, Write as _},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{result::JourneyResult, run::Progress};

/// How often the moving line moves.
const TICK: Duration = Duration::from_millis(100);

/// What shows the progress of a run of `journeys` journeys.
#[must_use]
pub fn shown(journeys: usize) -> Box<dyn Fn(Progress<'_>)> {
    if io::stderr().is_terminal() {
        on_terminal(journeys)
    } else {
        Box::new(|progress| {
            if let Progress::Judged(result) = progress {
                say(&format!("{}: {}", result.name, word_for(result)));
            }
        })
    }
}

/// Says one line of progress.
pub fn say(line: &str) {
    // Progress is a courtesy: a closed standard error is no fault.
    let _closed = writeln!(io::stderr(), "{line}");
}

fn on_terminal(journeys: usize) -> Box<dyn Fn(Progress<'_>)> {
    let bar = ProgressBar::new(journeys as u64);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} {elapsed:>4} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(TICK);
    Box::new(move |progress| match progress {
        Progress::Started(journey) => bar.set_message(format!("{journey}: {}", journey.summary())),
        Progress::Step(journey, step) => bar.set_message(format!("{journey}: {step}")),
        Progress::Judged(result) => {
            bar.println(format!("{}: {}", result.name, word_for(result)));
            bar.inc(1);
            if bar.position() == bar.length().unwrap_or_default() {
                bar.finish_and_clear();
            }
        }
    })
}

fn word_for(result: &JourneyResult) -> &'static str {
    if result.could_not_run() {
        "could not run"
    } else if result.passes() {
        "pass"
    } else {
        "FAIL"
    }
}
