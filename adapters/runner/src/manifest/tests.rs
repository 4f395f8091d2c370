//! One row for each violation that the specification names, with its exact words.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use serde_json::json;

use super::*;

/// A manifest without faults, with one member replaced.
fn with(name: &str, value: Value) -> String {
    let mut manifest = json!({
        "id": "m",
        "entry": ["run"],
        "egress": {"api": ["api.example.org", "*.wild.example"]},
        "secrets": [{"env": ["KEY"], "hosts": ["api.example.org", "a.wild.example"]}],
    });
    if value.is_null() {
        manifest.as_object_mut().unwrap().remove(name);
    } else {
        manifest[name] = value;
    }
    manifest.to_string()
}

#[test]
fn j_each_violation_is_named_in_the_words_of_the_host() {
    let entry = "\"entry\" must be a non-empty array of strings";
    let resume = "\"session_resume\" must name an absolute in-VM transcript directory as \"dir\"";
    let table = [
        ("id", Value::Null, "missing \"id\""),
        ("id", json!(7), "missing \"id\""),
        ("entry", Value::Null, entry),
        ("entry", json!([]), entry),
        ("entry", json!(["a", 1]), entry),
        ("entry", json!("a"), entry),
        ("requires", json!([]), "requires must be an object"),
        (
            "requires",
            json!({"binaries": "x"}),
            "requires.binaries must be an array of strings",
        ),
        (
            "requires",
            json!({"fetched_by_runner": [1]}),
            "requires.fetched_by_runner must be an array of strings",
        ),
        (
            "requires",
            json!({"pins": []}),
            "requires.pins must be an object of package or binary name to pin",
        ),
        (
            "requires",
            json!({"pins": {"@a/b": {"version": 1}}}),
            "requires.pins.@a/b must name a string \"version\"",
        ),
        (
            "egress",
            json!([]),
            "egress must be an object of host categories (api, auth, telemetry, extra)",
        ),
        (
            "egress",
            json!({"apis": []}),
            "egress: unknown category \"apis\"; known: api, auth, telemetry, extra",
        ),
        (
            "egress",
            json!({"api": "x"}),
            "egress.api must be an array of hostnames",
        ),
        (
            "egress",
            json!({"api": ["ok.example", "https://x"]}),
            "egress.api[1]: \"https://x\" is not a bare hostname",
        ),
        (
            "egress",
            json!({"extra": [7]}),
            "egress.extra[0]: 7 is not a bare hostname",
        ),
        ("session_resume", json!({}), resume),
        ("session_resume", json!({"dir": ""}), resume),
        ("session_resume", json!({"dir": "a/b"}), resume),
        (
            "loop_tools",
            json!("yes"),
            "\"loop_tools\" must be a boolean",
        ),
        ("skill_packs", json!(1), "\"skill_packs\" must be a boolean"),
        (
            "secrets",
            json!([{"hosts": ["other.example"]}]),
            "secrets host \"other.example\" is not in the egress declaration",
        ),
        (
            "secrets",
            json!([{"hosts": ["wild.example"]}]),
            "secrets host \"wild.example\" is not in the egress declaration",
        ),
    ];
    for (name, value, cause) in table {
        let text = with(name, value);
        assert_eq!(violation(&text).as_deref(), Some(cause), "{text}");
    }
    assert!(violation("{").is_some_and(|cause| cause.contains("EOF")));
}

#[test]
fn j_the_first_violation_wins() {
    let all = json!({
        "entry": [], "requires": 1, "egress": 1, "session_resume": 1, "loop_tools": 1,
    });
    let order = [
        ("id", json!("m"), "missing \"id\""),
        ("entry", json!(["x"]), "\"entry\" must"),
        (
            "requires",
            json!({"pins": 1, "binaries": 1}),
            "requires must",
        ),
        (
            "requires",
            json!({"binaries": 1, "fetched_by_runner": 1}),
            "requires.pins",
        ),
        (
            "requires",
            json!({"fetched_by_runner": 1}),
            "requires.binaries",
        ),
        ("requires", json!({}), "requires.fetched_by_runner"),
        ("egress", json!({}), "egress must"),
        ("session_resume", json!({"dir": "/x"}), "\"session_resume\""),
        ("loop_tools", json!(true), "\"loop_tools\""),
    ];
    let mut manifest = all;
    for (name, value, cause) in order {
        let found = violation(&manifest.to_string()).unwrap();
        assert!(found.starts_with(cause), "{found} instead of {cause}");
        manifest[name] = value;
    }
    assert_eq!(violation(&manifest.to_string()), None);
}

#[test]
fn j_hostnames_and_wildcards() {
    for host in ["a", "a.b", "*.a.b", "A-1.b", "x.y.z"] {
        assert!(is_hostname(host), "{host}");
    }
    let long = "a".repeat(64);
    for host in [
        "", "a..b", "-a.b", "a-.b", "a_b", "a.b/", "a:1", "*.*.a", "*", "a.*", &long,
    ] {
        assert!(!is_hostname(host), "{host}");
    }
}

#[test]
fn j_no_egress_loads_but_is_no_shipped_module() {
    let manifest: Value = serde_json::from_str(&with("egress", Value::Null)).unwrap();
    assert_eq!(loads(&manifest), Ok(()));
    let missing = violation(&manifest.to_string());
    assert_eq!(missing.as_deref(), Some("missing egress declaration"));
    // The same host twice is no fault.
    let twice = with(
        "egress",
        json!({"api": ["api.example.org", "api.example.org", "*.wild.example"]}),
    );
    assert_eq!(violation(&twice), None);
}

#[test]
fn j_a_bad_neighbour_does_not_hide_a_good_module() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("good", with("id", json!("g"))),
        ("bad", "{}".to_owned()),
        ("awful", "x".to_owned()),
    ] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("module.json"), text).unwrap();
    }
    fs::create_dir(folder.path().join("empty")).unwrap();
    let problems: Vec<String> = check(folder.path())
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("awful/module.json: "));
    assert!(problems[1].ends_with("bad/module.json: missing \"id\""));
    assert_eq!(check(&folder.path().join("good")), []);
}

#[test]
fn j_our_own_module_is_in_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("module");
    assert_eq!(check(&folder), []);
}
