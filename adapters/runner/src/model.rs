//! Which model the agent uses, and how it is told to use another.
//!
//! ACP has had two ways: a `models` member with `session/set_model` in earlier drafts, which agents
//! still speak, and a session option of the category `model` in v1. The runner shows the host no
//! difference.
//!
//! Must stay true: a model is announced once; the same one again is no change.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-config-options>

use serde_json::{Value, json};

use crate::event::Event;

/// How the agent lets its model be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Selection {
    /// Not at all.
    #[default]
    None,
    /// By `session/set_model`.
    Method,
    /// By the session option with this id.
    Option(String),
}

/// The model of the session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Model {
    /// How it can be chosen.
    pub selection: Selection,
    current: Option<String>,
}

impl Model {
    /// Reads the result of `session/new`, `session/load` or `session/resume`.
    pub fn of_session(result: &Value) -> (Self, Option<Event>) {
        let mut model = Self::default();
        let mut changed = None;
        if let Some(models) = result.get("models").filter(|models| models.is_object()) {
            model.selection = Selection::Method;
            changed = models["currentModelId"]
                .as_str()
                .and_then(|id| model.use_now(id));
        } else if let Some((id, value)) = option(&result["configOptions"]) {
            model.selection = Selection::Option(id);
            changed = value.and_then(|value| model.use_now(&value));
        }
        (model, changed)
    }

    /// Takes a list of session options, which the agent tells when one changed.
    pub fn options_changed(&mut self, options: &Value) -> Option<Event> {
        let (id, value) = option(options)?;
        if self.selection != Selection::Method {
            self.selection = Selection::Option(id);
        }
        self.use_now(&value?)
    }

    /// The agent took a model. Its answer may tell under which name.
    pub fn chosen(&mut self, model: &str, answer: &Value) -> Option<Event> {
        let told = option(&answer["configOptions"]).and_then(|(_, value)| value);
        self.use_now(told.as_deref().unwrap_or(model))
    }

    /// Remembers the model, and says so if it is another one.
    pub fn use_now(&mut self, model: &str) -> Option<Event> {
        if self.current.as_deref() == Some(model) {
            return None;
        }
        let previous = self.current.replace(model.to_owned());
        Some(Event::ModelChanged {
            model: model.to_owned(),
            previous,
        })
    }

    /// The request that asks for a model: its method and params. Nothing if there is no way to ask.
    pub fn request(&self, session: &str, model: &str) -> Option<(&'static str, Value)> {
        match &self.selection {
            Selection::None => None,
            Selection::Method => Some((
                "session/set_model",
                json!({"sessionId": session, "modelId": model}),
            )),
            Selection::Option(id) => Some((
                "session/set_config_option",
                json!({"sessionId": session, "configId": id, "value": model}),
            )),
        }
    }
}

/// The option of the category `model`: its id, and its value if it has one.
fn option(options: &Value) -> Option<(String, Option<String>)> {
    let option = options
        .as_array()?
        .iter()
        .find(|option| option["category"] == "model" && option["type"] == "select")?;
    let value = option["currentValue"].as_str().map(str::to_owned);
    Some((option["id"].as_str()?.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_is_preferred_to_the_option() {
        let option =
            json!([{"id": "m", "category": "model", "type": "select", "currentValue": "b"}]);
        let table = [
            (json!({}), Selection::None, None),
            (json!({"models": null}), Selection::None, None),
            (
                json!({"models": {"currentModelId": "a"}}),
                Selection::Method,
                Some("a"),
            ),
            (
                json!({"configOptions": option}),
                Selection::Option("m".into()),
                Some("b"),
            ),
            (
                json!({"models": {"currentModelId": "a"}, "configOptions": option}),
                Selection::Method,
                Some("a"),
            ),
        ];
        for (result, selection, current) in table {
            let (model, changed) = Model::of_session(&result);
            assert_eq!(model.selection, selection, "{result}");
            assert_eq!(model.current.as_deref(), current, "{result}");
            assert_eq!(changed.is_some(), current.is_some());
        }
    }

    #[test]
    fn a_model_has_the_name_that_the_agent_answers() {
        let options =
            json!([{"id": "m", "category": "model", "type": "select", "currentValue": "opus-4"}]);
        let mut model = Model::default();
        let changed = |model: &str, previous: Option<&str>| {
            Some(Event::ModelChanged {
                model: model.to_owned(),
                previous: previous.map(str::to_owned),
            })
        };
        let answer = json!({"configOptions": options});
        assert_eq!(model.chosen("opus", &answer), changed("opus-4", None));
        assert_eq!(model.chosen("b", &json!({})), changed("b", Some("opus-4")));
        assert_eq!(model.chosen("b", &Value::Null), None);
    }

    #[test]
    fn the_same_model_again_is_no_change() {
        let mut model = Model::default();
        assert!(model.use_now("a").is_some());
        assert!(model.use_now("a").is_none());
        let change = model.use_now("b").unwrap();
        assert_eq!(
            change,
            Event::ModelChanged {
                model: "b".into(),
                previous: Some("a".into())
            }
        );
    }
}
