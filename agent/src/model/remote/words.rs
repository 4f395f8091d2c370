//! What a model server says about an error, made fit to be shown.
//!
//! Both wires put it into `error`: with a `message`, and with a `type` or `code` for programs.
//!
//! Must stay true: what is passed on is short and holds no control characters; the key is taken out
//! by the caller, who has it.

use serde_json::Value;

use super::{failure::Failure, limits::MAX_WORDS};

/// Kinds of errors that pass, by the `type` or `code` that they have.
const PASSING: [&str; 6] = [
    "overloaded_error",
    "rate_limit_error",
    "rate_limit_exceeded",
    "api_error",
    "server_error",
    "timeout_error",
];

/// Kinds of errors that do not pass, though their status is one of a limit of the rate.
const LASTING: [&str; 3] = [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
];

/// Kinds of errors that are a refusal, with a status as if the request were wrong.
const REFUSING: [&str; 3] = ["content_filter", "content_policy_violation", "moderation"];

/// What an error says about itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// For people.
    pub(super) text: String,
    /// Whether it calls itself one that will not pass.
    pub(super) lasting: bool,
    /// Whether it calls itself one that will pass.
    pub(super) passing: bool,
    /// Whether the prompt was refused.
    pub(super) refusing: bool,
}

/// Reads the body of an error's answer, which may be no JSON.
pub(super) fn of_body(body: &[u8]) -> Words {
    match serde_json::from_slice::<Value>(body) {
        Ok(mut value) if !value["error"].is_null() => of_error(&value["error"].take()),
        Ok(value) if value.is_object() => of_error(&value),
        _ => {
            let text = String::from_utf8_lossy(body);
            // A page for people says nothing here.
            let text = if text.trim_start().starts_with('<') {
                String::new()
            } else {
                shorten(&text)
            };
            Words {
                text,
                lasting: false,
                passing: false,
                refusing: false,
            }
        }
    }
}

/// Reads the `error` itself: an object on both wires, a string with some servers.
fn of_error(error: &Value) -> Words {
    let member = |name: &str| error[name].as_str().unwrap_or_default();
    let is = |kinds: &[&str]| {
        let mut names = ["type", "code"].into_iter().map(member);
        names.any(|name| kinds.contains(&name))
    };
    let text = [
        error.as_str().unwrap_or_default(),
        member("message"),
        member("type"),
    ];
    let text = text.into_iter().find(|text| !text.trim().is_empty());
    Words {
        text: shorten(text.unwrap_or_default()),
        lasting: is(&LASTING),
        passing: is(&PASSING),
        refusing: is(&REFUSING),
    }
}

/// An error that came in the middle of a reply.
pub(super) fn reported(error: &Value) -> Failure {
    let words = of_error(error);
    Failure::Reported {
        words: words.text,
        passing: words.passing && !words.lasting,
    }
}

/// An event that is no JSON, or has another shape. Its content is not repeated.
pub(super) fn unreadable(error: serde_json::Error) -> Failure {
    let what = if error.is_data() {
        "an event has another shape than this API's"
    } else {
        "an event is no JSON"
    };
    Failure::Garbage(what.to_owned())
}

/// One line, not too long.
fn shorten(text: &str) -> String {
    let line = |c: char| if c.is_control() { ' ' } else { c };
    let mut short: String = text.trim().chars().map(line).take(MAX_WORDS).collect();
    if text.trim().chars().nth(MAX_WORDS).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_errors_say() {
        for (body, text, lasting, passing, refusing) in [
            (
                r#"{"error":{"message":"No\nsuch model","type":"invalid_request_error"}}"#,
                "No such model",
                false,
                false,
                false,
            ),
            (
                r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#,
                "pay",
                true,
                false,
                false,
            ),
            (
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
                "Overloaded",
                false,
                true,
                false,
            ),
            (
                r#"{"error":{"code":"content_filter","message":"no"}}"#,
                "no",
                false,
                false,
                true,
            ),
            (r#"{"error":"flat"}"#, "flat", false, false, false),
            (r#"{"message":"bare"}"#, "bare", false, false, false),
            (
                r#"{"error":{"type":"x_error"}}"#,
                "x_error",
                false,
                false,
                false,
            ),
            ("plain words", "plain words", false, false, false),
            ("<html>a page</html>", "", false, false, false),
            ("", "", false, false, false),
        ] {
            let expected = Words {
                text: text.into(),
                lasting,
                passing,
                refusing,
            };
            assert_eq!(of_body(body.as_bytes()), expected, "{body}");
        }
    }

    #[test]
    fn long_words_are_cut() {
        let words = of_body("é".repeat(10_000).as_bytes());
        assert_eq!(words.text.chars().count(), MAX_WORDS + 1);
    }
}
