//! `ask_user`: a question for the user in the middle of a turn.
//!
//! It asks nobody for permission, because it is itself a question. Where the client cannot show
//! it, the model is told to ask in its reply and to end the turn: the next prompt is the answer.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/elicitation>

use futures::FutureExt;
use serde_json::{Value, json};
use stub_model::ToolSpec;

use super::{
    Effect, Prepared, RunContext, Scope, Tool, ToolError, ToolOutcome,
    arguments::{Arguments, argument},
    headline,
};
use crate::{
    acp,
    client::{Answer, ClientError, Question},
};

const NAME: &str = "ask_user";

/// The most answers to choose from; more is no question but a list.
const MAX_OPTIONS: usize = 20;

/// What the model is told where the question cannot be shown.
const IN_WORDS: &str = "this client cannot show the question: put it into your reply and end the \
     turn; what the user writes next is the answer";

/// The tool.
pub struct AskUser {
    spec: ToolSpec,
}

impl AskUser {
    /// The tool.
    #[must_use]
    pub fn new() -> Self {
        let spec = super::spec(
            NAME,
            "Asks the user something that only the user can decide, and waits for the answer. Not \
             for secrets such as passwords.",
            json!({
                "question": {
                    "type": "string",
                    "description": "What to ask"
                },
                "options": {
                    "type": "array",
                    "items": {"type": "string"},
                    "maxItems": MAX_OPTIONS,
                    "description": "The answers to choose from; without them, the answer is free"
                },
                "url": {
                    "type": "string",
                    "description": "A page to open instead of an answer to give"
                },
            }),
            &["question"],
        );
        Self { spec }
    }
}

impl Default for AskUser {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn prepare(&self, arguments: &Value, _: &Scope) -> Result<Prepared, ToolError> {
        let mut arguments = Arguments::new(NAME, arguments)?;
        let message = arguments.text("question")?.trim().to_owned();
        let options = options(arguments.optional_value("options"))?;
        let url = arguments.optional_text("url")?.map(str::to_owned);
        arguments.finish()?;
        if message.is_empty() {
            return Err(argument(NAME, "question", "must not be empty"));
        }
        let question = match url {
            Some(url) => Question::Url(url),
            None => Question::Form { options },
        };
        Ok(Prepared {
            title: headline(&message, 200),
            kind: acp::ToolKind::Other,
            effect: Effect::Read,
            locations: Vec::new(),
            content: Vec::new(),
            grant: NAME.to_owned(),
            session: None,
            job: Box::new(move |context| ask(message, question, context).boxed()),
        })
    }
}

/// Different texts; the same one twice would be no choice.
fn options(value: Option<&Value>) -> Result<Vec<String>, ToolError> {
    let wrong = |problem: &str| argument(NAME, "options", problem);
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let items = value.as_array().ok_or_else(|| wrong("must be an array"))?;
    if items.len() > MAX_OPTIONS {
        return Err(wrong("has too many entries; 20 are the most"));
    }
    let mut options = Vec::with_capacity(items.len());
    for item in items {
        match item.as_str() {
            Some(option) if !options.iter().any(|known| known == option) => {
                options.push(option.to_owned());
            }
            Some(_) => return Err(wrong("holds the same answer twice")),
            None => return Err(wrong("must hold strings")),
        }
    }
    Ok(options)
}

async fn ask(message: String, question: Question, context: RunContext) -> ToolOutcome {
    let Some(client) = context.client.filter(|client| client.can_ask(&question)) else {
        return ToolOutcome::completed(IN_WORDS);
    };
    match client.ask(&message, &question, &context.cancel).await {
        Ok(Answer::Accepted(Some(answer))) => {
            ToolOutcome::completed(format!("The user answered: {answer}"))
        }
        // That the page was opened is all that is known.
        Ok(Answer::Accepted(None)) => ToolOutcome::completed("The user agreed to open the page."),
        Ok(Answer::Declined) => ToolOutcome::refused("the user declined to answer"),
        Ok(Answer::Dismissed) => ToolOutcome::refused("the user put the question away"),
        Err(ClientError::Cancelled | ClientError::Gone) => ToolOutcome::cancelled("cancelled"),
        Err(error @ ClientError::Answer(_)) => ToolOutcome::failed(error.to_string()),
    }
}
