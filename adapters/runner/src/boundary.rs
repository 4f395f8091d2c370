//! The record of a boundary that was touched: bounded, on one line, and without secrets.
//!
//! A record outlives its colony and is read by many, while a command line may hold anything; so
//! what looks like a credential is masked before it is cut. Pure but for the clock.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::{
    event::{Boundary, BoundaryKind, Event},
    fit::one_line,
};

/// Characters of the members, by the contract.
const CONTROL: usize = 80;
const DETAIL: usize = 300;
const TARGET: usize = 200;

/// What stands where a secret stood.
const MASK: &str = "***";

/// Shapes of credentials. What is in the group `keep` stays.
static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?P<keep>\b[A-Za-z0-9_]*(?:TOKEN|SECRET|PASSWORD|API_KEY|PRIVATE_KEY)[A-Za-z0-9_]*=)(?:'[^']*'|\x22[^\x22]*\x22|\S+)",
        r"|(?P<scheme>\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@:]*:[^\s/@]*@",
        r"|(?P<bearer>(?i:bearer)\s+)[A-Za-z0-9._~+/=-]{8,}",
        r"|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
        r"|\bsk-[A-Za-z0-9_-]{16,}",
        r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
        r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    ))
    .ok()
});

/// The text with everything that looks like a credential masked.
pub fn redact(text: &str) -> String {
    let Some(secrets) = SECRETS.as_ref() else {
        return MASK.to_owned();
    };
    let mask = |found: &Captures| {
        let kept = ["keep", "scheme", "bearer"]
            .into_iter()
            .find_map(|name| found.name(name))
            .map_or("", |group| group.as_str());
        let at = if found.name("scheme").is_some() {
            "@"
        } else {
            ""
        };
        format!("{kept}{MASK}{at}")
    };
    secrets.replace_all(text, mask).into_owned()
}

/// The event for a boundary that was touched now.
pub fn event(kind: BoundaryKind, control: &str, detail: &str, target: Option<&str>) -> Event {
    Event::Boundary(Boundary {
        kind,
        control: one_line(control, CONTROL),
        detail: one_line(&redact(detail), DETAIL),
        target: target.map(|target| one_line(&redact(target), TARGET)),
        at: now(),
    })
}

/// The time as RFC 3339 in UTC, with milliseconds.
fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_and_the_rest_stays() {
        let key = "a1B2c3D4e5F6g7H8i9J0";
        let table = [
            ("ls -la", "ls -la".to_owned()),
            (&format!("echo ghp_{key}"), "echo ***".to_owned()),
            (&format!("echo github_pat_{key}xx"), "echo ***".to_owned()),
            (&format!("x sk-{key} y"), "x *** y".to_owned()),
            ("x xoxb-1234567890-abc y", "x *** y".to_owned()),
            ("AKIAABCDEFGHIJKLMNOP", "***".to_owned()),
            (
                &format!("-H 'Authorization: Bearer {key}'"),
                "-H 'Authorization: Bearer ***'".to_owned(),
            ),
            ("MY_API_KEY=abc run", "MY_API_KEY=*** run".to_owned()),
            ("DB_PASSWORD='a b' run", "DB_PASSWORD=*** run".to_owned()),
            (
                "git clone https://u:p@h/x",
                "git clone https://***@h/x".to_owned(),
            ),
        ];
        for (text, expected) in table {
            assert_eq!(redact(text), expected);
        }
    }

    #[test]
    fn a_record_is_one_bounded_line() {
        let detail = format!("deny:\n\t{}", "x".repeat(400));
        let Event::Boundary(boundary) = event(BoundaryKind::EgressDenied, "egress", &detail, None)
        else {
            panic!("another event");
        };
        assert_eq!(boundary.detail.chars().count(), 300);
        assert!(boundary.detail.starts_with("deny: x") && boundary.detail.ends_with('…'));
        assert!(
            boundary.at.ends_with('Z') && boundary.at.len() == 24,
            "{}",
            boundary.at
        );
    }
}
