//! Each check has been seen to fail: the checker runs against an agent that is wrong in exactly one
//! way, and must catch that and nothing else. And it must catch nothing in agents that are odd but
//! right.
//!
//! The table is the agent's own: `faulty-agent --list-faults`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod checker;

use std::collections::BTreeSet;

use checker::{Case, run_all};
use journeys_tests::requirements;
use serde_json::Value;

/// For faults that are seen when a limit is over, whatever the limit is: 30 s become 1.5 s.
const SHORT_LIMITS: &str = "0.05";
/// For all others: nothing waits for a limit, or only the contract's number shows the fault.
const FULL_LIMITS: &str = "1";

#[test]
fn every_fault_is_caught_and_nothing_else() {
    let mut faults = checker::list("--list-faults");
    // Cases are taken from the end: the longest start first and the others run beside them.
    faults.sort_by_key(|fault| fault["waits"] == "limit");
    let mut cases = Vec::new();
    for fault in &faults {
        let scale = match fault["waits"].as_str() {
            Some("limit") => SHORT_LIMITS,
            _ => FULL_LIMITS,
        };
        for expected in fault["expected"].as_array().unwrap() {
            cases.push(Case {
                option: "--fault",
                name: text(&fault["name"]),
                journey: text(&expected["journey"]),
                scale,
                caught: names(&expected["caught"]),
                dependents: names(&expected["dependents"]),
            });
        }
    }
    assert!(
        faults.len() > 60,
        "the list of faults is short: {}",
        faults.len()
    );
    run_all(cases);
}

#[test]
fn each_requirement_has_a_fault_that_breaks_it() {
    let faults = checker::list("--list-faults");
    let expected = faults
        .iter()
        .flat_map(|fault| fault["expected"].as_array().unwrap());
    let caught: BTreeSet<_> = expected
        .flat_map(|expected| names(&expected["caught"]))
        .collect();
    let all: BTreeSet<_> = requirements::ALL.iter().map(|r| r.id.to_owned()).collect();
    assert_eq!(
        all, caught,
        "requirements on the left, what faults break on the right"
    );
}

#[test]
fn nothing_is_caught_in_an_odd_agent_that_is_right() {
    let mut cases = Vec::new();
    for variant in checker::list("--list-variants") {
        for journey in names(&variant["journeys"]) {
            cases.push(Case {
                option: "--variant",
                name: text(&variant["name"]),
                journey,
                scale: FULL_LIMITS,
                caught: BTreeSet::new(),
                dependents: BTreeSet::new(),
            });
        }
    }
    assert!(
        cases.len() > 30,
        "the list of variants is short: {}",
        cases.len()
    );
    run_all(cases);
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn names(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(text).collect()
}
