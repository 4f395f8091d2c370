//! From what is written to what can be followed.
//!
//! Everything that can be wrong with a scenario is found here, at the start: patterns, names, sizes.
//! The place of a fault is that of the value, or of the step where the value has none of its own.

use std::collections::HashSet;

use regex::{Regex, RegexBuilder};
use serde_saphyr::{Location, Spanned};

use super::{
    error::Fault,
    file, known, limits,
    rule::{Arguments, Ask, Call, Entry, Rule, Said, Step},
    short::Short,
    template::Template,
};
use crate::{commands, conversation::Stop};

/// Checks all rules of a file.
pub(super) fn rules(file: file::File) -> Result<Vec<Rule>, Fault> {
    if file.rules.len() > limits::RULES {
        let first = file.rules.get(limits::RULES).map(|rule| place(&rule.when));
        let message = format!("there are more than {} rules", limits::RULES);
        return Err(Fault::new(first.unwrap_or(Location::UNKNOWN), message));
    }
    if file.rules.is_empty() {
        return Err(Fault::new(Location::UNKNOWN, "there is no rule in `rules`"));
    }
    file.rules.into_iter().map(rule).collect()
}

fn rule(written: file::Rule) -> Result<Rule, Fault> {
    let at = place(&written.when);
    let pattern = pattern(&written.when.value).map_err(|message| Fault::new(at, message))?;
    let mut check = Check {
        at,
        names: names_of(&pattern),
        steps: 0,
        questions: 0,
        chunks: 0,
    };
    let steps = check.steps(written.r#do.value, 0)?;
    if steps.is_empty() {
        return Err(Fault::new(at, "there is no step in `do`"));
    }
    let line = at.line();
    Ok(Rule {
        pattern,
        line,
        steps,
    })
}

fn pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text)
        .size_limit(limits::PATTERN_BYTES)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern repeats too much".to_owned(),
            // The crate shows the pattern and a mark below it; its last line says what is wrong.
            error => {
                let text = error.to_string();
                let why = text.lines().last().unwrap_or_default();
                format!(
                    "the pattern is wrong: {}",
                    why.trim_start_matches("error: ")
                )
            }
        })
}

/// What texts of the rule may name from the beginning.
fn names_of(pattern: &Regex) -> HashSet<String> {
    let numbered = (0..pattern.captures_len()).map(|number| number.to_string());
    let named = pattern.capture_names().flatten().map(str::to_owned);
    let always = known::ALWAYS.map(str::to_owned);
    numbered.chain(named).chain(always).collect()
}

/// The checking of one rule: what may be named by now, and how much there is of everything.
struct Check {
    /// The step that is being checked.
    at: Location,
    names: HashSet<String>,
    steps: usize,
    questions: usize,
    chunks: u64,
}

impl Check {
    fn steps(&mut self, steps: Vec<Spanned<file::Step>>, depth: usize) -> Result<Vec<Step>, Fault> {
        if depth > limits::DEPTH {
            return self.wrong(format!("`otherwise` stands in itself {depth} times"));
        }
        let step = |step: Spanned<file::Step>| {
            self.at = place(&step);
            self.steps += 1;
            if self.steps > limits::STEPS {
                return self.wrong(format!("the rule has more than {} steps", limits::STEPS));
            }
            self.step(step.value, depth)
        };
        steps.into_iter().map(step).collect()
    }

    fn step(&mut self, step: file::Step, depth: usize) -> Result<Step, Fault> {
        Ok(match step {
            file::Step::Say(said) => Step::Say(self.said(said)?),
            file::Step::Think(said) => Step::Think(self.said(said)?),
            file::Step::Stream(chunks) => Step::Stream(self.chunks(chunks)?),
            file::Step::Plan(entries) => Step::Plan(self.entries(entries)?),
            file::Step::Call(call) => Step::Calls(vec![self.call(call, depth)?]),
            file::Step::Calls(calls) => Step::Calls(self.calls(calls, depth)?),
            file::Step::Ask(ask) => Step::Ask(self.ask(ask, depth)?),
            file::Step::Image(image) => self.image(&image)?,
            file::Step::Resource(resource) => Step::Resource {
                uri: self.text(&resource.uri)?,
                text: self.text(&resource.text)?,
            },
            file::Step::Link(link) => Step::Link {
                name: self.text(&link.name)?,
                uri: self.text(&link.uri)?,
            },
            file::Step::Usage(Short(usage)) => Step::Usage {
                used: usage.used,
                size: usage.size,
            },
            file::Step::Wait(text) => self.wait(&text)?,
            file::Step::Hang => Step::Wait(limits::FOR_EVER),
            file::Step::Fail(why) => Step::Fail(self.text(&why)?),
            file::Step::Stop(stop) => Step::Stop(match stop {
                file::Stop::EndTurn => Stop::EndTurn,
                file::Stop::MaxTokens => Stop::MaxTokens,
                file::Stop::Refusal => Stop::Refusal,
            }),
            file::Step::Crash => Step::Crash,
        })
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault::new(self.at, message))
    }

    /// The place of a value, or that of its step.
    fn place<T>(&self, value: &Spanned<T>) -> Location {
        match place(value) {
            Location::UNKNOWN => self.at,
            at => at,
        }
    }

    fn text(&self, text: &file::Text) -> Result<Template, Fault> {
        self.template(&text.value, self.place(text))
    }

    /// A text whose names are all known here.
    fn template(&self, text: &str, at: Location) -> Result<Template, Fault> {
        let template = Template::new(text).map_err(|message| Fault::new(at, message))?;
        let unknown = template
            .names()
            .find(|name| !self.names.contains(&name.name));
        if let Some(unknown) = unknown {
            let mut known: Vec<_> = self.names.iter().map(String::as_str).collect();
            known.sort_unstable();
            let message = format!(
                "nothing is called `{}` here; the names are {}",
                unknown.name,
                known.join(", ")
            );
            return Err(Fault::new(at, message));
        }
        Ok(template)
    }

    fn said(&self, said: file::Said) -> Result<Said, Fault> {
        Ok(match said {
            file::Said::Whole(text) => Said::Whole(self.text(&text)?),
            file::Said::Pieces(pieces) => {
                let pieces = pieces.iter().map(|piece| self.text(piece));
                Said::Pieces(pieces.collect::<Result<_, _>>()?)
            }
        })
    }

    fn chunks(&mut self, chunks: u64) -> Result<u64, Fault> {
        self.chunks = self.chunks.saturating_add(chunks);
        if self.chunks > limits::CHUNKS {
            let most = limits::CHUNKS;
            return self.wrong(format!("a rule streams at most {most} chunks"));
        }
        Ok(chunks)
    }

    fn entries(&self, entries: Vec<Short<file::Entry>>) -> Result<Vec<Entry>, Fault> {
        let entry = |Short(entry): Short<file::Entry>| {
            Ok(Entry {
                content: self.text(&entry.content)?,
                priority: entry.priority,
                status: entry.status,
            })
        };
        entries.into_iter().map(entry).collect()
    }

    fn calls(&mut self, calls: Vec<file::Call>, depth: usize) -> Result<Vec<Call>, Fault> {
        if !(1..=limits::CALLS).contains(&calls.len()) {
            return self.wrong(format!("`calls` holds 1 to {} calls", limits::CALLS));
        }
        // Their names are known behind all of them only: they run side by side.
        let before = self.names.clone();
        let mut checked = Vec::with_capacity(calls.len());
        for call in calls {
            let after = std::mem::replace(&mut self.names, before.clone());
            checked.push(self.call(call, depth)?);
            self.names.extend(after);
        }
        Ok(checked)
    }

    fn call(&mut self, call: file::Call, depth: usize) -> Result<Call, Fault> {
        let tool = self.text(&call.tool)?;
        let arguments = match call.arguments {
            None => Arguments::none(),
            Some(arguments) if arguments.value.is_object() => {
                let at = self.place(&arguments);
                self.arguments(arguments.value, at)?
            }
            Some(arguments) => {
                let message = "`arguments` are members and their values, `name: value`";
                return Err(Fault::new(self.place(&arguments), message));
            }
        };
        let name = self.name(call.r#as)?;
        Ok(Call {
            tool,
            arguments,
            name,
            otherwise: self.otherwise(call.otherwise, depth)?,
        })
    }

    fn ask(&mut self, ask: file::Ask, depth: usize) -> Result<Ask, Fault> {
        self.questions += 1;
        if self.questions > limits::QUESTIONS {
            return self.wrong(format!("a rule asks at most {} times", limits::QUESTIONS));
        }
        let question = self.text(&ask.question)?;
        let options = ask.options.iter().map(|option| self.text(option));
        let options = options.collect::<Result<_, _>>()?;
        let url = ask.url.map(|url| self.text(&url)).transpose()?;
        let name = self.name(ask.r#as)?;
        Ok(Ask {
            question,
            options,
            url,
            name,
            otherwise: self.otherwise(ask.otherwise, depth)?,
        })
    }

    /// The steps for a call that is not completed; they know its result.
    fn otherwise(
        &mut self,
        steps: Option<Vec<Spanned<file::Step>>>,
        depth: usize,
    ) -> Result<Option<Vec<Step>>, Fault> {
        let Some(steps) = steps else { return Ok(None) };
        let (at, names) = (self.at, self.names.clone());
        let steps = self.steps(steps, depth + 1)?;
        (self.at, self.names) = (at, names);
        Ok(Some(steps))
    }

    /// The name that a result is given, which is known from here on.
    fn name(&mut self, name: Option<file::Text>) -> Result<Option<String>, Fault> {
        self.names.insert(known::RESULT.to_owned());
        let Some(name) = name else { return Ok(None) };
        let at = self.place(&name);
        let name = name.value;
        let sound = name.starts_with(|c: char| c.is_alphabetic())
            && name
                .chars()
                .all(|c| c.is_alphanumeric() || "_-".contains(c));
        if !sound {
            let message = "a name begins with a letter and holds letters, digits, `_` and `-`";
            return Err(Fault::new(at, message));
        }
        if known::ALWAYS.contains(&name.as_str()) || name == known::RESULT {
            return Err(Fault::new(
                at,
                format!("`{name}` means something else already"),
            ));
        }
        self.names.insert(name.clone());
        Ok(Some(name))
    }

    fn arguments(&self, value: serde_json::Value, at: Location) -> Result<Arguments, Fault> {
        use serde_json::Value;
        Ok(match value {
            Value::String(text) => Arguments::Text(self.template(&text, at)?),
            Value::Array(items) => {
                let items = items.into_iter().map(|item| self.arguments(item, at));
                Arguments::List(items.collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let member = |(name, value)| Ok((name, self.arguments(value, at)?));
                let members = members.into_iter().map(member);
                Arguments::Members(members.collect::<Result<_, Fault>>()?)
            }
            other => Arguments::Other(other),
        })
    }

    fn image(&self, image: &file::Image) -> Result<Step, Fault> {
        let colour = &image.colour;
        let Some(rgb) = rgb(&colour.value) else {
            let message = "a colour is `#rrggbb`, such as `#dc1414` for red";
            return Err(Fault::new(self.place(colour), message));
        };
        let side = image.side.as_ref();
        if let Some(wrong) = side.filter(|side| !(1..=limits::SIDE).contains(&side.value)) {
            let message = format!("the side of an image is 1 to {} pixels", limits::SIDE);
            return Err(Fault::new(self.place(wrong), message));
        }
        let side = side.map_or(64, |side| side.value);
        Ok(Step::Image { colour: rgb, side })
    }

    fn wait(&self, text: &file::Text) -> Result<Step, Fault> {
        match commands::duration(&text.value) {
            Some(wait) if wait <= limits::WAIT => Ok(Step::Wait(wait)),
            _ => {
                let message = "a wait is a time such as `500ms`, `2s` or `1m`, at most `10m`";
                Err(Fault::new(self.place(text), message))
            }
        }
    }
}

/// `#rrggbb`.
fn rgb(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

fn place<T>(value: &Spanned<T>) -> Location {
    value.referenced
}
