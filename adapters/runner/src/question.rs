//! From a permission request to a card for a person, and from the answer to an outcome.
//!
//! Pure. A host shows two to four options with unique labels; an agent may offer any number with
//! any names. What is bridged here is exactly that, and nothing is ever chosen for the person.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use serde_json::{Map, Value, json};

use crate::{
    event::{Card, CardOption, Risk},
    fit::{cut_units, one_line},
};

/// The most options on a card, and the fewest.
const MOST: usize = 4;
const FEWEST: usize = 2;

/// The most characters of what is asked, of the rule behind it, and of a label. They are cut here and
/// not where all events are, because the host answers in these very words.
const MAX_TEXT: usize = 20_000;
/// See [`MAX_TEXT`].
const MAX_NOTE: usize = 4_000;
/// See [`MAX_TEXT`].
const MAX_LABEL: usize = 200;

/// An option of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// How it is chosen.
    pub option_id: String,
    /// `allow_once` and so on.
    pub kind: String,
    name: String,
}

/// The options that the agent offers, without those that cannot be chosen.
pub fn choices(request: &Value) -> Vec<Choice> {
    let options = request["options"].as_array().into_iter().flatten();
    options
        .filter_map(|option| {
            let option_id = option["optionId"].as_str()?.to_owned();
            let text = |name: &str, other: &str| option[name].as_str().unwrap_or(other).to_owned();
            Some(Choice {
                kind: text("kind", "other"),
                name: text("name", &option_id),
                option_id,
            })
        })
        .collect()
}

/// The id of the option that a rule chooses: of exactly this kind, else of this family.
pub fn by_kind<'a>(choices: &'a [Choice], kind: &str, family: &str) -> Option<&'a str> {
    let exact = choices.iter().find(|choice| choice.kind == kind);
    exact
        .or_else(|| {
            choices
                .iter()
                .find(|choice| choice.kind.starts_with(family))
        })
        .map(|choice| choice.option_id.as_str())
}

/// A card, and what each of its options stands for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// For the host.
    pub card: Card,
    /// How far it reaches.
    pub risk: Risk,
    /// In the order of the card; a made-up `Cancel` stands for no option.
    choices: Vec<Option<Choice>>,
}

/// Makes the card for a request. `note` is put behind its text.
pub fn ask(request: &Value, note: Option<&str>) -> Asked {
    let call = &request["toolCall"];
    let kind = call["kind"].as_str();
    let title = call["title"].as_str().unwrap_or_default().trim();
    let mut text = match (title, kind) {
        ("", Some(kind)) => format!("Allow {}?", one_line(kind, MAX_LABEL)),
        ("", None) => "Allow this tool call?".to_owned(),
        (title, _) => cut_units(title.to_owned(), MAX_TEXT),
    };
    if let Some(note) = note {
        text.push_str(" — ");
        text.push_str(&cut_units(note.to_owned(), MAX_NOTE));
    }
    let mut shown: Vec<Option<Choice>> =
        shortlist(choices(request)).into_iter().map(Some).collect();
    while shown.len() < FEWEST {
        shown.push(None);
    }
    let mut options: Vec<CardOption> = Vec::new();
    for choice in shown.iter().flatten() {
        options.push(CardOption {
            label: unique(&choice.name, &choice.kind, &options),
            description: one_line(&choice.kind, MAX_LABEL),
        });
    }
    // Made-up ones may be alike, because they mean the same, but never like an option of the agent.
    let cancel = CardOption {
        label: unique("Cancel", "reject_once", &options),
        description: "reject_once".to_owned(),
    };
    options.resize(shown.len(), cancel);
    let risk = match kind {
        Some("read" | "search" | "fetch" | "think") => Risk::ReadOnly,
        _ => Risk::WorkspaceWrite,
    };
    Asked {
        card: Card {
            question: text,
            header: "Permission",
            multi_select: false,
            options,
        },
        risk,
        choices: shown,
    }
}

/// The first options, but with a way to allow and a way to reject if the agent offers them.
fn shortlist(mut choices: Vec<Choice>) -> Vec<Choice> {
    let mut rest = choices.split_off(choices.len().min(MOST));
    // Of two missing families the second must not push the first out again.
    let mut place = MOST;
    for family in ["allow", "reject"] {
        let is_family = |choice: &Choice| choice.kind.starts_with(family);
        if choices.iter().any(is_family) {
            continue;
        }
        if let Some(found) = rest.iter().position(is_family) {
            place -= 1;
            choices[place] = rest.remove(found);
        }
    }
    choices
}

/// A label that no option before has: with the kind behind it, else with a number too.
fn unique(name: &str, kind: &str, before: &[CardOption]) -> String {
    let is_free = |label: &str| before.iter().all(|option| option.label != label);
    let name = cut_units(name.to_owned(), MAX_LABEL);
    if is_free(&name) {
        return name;
    }
    let named = format!("{name} ({})", one_line(kind, MAX_LABEL));
    if is_free(&named) {
        return named;
    }
    (2..)
        .map(|number| format!("{named} {number}"))
        .find(|label| is_free(label))
        .unwrap_or(named)
}

impl Asked {
    /// The agent's option that an answer chooses. Nothing for the made-up option, for free words,
    /// and for an answer that names no option.
    pub fn chosen(&self, answers: &Map<String, Value>) -> Option<&Choice> {
        let label = match answers.get(&self.card.question)? {
            Value::String(label) => label,
            Value::Array(labels) => match labels.as_slice() {
                [Value::String(label)] => label,
                _ => return None,
            },
            _ => return None,
        };
        let options = self.card.options.iter().zip(&self.choices);
        options
            .filter(|(option, _)| option.label == *label)
            .find_map(|(_, choice)| choice.as_ref())
    }
}

/// The answer that selects an option.
pub fn selected(option_id: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option_id}})
}

/// The answer that selects none.
pub fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(options: &[(&str, &str, &str)]) -> Value {
        let options: Vec<Value> = options
            .iter()
            .map(|(id, name, kind)| json!({"optionId": id, "name": name, "kind": kind}))
            .collect();
        json!({"toolCall": {"title": "t", "kind": "execute"}, "options": options})
    }

    fn labels(asked: &Asked) -> Vec<&str> {
        asked
            .card
            .options
            .iter()
            .map(|option| option.label.as_str())
            .collect()
    }

    #[test]
    fn of_many_options_a_way_to_allow_and_one_to_reject_stay() {
        let allow = |id| (id, id, "allow_once");
        let table = [
            (
                vec![
                    allow("a"),
                    allow("b"),
                    allow("c"),
                    allow("d"),
                    ("r", "r", "reject_once"),
                ],
                ["a", "b", "c", "r"],
            ),
            (
                vec![
                    allow("a"),
                    ("b", "b", "reject_once"),
                    allow("c"),
                    allow("d"),
                    allow("e"),
                ],
                ["a", "b", "c", "d"],
            ),
            (
                vec![
                    ("1", "1", "x"),
                    ("2", "2", "x"),
                    ("3", "3", "x"),
                    ("4", "4", "x"),
                    allow("a"),
                    ("r", "r", "reject_always"),
                ],
                ["1", "2", "r", "a"],
            ),
        ];
        for (options, expected) in table {
            assert_eq!(labels(&ask(&request(&options), None)), expected);
        }
    }

    #[test]
    fn labels_that_repeat_can_each_be_chosen() {
        let options = [
            ("1", "Yes", "allow_once"),
            ("2", "Yes", "allow_always"),
            ("3", "Yes", "allow_always"),
        ];
        let asked = ask(&request(&options), None);
        assert_eq!(
            labels(&asked),
            ["Yes", "Yes (allow_always)", "Yes (allow_always) 2"]
        );
        for (label, id) in labels(&asked).into_iter().zip(["1", "2", "3"]) {
            let answers = Map::from_iter([("t".to_owned(), label.into())]);
            assert_eq!(asked.chosen(&answers).unwrap().option_id, id);
        }
    }

    #[test]
    fn however_long_the_words_are_the_answer_finds_them() {
        let long = "\u{1}".repeat(1 << 20);
        let choices = [
            ("a", long.as_str(), long.as_str()),
            ("b", long.as_str(), "allow_once"),
            ("c", long.as_str(), "reject_once"),
            ("d", "Yes", "reject_once"),
        ];
        let mut request = request(&choices);
        request["toolCall"]["title"] = long.as_str().into();
        let asked = ask(&request, Some(&long));
        let event = crate::event::Event::Question(crate::event::Question {
            question_id: "q".to_owned(),
            message_id: None,
            risk: asked.risk,
            kind: None,
            blocking: true,
            questions: vec![asked.card.clone()],
        });
        let line: Value = serde_json::from_str(&crate::fit::line(&event).unwrap()).unwrap();
        let card = &line["questions"][0];
        for (place, id) in ["a", "b", "c", "d"].into_iter().enumerate() {
            let text = card["question"].as_str().unwrap().to_owned();
            let answers = Map::from_iter([(text, card["options"][place]["label"].clone())]);
            assert_eq!(asked.chosen(&answers).unwrap().option_id, id);
        }
    }

    #[test]
    fn without_options_two_ways_to_cancel_are_shown() {
        let asked = ask(&request(&[]), None);
        assert_eq!(labels(&asked), ["Cancel", "Cancel"]);
        let answers = Map::from_iter([("t".to_owned(), "Cancel".into())]);
        assert!(asked.chosen(&answers).is_none());
    }

    #[test]
    fn a_made_up_cancel_never_stands_for_an_option_of_that_name() {
        let asked = ask(&request(&[("c", "Cancel", "allow_once")]), None);
        assert_eq!(labels(&asked), ["Cancel", "Cancel (reject_once)"]);
        let answers = Map::from_iter([("t".to_owned(), "Cancel (reject_once)".into())]);
        assert!(asked.chosen(&answers).is_none());
    }

    #[test]
    fn looking_is_read_only_and_everything_else_may_write() {
        for kind in ["read", "search", "fetch", "think"] {
            assert_eq!(
                ask(&json!({"toolCall": {"kind": kind}}), None).risk,
                Risk::ReadOnly
            );
        }
        for kind in [json!("edit"), json!("new"), Value::Null] {
            let asked = ask(&json!({"toolCall": {"kind": kind}}), None);
            assert_eq!(asked.risk, Risk::WorkspaceWrite);
        }
    }
}
