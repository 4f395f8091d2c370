//! Every refusal of a request for a session, with its words.

use std::path::Path;

use super::checked;
use crate::{api::CreateSession, config::Config, store::NewSession};

const CONFIG: &str = r#"
[profiles.off]
command = ["x"]
enabled = false

[targets.box]
kind = "container"
image = "i"

[bundles.product]
repositories = [{ id = "app", source = "/src" }]
"#;

fn ask(members: &str) -> Result<NewSession, String> {
    let config = Config::parse(Path::new("config.toml"), CONFIG).unwrap();
    let asked: CreateSession = serde_json::from_str(members).map_err(|error| error.to_string())?;
    checked(&config, asked, "w".to_owned()).map_err(|refusal| {
        let text = format!("{refusal:?}");
        let (_, text) = text.split_once("error: \"").unwrap();
        text.split_once("\", code").unwrap().0.replace("\\\"", "\"")
    })
}

#[test]
fn defaults_are_filled_in_independently() {
    let asked = ask(r#"{"project_directory": "/p"}"#).unwrap();
    assert_eq!(
        (asked.profile_id.as_str(), asked.target_id.as_str()),
        ("reference", "local")
    );
    let asked = ask(r#"{"bundle_id": "product", "target_id": "box"}"#).unwrap();
    assert_eq!(
        (asked.profile_id.as_str(), asked.target_id.as_str()),
        ("reference", "box")
    );
}

#[test]
fn a_commit_is_kept_in_lower_case_and_base_as_it_was_asked_for() {
    let at = "0123456789ABCDEF0123456789ABCDEF01234567";
    let asked = ask(&format!(
        r#"{{"bundle_id": "product", "at": "{at}", "branch": " b "}}"#
    ))
    .unwrap();
    assert_eq!(asked.at, Some(at.to_lowercase()));
    assert_eq!((asked.branch.as_deref(), asked.base), (Some("b"), None));
}

#[test]
fn every_refusal_names_the_member() {
    let zero = "0".repeat(40);
    let at = |at: &str| format!(r#"{{"bundle_id": "product", "at": "{at}"}}"#);
    //  request                                                    words of the refusal
    let table = [
        (r#"{"x": 1}"#.to_owned(), "unknown field `x`"),
        (
            r#"{"profile_id": "none"}"#.to_owned(),
            "unknown profile_id \"none\"; there are: off, reference",
        ),
        (
            r#"{"profile_id": "off"}"#.to_owned(),
            "profile_id \"off\" is disabled",
        ),
        (
            r#"{"target_id": "none"}"#.to_owned(),
            "unknown target_id \"none\"; there are: box, local",
        ),
        (
            r#"{"bundle_id": "none"}"#.to_owned(),
            "unknown bundle_id \"none\"; there are: product",
        ),
        (
            r#"{"target_id": "box", "project_directory": "/p"}"#.to_owned(),
            "needs a bundle_id",
        ),
        (
            r#"{}"#.to_owned(),
            "needs a project_directory or a bundle_id",
        ),
        (
            r#"{"project_directory": "p"}"#.to_owned(),
            "not an absolute path",
        ),
        (
            r#"{"project_directory": "/p", "bundle_id": "product"}"#.to_owned(),
            "exclude each other",
        ),
        (
            r#"{"project_directory": "/p", "at": "x"}"#.to_owned(),
            "at, branch and base need a bundle_id",
        ),
        (at("abc"), "at"),
        (at(&zero), "at"),
        (
            r#"{"bundle_id": "product", "branch": " "}"#.to_owned(),
            "branch",
        ),
        (
            r#"{"bundle_id": "product", "base": " "}"#.to_owned(),
            "base",
        ),
        (
            r#"{"project_directory": "/p", "expected_runtime_identity": "a b"}"#.to_owned(),
            "expected_runtime_identity must be 1 to 256 printable ASCII",
        ),
        (
            r#"{"project_directory": "/p", "request_id": ""}"#.to_owned(),
            "request_id must be 1 to 128",
        ),
    ];
    for (request, words) in table {
        let refused = ask(&request).unwrap_err();
        assert!(refused.contains(words), "{request}: {refused}");
    }
}
