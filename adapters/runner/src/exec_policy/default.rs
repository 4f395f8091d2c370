//! The built-in layer.

use serde_json::json;

use super::rule::{Rule, parse_all};

/// The built-in rules, in their order.
pub(super) fn rules() -> Vec<Rule> {
    let rules = json!([
        {
            "id": "secret-paths",
            "decision": "deny",
            "reason": "it reaches for files that hold credentials",
            "touches": [
                "~/.ssh", ".env", ".env.*", ".envrc", ".npmrc", ".netrc", ".git-credentials",
                ".pypirc", "!*.example", "!*.sample", "!*.template", "!*.dist",
            ],
        },
        {
            "id": "script-egress",
            "decision": "deny",
            "reason": "it runs a script that calls out to the network",
            "script": [
                r"\b(?:curl|wget|nc|ncat|socat|ssh|scp|sftp)\s",
                r"\brequests\.(?:get|post|put|patch|delete|head|options|request)\s*\(",
                r"\burllib\.request\b|\burlopen\s*\(|\bhttp\.client\b|\bsocket\.socket\b",
                r"\bfetch\s*\(|\baxios\s*[.(]|\bhttps?\.(?:get|post|request)\s*\(|\bXMLHttpRequest\b",
            ],
        },
        {
            "id": "git-read-only",
            "decision": "deny",
            "reason": "the colony's .git is read-only; commits are made by the host",
            "writes_git": true,
        },
        {
            "id": "writes-outside-repo",
            "decision": "ask",
            "writes_outside": true,
        },
    ]);
    parse_all(rules.as_array().map_or(&[], Vec::as_slice), "default")
}
