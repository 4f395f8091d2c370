//! One rule: its predicates, which must all hold.
//!
//! Must stay true: a predicate that cannot be read is left out, and a rule without predicates is
//! dropped; so an unreadable `deny` may deny more and an unreadable `allow` is dropped whole.

use regress::Regex;
use serde_json::Value;

use super::{
    Decision, Ground, git, glob,
    words::Command,
    writes::{self, Written},
};
use crate::audit;

/// The longest regular expression, in characters.
const MAX_REGEX: usize = 500;

/// The reason of a rule that gives none.
const GENERIC_REASON: &str = "this command is covered by the policy";

/// A rule that can be applied.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) id: String,
    pub(super) decision: Decision,
    reason: Option<String>,
    command: Option<Vec<Regex>>,
    script: Option<Vec<Regex>>,
    touches: Option<Globs>,
    /// Whether what is thrown away with the machine counts too.
    writes_outside: Option<bool>,
    writes_git: bool,
}

#[derive(Debug)]
struct Globs {
    include: Vec<String>,
    exclude: Vec<String>,
}

/// What a rule saw when it matched.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The word that a glob matched, as typed.
    pub(super) word: Option<String>,
    written: Option<Written>,
}

/// Reads the rules of a layer. What is no rule is skipped.
pub(super) fn parse_all(rules: &[Value], layer: &str) -> Vec<Rule> {
    let numbered = rules.iter().enumerate();
    numbered
        .filter_map(|(index, rule)| parse(rule, index + 1, layer))
        .collect()
}

fn parse(rule: &Value, number: usize, layer: &str) -> Option<Rule> {
    let decision = match rule["decision"].as_str()?.to_ascii_lowercase().as_str() {
        "deny" => Decision::Deny,
        "ask" => Decision::Ask,
        "allow" => Decision::Allow,
        _ => return None,
    };
    let text = |name: &str| {
        let text = rule[name].as_str().unwrap_or_default().trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let id = text("id").unwrap_or_else(|| format!("rule-{number}"));
    let read = Rule {
        decision,
        reason: text("reason"),
        command: regexes(&rule["command"]),
        script: regexes(&rule["script"]),
        touches: globs(&rule["touches"]),
        writes_outside: match &rule["writes_outside"] {
            Value::Bool(true) => Some(false),
            Value::String(word) if word == "strict" => Some(true),
            _ => None,
        },
        writes_git: rule["writes_git"] == true,
        id,
    };
    let is_unreadable = [
        ("command", read.command.is_some()),
        ("script", read.script.is_some()),
        ("touches", read.touches.is_some()),
        ("writes_outside", read.writes_outside.is_some()),
        ("writes_git", read.writes_git),
    ]
    .into_iter()
    .any(|(name, is_read)| !is_read && !matches!(rule[name], Value::Null | Value::Bool(false)));
    if is_unreadable {
        let what = match decision {
            Decision::Allow => "the rule is dropped",
            _ => "it is left out",
        };
        audit::line(&format!(
            "exec policy: a predicate of rule={} layer={layer} cannot be used; {what}",
            read.id
        ));
        if decision == Decision::Allow {
            return None;
        }
    }
    read.has_predicate().then_some(read)
}

/// The expressions of a predicate that can be used: none at all if one of them cannot.
fn regexes(value: &Value) -> Option<Vec<Regex>> {
    let patterns: Vec<&Value> = match value {
        Value::Array(patterns) => patterns.iter().collect(),
        one => vec![one],
    };
    let regexes: Vec<Regex> = patterns
        .into_iter()
        .filter_map(|pattern| {
            let pattern = pattern.as_str().filter(|pattern| !pattern.is_empty())?;
            (pattern.chars().count() <= MAX_REGEX)
                .then(|| Regex::new(pattern).ok())
                .flatten()
        })
        .collect();
    (!regexes.is_empty()).then_some(regexes)
}

fn globs(value: &Value) -> Option<Globs> {
    let globs = value.as_array()?.iter().filter_map(Value::as_str);
    let globs = globs.map(str::trim).filter(|glob| !glob.is_empty());
    let (exclude, include): (Vec<&str>, Vec<&str>) = globs.partition(|glob| glob.starts_with('!'));
    let owned = |globs: Vec<&str>| {
        let plain = globs
            .into_iter()
            .map(|glob| glob.trim_start_matches('!').to_owned());
        plain.collect::<Vec<String>>()
    };
    (!include.is_empty()).then(|| Globs {
        include: owned(include),
        exclude: owned(exclude),
    })
}

impl Rule {
    fn has_predicate(&self) -> bool {
        self.command.is_some()
            || self.script.is_some()
            || self.touches.is_some()
            || self.writes_outside.is_some()
            || self.writes_git
    }

    /// What it saw, if all its predicates hold.
    pub(super) fn matches(&self, command: &Command, ground: &Ground, layer: &str) -> Option<Seen> {
        let mut seen = Seen::default();
        let is_found =
            |regexes: &[Regex], text: &str| regexes.iter().any(|regex| regex.find(text).is_some());
        if let Some(regexes) = &self.command
            && !is_found(regexes, &command.text)
        {
            return None;
        }
        if let Some(regexes) = &self.script {
            // The built-in rules trust a script that is as the repository has it.
            let is_exempt = |is_tracked: bool| layer == "default" && is_tracked;
            let mut scripts = command.scripts.iter();
            scripts
                .find(|script| !is_exempt(script.is_tracked) && is_found(regexes, &script.text))?;
        }
        if let Some(globs) = &self.touches {
            let mut tokens = command.tokens.iter();
            seen.word = Some(tokens.find(|token| globs.matches(token, ground))?.clone());
        }
        if let Some(is_strict) = self.writes_outside {
            let worst = writes::worst(command, ground)?;
            if worst == Written::VmLocal && !is_strict {
                return None;
            }
            seen.written = Some(worst);
        }
        if self.writes_git {
            let is_git = writes::worst(command, ground) == Some(Written::Git)
                || command.segments.iter().any(git::changes_repository);
            if !is_git {
                return None;
            }
        }
        Some(seen)
    }

    /// Why it matched, for a person.
    pub(super) fn reason(&self, seen: &Seen) -> String {
        match (&self.reason, seen.written) {
            (Some(reason), Some(written)) => format!("{reason} ({})", written.words()),
            (Some(reason), None) => reason.clone(),
            (None, Some(written)) => written.words().to_owned(),
            (None, None) => GENERIC_REASON.to_owned(),
        }
    }
}

impl Globs {
    fn matches(&self, token: &str, ground: &Ground) -> bool {
        let path = ground.expand(token);
        let is_any = |globs: &[String]| {
            globs
                .iter()
                .any(|glob| glob::is_in(&ground.expand(glob), &path))
        };
        is_any(&self.include) && !is_any(&self.exclude)
    }
}
