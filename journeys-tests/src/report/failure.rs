//! One journey that is not clean: which check, what was expected, what came, what to do, and the last
//! lines of the wire and of standard error.

use std::io::{self, Write};

use crate::{
    check::{Check, Verdict},
    recording::{Event, ProcessRecording, What},
    requirements,
    result::JourneyResult,
};

/// Lines of the wire and of standard error that are shown. The result file has the rest.
const LAST_LINES: usize = 8;

/// Characters of one such line.
const LINE_CHARS: usize = 200;

/// Writes what is wrong with a journey; nothing if all is well.
///
/// # Errors
/// What the writer says.
pub fn write(journey: &JourneyResult, out: &mut impl Write) -> io::Result<()> {
    if journey.verdict == Verdict::Pass {
        return Ok(());
    }
    let (not_reached, judged): (Vec<_>, Vec<_>) = journey
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::Pass)
        .partition(|check| check.came.starts_with("not reached: "));
    writeln!(out, "\n{}: {}", journey.name, journey.name.summary())?;
    if let Some(trouble) = &journey.recording.trouble {
        writeln!(out, "  stopped: {}", printable(&trouble.to_string()))?;
    }
    for check in judged {
        write_check(check, out)?;
    }
    if !not_reached.is_empty() {
        let ids: Vec<&str> = not_reached.iter().map(|check| check.id.as_str()).collect();
        writeln!(out, "  not reached, and so failed: {}", ids.join(", "))?;
    }
    if journey.verdict == Verdict::Fail {
        for (index, process) in journey.recording.processes.iter().enumerate() {
            write_process(index, process, out)?;
        }
    }
    Ok(())
}

fn write_check(check: &Check, out: &mut impl Write) -> io::Result<()> {
    let word = if check.verdict == Verdict::Fail {
        "FAIL"
    } else {
        "warning"
    };
    let process = check
        .process
        .map(|index| format!(" (process {})", index + 1))
        .unwrap_or_default();
    writeln!(out, "  {word} {}{process}", check.id)?;
    writeln!(out, "    expected: {}", printable(&check.requires))?;
    writeln!(out, "    came:     {}", printable(&check.came))?;
    if let Some(requirement) = requirements::find(&check.id) {
        writeln!(out, "    advice:   {}", requirement.advice)?;
        writeln!(out, "    see:      {}", requirement.page)?;
    }
    Ok(())
}

fn write_process(index: usize, process: &ProcessRecording, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  the last lines of process {}:", index + 1)?;
    let start = process.events.len().saturating_sub(LAST_LINES);
    for event in &process.events[start..] {
        writeln!(out, "    {}", short(&in_words(event)))?;
    }
    let stderr: Vec<&str> = process.stderr.tail.lines().collect();
    if !stderr.is_empty() {
        writeln!(
            out,
            "  its standard error ({} bytes), at the end:",
            process.stderr.bytes
        )?;
        for line in &stderr[stderr.len().saturating_sub(LAST_LINES)..] {
            writeln!(out, "    {}", short(line))?;
        }
    }
    Ok(())
}

fn in_words(Event { t_ms, what }: &Event) -> String {
    let what = match what {
        What::Sent { line } => format!("-> {line}"),
        What::Received { line, .. } => format!("<- {line}"),
        What::Junk { line, .. } => format!("<- (no message) {line}"),
        What::Omitted { lines, bytes } => format!("<- ({lines} lines, {bytes} bytes left out)"),
        What::InputClosed => "-> (input closed)".to_owned(),
        What::OutputClosed => "<- (output closed)".to_owned(),
        What::Exited { status } => format!("   ({status})"),
    };
    format!("{t_ms:>6} ms {what}")
}

/// An agent's text, and that of a file that a stranger sent, must not control the terminal.
#[must_use]
pub fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(shown).collect()
}

/// Nor may it flood the terminal.
fn short(line: &str) -> String {
    let mut short: String = printable(line).chars().take(LINE_CHARS).collect();
    if line.chars().nth(LINE_CHARS).is_some() {
        short.push('…');
    }
    short
}
