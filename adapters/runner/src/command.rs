//! What the host tells the runner: one JSON object a line on standard input.
//!
//! Pure: a line goes in, a command or the reason to ignore the line comes out. Unknown types and
//! unknown members are ignored, so that an older runner serves a newer host.

use serde_json::{Map, Value};

/// A command of the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// A message for the agent. The id may be missing.
    UserMessage {
        /// Opaque; the echo carries it.
        id: Option<String>,
        /// Never blank.
        text: String,
    },
    /// The answer to a question.
    Answer {
        /// Which one.
        question_id: String,
        /// The text of each question, and what was chosen for it.
        answers: Map<String, Value>,
        /// A reply in free words that closes the card. Never blank.
        response: Option<String>,
    },
    /// Stop the turn that runs.
    Interrupt,
    /// Use another model.
    SetModel {
        /// Its id; may be blank, which is an error that the runner reports.
        model: String,
    },
    /// End gracefully.
    Shutdown,
}

/// What a line holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A command.
    Command(Command),
    /// Nothing to do and nothing to say: a blank line, or a command of a newer host.
    Nothing,
    /// Not a command; the text is the warning.
    Faulty(&'static str),
}

/// The warning for a line that is no JSON object.
const NOT_JSON: &str = "ignored a command line that is not valid JSON";
/// The warning for a message that says nothing.
const NO_TEXT: &str = "ignored a user_message without text";

/// Reads one line.
pub fn parse(line: &str) -> Line {
    if line.trim().is_empty() {
        return Line::Nothing;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(line) else {
        return Line::Faulty(NOT_JSON);
    };
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    Line::Command(match text("type") {
        Some("user_message") => match text("text") {
            Some(message) if !message.trim().is_empty() => Command::UserMessage {
                id: text("id").map(str::to_owned),
                text: message.to_owned(),
            },
            _ => return Line::Faulty(NO_TEXT),
        },
        Some("answer") => Command::Answer {
            question_id: text("question_id").unwrap_or_default().to_owned(),
            answers: match members.get("answers") {
                Some(Value::Object(answers)) => answers.clone(),
                _ => Map::new(),
            },
            response: text("response")
                .filter(|response| !response.trim().is_empty())
                .map(str::to_owned),
        },
        Some("interrupt") => Command::Interrupt,
        Some("set_model") => Command::SetModel {
            model: text("model").unwrap_or_default().trim().to_owned(),
        },
        Some("shutdown") => Command::Shutdown,
        _ => return Line::Nothing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_command_is_told_from_what_is_unknown() {
        let table = [
            ("", Line::Nothing),
            (" \r", Line::Nothing),
            ("not json", Line::Faulty(NOT_JSON)),
            ("[1]", Line::Faulty(NOT_JSON)),
            ("null", Line::Faulty(NOT_JSON)),
            (r#"{"type":"brand_new"}"#, Line::Nothing),
            (r#"{"type":7}"#, Line::Nothing),
            (r#"{"type":"user_message","id":"a"}"#, Line::Faulty(NO_TEXT)),
            (
                r#"{"type":"user_message","text":" "}"#,
                Line::Faulty(NO_TEXT),
            ),
            (r#"{"type":"user_message","text":7}"#, Line::Faulty(NO_TEXT)),
        ];
        for (line, expected) in table {
            assert_eq!(parse(line), expected, "{line}");
        }
    }

    #[test]
    fn answers_that_are_no_object_and_blank_responses_are_nothing() {
        let line = r#"{"response":" ","extra":1,"answers":[],"question_id":"q","type":"answer"}"#;
        let expected = Command::Answer {
            question_id: "q".to_owned(),
            answers: Map::new(),
            response: None,
        };
        assert_eq!(parse(line), Line::Command(expected));
    }
}
