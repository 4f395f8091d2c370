//! A question for the user: a form, or a page to open.
//!
//! Must stay true: a client that shows forms but opens no pages is not sent a form instead of a
//! page. What belongs on a page may be a secret, which a form must not ask for.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/elicitation>

use std::sync::atomic::{AtomicU64, Ordering};

use tokio_util::sync::CancellationToken;

use super::{Client, ClientError};
use crate::acp;

/// The one field of the form.
const FIELD: &str = "answer";

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// For words, or for one of these options.
    Form {
        /// None for an answer in free words.
        options: Vec<String>,
    },
    /// For a page to be opened.
    Url(String),
}

/// What the user says.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Yes; to a form with this answer, to a page without one.
    Accepted(Option<String>),
    /// No.
    Declined,
    /// Nothing: the question was put away.
    Dismissed,
}

impl Client {
    /// Whether the client can ask that.
    #[must_use]
    pub fn can_ask(&self, question: &Question) -> bool {
        match question {
            Question::Form { .. } => self.shows_forms(),
            Question::Url(_) => self.opens_urls(),
        }
    }

    /// Asks, and waits for the answer or the stop.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn ask(
        &self,
        message: &str,
        question: &Question,
        stop: &CancellationToken,
    ) -> Result<Answer, ClientError> {
        let request = acp::CreateElicitationRequest::new(self.mode(question), message);
        let method = acp::CLIENT_METHOD_NAMES.elicitation_create;
        let answer: acp::CreateElicitationResponse = self.request(method, &request, stop).await?;
        meaning(answer.action, question)
    }

    fn mode(&self, question: &Question) -> acp::ElicitationMode {
        /// No two open questions of this process have the same.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let scope =
            acp::ElicitationSessionScope::new(self.session_id()).tool_call_id(self.call.clone());
        match question {
            Question::Form { options } => {
                let mut field = acp::StringPropertySchema::new();
                if !options.is_empty() {
                    field.enum_values = Some(options.clone());
                }
                let schema = acp::ElicitationSchema::new().property(FIELD, field, true);
                acp::ElicitationFormMode::new(scope, schema).into()
            }
            Question::Url(url) => {
                let number = NEXT.fetch_add(1, Ordering::Relaxed);
                let id = acp::ElicitationId::new(format!("page-{number}"));
                acp::ElicitationUrlMode::new(scope, id, url.as_str()).into()
            }
        }
    }
}

/// What came back. The client should have checked the form; it is checked again.
fn meaning(action: acp::ElicitationAction, question: &Question) -> Result<Answer, ClientError> {
    use acp::ElicitationAction::{Accept, Cancel, Decline};
    match (action, question) {
        (Decline, _) => Ok(Answer::Declined),
        (Cancel, _) => Ok(Answer::Dismissed),
        (Accept(_), Question::Url(_)) => Ok(Answer::Accepted(None)),
        (Accept(accepted), Question::Form { options }) => {
            let mut content = accepted.content.unwrap_or_default();
            match content.remove(FIELD) {
                Some(acp::ElicitationContentValue::String(answer))
                    if options.is_empty() || options.contains(&answer) =>
                {
                    Ok(Answer::Accepted(Some(answer)))
                }
                _ => Err(ClientError::Answer(
                    "the form came back without an answer that was offered".to_owned(),
                )),
            }
        }
        // An action of a later version, which must not count as a yes.
        _ => Ok(Answer::Dismissed),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers() {
        let form = |options: &[&str]| Question::Form {
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        };
        let page = Question::Url("https://example.com".into());
        let said = |text: &str| Some(Answer::Accepted(Some(text.to_owned())));
        let accept = |answer| json!({"action": "accept", "content": {"answer": answer}});
        for (question, answer, expected) in [
            (form(&[]), accept(json!("anything")), said("anything")),
            (form(&["red"]), accept(json!("red")), said("red")),
            (form(&["red"]), accept(json!("mauve")), None),
            (form(&[]), accept(json!(7)), None),
            (form(&[]), json!({"action": "accept"}), None),
            (
                form(&[]),
                json!({"action": "decline"}),
                Some(Answer::Declined),
            ),
            (
                form(&[]),
                json!({"action": "cancel"}),
                Some(Answer::Dismissed),
            ),
            (
                form(&[]),
                json!({"action": "_later"}),
                Some(Answer::Dismissed),
            ),
            (
                page.clone(),
                json!({"action": "accept"}),
                Some(Answer::Accepted(None)),
            ),
            (page, json!({"action": "cancel"}), Some(Answer::Dismissed)),
        ] {
            let shown = answer.to_string();
            let answer: acp::CreateElicitationResponse = serde_json::from_value(answer).unwrap();
            assert_eq!(meaning(answer.action, &question).ok(), expected, "{shown}");
        }
    }
}
