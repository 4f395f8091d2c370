//! Telling a refusal of the colony from an ordinary failure of a tool.
//!
//! Advice, not a control: an agent that knows that the *network* refused does not try the same host
//! five times more. What is found here is told twice: to the host, on the `tool_result`, and to the
//! agent, in front of its next prompt, once for each class.
//!
//! Pure. Must stay true: nothing here changes an output, a status, or the number of events, and an
//! ordinary failure never matches; so the signatures are few and literal.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use crate::event::{BoundaryKind, Denial};

/// A class of refusals.
struct Class {
    denial: Denial,
    signature: Regex,
    boundary: Option<(BoundaryKind, &'static str)>,
}

/// What the hint says of a refused connection.
const EGRESS: &str = "The colony's network rules refused this host, or have no route to it. Do not \
    retry it; go on without it, or say which host is needed and why.";
const READ_ONLY: &str = "This path is on a read-only mount of the colony. Do not retry; write \
    inside the workspace instead. What is under .git is changed by the host, not by you.";
const TOOL_DISABLED: &str = "This tool is switched off in this colony. Do not retry it; use \
    another way, or say what you need it for.";
const POLICY: &str = "The exec policy of this colony refused the command. Do not rephrase it; use \
    another way, or say what you need it for.";

/// In the order in which they are tried; the first that matches counts.
static CLASSES: LazyLock<Vec<Class>> = LazyLock::new(|| {
    let table = [
        (
            "egress",
            EGRESS,
            r"\bECONNREFUSED\b|connection refused|\bENOTFOUND\b|could not resolve host|\bEAI_AGAIN\b|\bgetaddrinfo\b|\bENETUNREACH\b|network is unreachable|CONNECT tunnel failed|from proxy after CONNECT",
            Some((BoundaryKind::EgressDenied, "egress")),
        ),
        (
            "read_only",
            READ_ONLY,
            r"\bEROFS\b|read-only file system|unable to create '[^'\n]*\.git/[^'\n]*\.lock'|insufficient permission for adding an object",
            Some((BoundaryKind::SandboxDenied, "read_only_mount")),
        ),
        (
            "tool_disabled",
            TOOL_DISABLED,
            r"permission to use [^\n]{1,200} has been denied|permission for this action has been denied|\btool [^\n]{1,200} is not allowed|delegation is (?:disabled|not allowed)",
            None,
        ),
        (
            "policy",
            POLICY,
            r"\bexec policy rule\b|\bexec policy: deny\b",
            None,
        ),
    ];
    table
        .into_iter()
        .filter_map(|(class, hint, signature, boundary)| {
            let signature = RegexBuilder::new(signature).case_insensitive(true).build();
            Some(Class {
                denial: Denial { class, hint },
                // The patterns are constants, and a test compiles each.
                signature: signature.ok()?,
                boundary,
            })
        })
        .collect()
});

/// What a failed tool call says about the colony.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// For the `tool_result`.
    pub denial: Denial,
    /// For the record of boundaries: which, and what guards it.
    pub boundary: Option<(BoundaryKind, &'static str)>,
}

/// Classifies the output of a failed tool call.
pub fn classify(output: &str) -> Option<Refusal> {
    let class = CLASSES
        .iter()
        .find(|class| class.signature.is_match(output))?;
    Some(Refusal {
        denial: class.denial.clone(),
        boundary: class.boundary,
    })
}

/// A host named in a text.
static HOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:https?://|could not resolve host:?\s+|getaddrinfo\s+\w+\s+|connect to\s+)([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)",
    )
    .ok()
});

/// An absolute or relative path in quotes, or one before `: read-only`.
static PATH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"(?i)['"‘]([^'"’\n]*/[^'"’\n]*)['"’]|(\S*/\S*?):\s*read-only"#).ok()
});

/// What was reached for: a host, or a path, that the output or the arguments name.
pub fn target(kind: BoundaryKind, output: &str, input: &str) -> Option<String> {
    let pattern = match kind {
        BoundaryKind::EgressDenied => HOST.as_ref()?,
        _ => PATH.as_ref()?,
    };
    [output, input].into_iter().find_map(|text| {
        let found = pattern.captures(text)?;
        let group = found.iter().skip(1).flatten().next()?;
        Some(group.as_str().to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn k_each_signature_is_found_and_ordinary_failures_are_not() {
        assert_eq!(CLASSES.len(), 4);
        let table = [
            ("connect ECONNREFUSED 10.0.0.1:443", Some("egress")),
            ("curl: (7) Connection refused", Some("egress")),
            ("Error: getaddrinfo ENOTFOUND x.example", Some("egress")),
            (
                "curl: (6) Could not resolve host: x.example",
                Some("egress"),
            ),
            ("EAI_AGAIN registry", Some("egress")),
            ("ENETUNREACH", Some("egress")),
            ("Network is unreachable", Some("egress")),
            ("CONNECT tunnel failed, response 403", Some("egress")),
            (
                "Received HTTP code 403 from proxy after CONNECT",
                Some("egress"),
            ),
            ("EROFS: open", Some("read_only")),
            (
                "touch: cannot touch '/opt/x': Read-only file system",
                Some("read_only"),
            ),
            (
                "fatal: Unable to create '/w/.git/index.lock': File exists.",
                Some("read_only"),
            ),
            (
                "error: insufficient permission for adding an object to repository",
                Some("read_only"),
            ),
            (
                "Permission to use Bash has been denied.",
                Some("tool_disabled"),
            ),
            (
                "Permission for this action has been denied",
                Some("tool_disabled"),
            ),
            ("The tool WebSearch is not allowed", Some("tool_disabled")),
            ("exec policy rule `x` (install): no", Some("policy")),
            // The first class wins.
            ("ECONNREFUSED on a read-only file system", Some("egress")),
            ("exit code 1", None),
            ("cat: x: No such file or directory", None),
            ("bash: ./x: Permission denied", None),
            ("connection was not refused by you", None),
            ("", None),
        ];
        for (output, class) in table {
            let found = classify(output).map(|refusal| refusal.denial.class);
            assert_eq!(found, class, "{output}");
        }
    }

    #[test]
    fn k_the_target_is_what_the_output_names_else_the_input() {
        let egress = BoundaryKind::EgressDenied;
        let table = [
            (
                egress,
                "Could not resolve host: x.example",
                "",
                Some("x.example"),
            ),
            (egress, "getaddrinfo ENOTFOUND a.b", "", Some("a.b")),
            (
                egress,
                "network is unreachable",
                "curl https://y.example/p",
                Some("y.example"),
            ),
            (egress, "network is unreachable", "", None),
            (
                BoundaryKind::SandboxDenied,
                "touch: cannot touch '/opt/x': Read-only file system",
                "",
                Some("/opt/x"),
            ),
            (
                BoundaryKind::SandboxDenied,
                "sh: /opt/y: Read-only file system",
                "",
                Some("/opt/y"),
            ),
        ];
        for (kind, output, input, target_named) in table {
            assert_eq!(
                target(kind, output, input).as_deref(),
                target_named,
                "{output}"
            );
        }
    }
}
