//! What `--model` says: which model, and at which kind of server.
//!
//! Apart from what it resolves to, because a name is only read here: nothing is opened.

use std::{path::PathBuf, str::FromStr};

/// A model, as it is written on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// `stub`: the deterministic model, in the same process.
    Stub,
    /// `stub:FILE`: the same, following a scenario file first.
    Scenario(PathBuf),
    /// `openai:NAME`: a model of any server that speaks OpenAI's chat completions.
    OpenAi(String),
    /// `anthropic:NAME`: a model of a server that speaks Anthropic's messages.
    Anthropic(String),
}

/// What may stand there, for the error of a wrong one.
const FORMS: &str =
    "the models are stub, stub:FILE.yaml, openai:NAME and anthropic:NAME, with no part empty";

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = match text.split_once(':') {
            None => (text, None),
            Some((kind, rest)) => (kind, Some(rest.trim()).filter(|rest| !rest.is_empty())),
        };
        match (kind, rest) {
            ("stub", None) if !text.contains(':') => Ok(Self::Stub),
            ("stub", Some(file)) => Ok(Self::Scenario(file.into())),
            ("openai", Some(name)) => Ok(Self::OpenAi(name.to_owned())),
            ("anthropic", Some(name)) => Ok(Self::Anthropic(name.to_owned())),
            _ => Err(FORMS.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let openai = |name: &str| Some(Name::OpenAi(name.to_owned()));
        for (text, name) in [
            ("stub", Some(Name::Stub)),
            ("stub:a/b.yaml", Some(Name::Scenario("a/b.yaml".into()))),
            ("openai:gpt-x", openai("gpt-x")),
            // Local servers put a tag behind another colon.
            ("openai:llama3:8b", openai("llama3:8b")),
            ("anthropic:c", Some(Name::Anthropic("c".to_owned()))),
            ("stub:", None),
            ("openai", None),
            ("openai: ", None),
            ("anthropic:", None),
            ("gpt-x", None),
            ("Stub", None),
            ("", None),
        ] {
            assert_eq!(text.parse::<Name>().ok(), name, "{text:?}");
        }
    }
}
