//! From the command line and the environment to a model.
//!
//! Must stay true: what is wrong is found before the agent speaks, and no error repeats a key.

use std::{path::PathBuf, sync::Arc};

use reqwest::Url;
use thiserror::Error;

use super::{
    Model, Name, ScenarioError, Stub, StubScenario,
    remote::{Key, Patience, Remote, Settings, Wire},
};

/// What was said about the model, flags and environment apart from its name.
#[derive(Debug, Default)]
pub struct Flags {
    /// The base URL of its server.
    pub url: Option<String>,
    /// The size of its context, in tokens.
    pub context: Option<u64>,
    /// The most tokens of one reply.
    pub max_tokens: Option<u32>,
}

/// A model that can be opened.
#[derive(Debug, Clone)]
pub enum Source {
    /// The deterministic one, with a scenario file or without.
    Stub(Option<PathBuf>),
    /// One of a server.
    Remote(Box<Settings>),
}

/// Why a model cannot be used.
#[derive(Debug, Error)]
pub enum SourceError {
    /// A URL is none, or not for HTTP.
    #[error("{variable} is no http or https URL")]
    Url {
        /// The flag or variable.
        variable: &'static str,
    },
    /// The maker's own server wants a key, and there is none.
    #[error("there is no key: set {variable}, or give --model-url for a server that wants none")]
    NoKey {
        /// The variable.
        variable: &'static str,
    },
    /// A key cannot be sent.
    #[error("{variable} is no key: a key has no blanks and no special characters")]
    Key {
        /// The variable.
        variable: &'static str,
    },
    /// A flag that the model has no use for.
    #[error("the stub has no use for {flag}: it is for openai:NAME and anthropic:NAME")]
    Flag {
        /// The flag.
        flag: &'static str,
    },
    /// The scenario file cannot be followed.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The HTTP client cannot be made.
    #[error("no connection to a model server can be made: {0}")]
    Client(String),
}

/// What is known of a maker of models.
struct Maker {
    wire: Wire,
    url_variable: &'static str,
    key_variable: &'static str,
    url: &'static str,
    /// The size of a context, where all of its models have at least that.
    context: Option<u64>,
}

const OPENAI: Maker = Maker {
    wire: Wire::OpenAi,
    url_variable: "OPENAI_BASE_URL",
    key_variable: "OPENAI_API_KEY",
    url: "https://api.openai.com/v1",
    context: None,
};

const ANTHROPIC: Maker = Maker {
    wire: Wire::Anthropic,
    url_variable: "ANTHROPIC_BASE_URL",
    key_variable: "ANTHROPIC_API_KEY",
    url: "https://api.anthropic.com",
    context: Some(200_000),
};

impl Source {
    /// Resolves a name. A flag wins over the environment.
    ///
    /// # Errors
    /// What was said does not fit together, or the environment is wrong.
    pub fn resolve(
        name: Name,
        flags: Flags,
        env: impl Fn(&str) -> Option<PathBuf>,
    ) -> Result<Self, SourceError> {
        match name {
            Name::Stub => stub(None, &flags),
            Name::Scenario(file) => stub(Some(file), &flags),
            Name::OpenAi(name) => remote(&OPENAI, name, flags, env),
            Name::Anthropic(name) => remote(&ANTHROPIC, name, flags, env),
        }
    }

    /// Opens it. Nothing is sent anywhere.
    ///
    /// # Errors
    /// The scenario file cannot be followed, or the certificates of the system cannot be read.
    pub fn open(self) -> Result<Arc<dyn Model>, SourceError> {
        match self {
            Self::Stub(None) => Ok(Arc::new(Stub)),
            Self::Stub(Some(file)) => Ok(Arc::new(StubScenario::load(&file)?)),
            Self::Remote(settings) => Remote::new(*settings)
                .map(|model| Arc::new(model) as Arc<dyn Model>)
                .map_err(SourceError::Client),
        }
    }
}

fn stub(scenario: Option<PathBuf>, flags: &Flags) -> Result<Source, SourceError> {
    let said = [
        (flags.url.is_some(), "--model-url"),
        (flags.context.is_some(), "--model-context"),
        (flags.max_tokens.is_some(), "--max-tokens"),
    ];
    match said.into_iter().find(|(said, _)| *said) {
        Some((_, flag)) => Err(SourceError::Flag { flag }),
        None => Ok(Source::Stub(scenario)),
    }
}

fn remote(
    maker: &Maker,
    name: String,
    flags: Flags,
    env: impl Fn(&str) -> Option<PathBuf>,
) -> Result<Source, SourceError> {
    let text = |name: &str| {
        let value = env(name)?.into_os_string().to_string_lossy().into_owned();
        (!value.trim().is_empty()).then_some(value)
    };
    let (variable, url) = match flags.url {
        Some(url) => ("--model-url", Some(url)),
        None => (maker.url_variable, text(maker.url_variable)),
    };
    let given = url.is_some();
    let url = Url::parse(url.as_deref().unwrap_or(maker.url).trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or(SourceError::Url { variable })?;
    let variable = maker.key_variable;
    let key = match text(variable) {
        Some(key) => Some(Key::new(&key).ok_or(SourceError::Key { variable })?),
        None if given => None,
        None => return Err(SourceError::NoKey { variable }),
    };
    Ok(Source::Remote(Box::new(Settings {
        wire: maker.wire,
        name,
        url,
        key,
        context: flags.context.or(maker.context),
        max_tokens: flags.max_tokens,
        patience: Patience::default(),
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Env<'a> = &'a [(&'a str, &'a str)];

    fn resolve(name: &str, url: Option<&str>, env: Env<'_>) -> Result<Source, SourceError> {
        let flags = Flags {
            url: url.map(str::to_owned),
            ..Flags::default()
        };
        let find = |name: &str| {
            let found = env.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        Source::resolve(name.parse().unwrap(), flags, find)
    }

    #[test]
    fn where_a_model_is() {
        let key = ("OPENAI_API_KEY", "sk-1");
        let base = ("OPENAI_BASE_URL", "http://h:1/v1");
        for (name, url, env, expected) in [
            ("openai:m", None, &[key][..], "https://api.openai.com/v1"),
            ("openai:m", None, &[base], "http://h:1/v1"),
            ("openai:m", Some("http://f/"), &[base], "http://f/"),
            (
                "anthropic:m",
                None,
                &[("ANTHROPIC_API_KEY", " sk-2\n")],
                "https://api.anthropic.com/",
            ),
        ] {
            let Ok(Source::Remote(settings)) = resolve(name, url, env) else {
                panic!("{name} {url:?}")
            };
            assert_eq!(settings.url.as_str(), expected);
            assert_eq!(settings.name, "m");
        }
    }

    #[test]
    fn what_does_not_fit() {
        for (name, url, env, words) in [
            ("openai:m", None, &[][..], "OPENAI_API_KEY"),
            ("anthropic:m", None, &[], "ANTHROPIC_API_KEY"),
            ("openai:m", None, &[("OPENAI_API_KEY", " ")], "no key"),
            ("openai:m", Some("ftp://h"), &[], "--model-url"),
            ("openai:m", Some("h:80"), &[], "--model-url"),
            (
                "openai:m",
                None,
                &[("OPENAI_BASE_URL", "x")],
                "OPENAI_BASE_URL",
            ),
            ("stub", Some("http://h"), &[], "--model-url"),
        ] {
            let error = resolve(name, url, env).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let secret = [("OPENAI_API_KEY", "two words")];
        let error = resolve("openai:m", None, &secret).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("two"));
    }
}
