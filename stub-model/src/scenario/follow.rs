//! Following a rule: from its steps and what the conversation holds to the next reply.
//!
//! A model is asked anew behind each tool result. So a rule is followed from its first step each time:
//! what was said before a call whose result is there was said already, and is passed over. Nothing has
//! to be remembered, and a session that was loaded goes on where it was.
//!
//! A question that the client cannot show is asked in words, and the next prompt is the answer: then
//! the rule goes on in another turn than the one it began in.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{
    known::{Known, RESULT},
    limits,
    rule::{Arguments, Ask, Call, Rule, Said, Step},
    turn::{self, ASK, Turn},
};
use crate::{
    commands::{ANSWERED, square},
    conversation::{Conversation, Event, Outcome, Part, PlanEntry, Stop, ToolCall, ToolResult},
    speak,
};

/// The reply of a rule, in the last of these turns.
pub(super) fn follow<'a>(
    rule: &'a Rule,
    conversation: &Conversation<'a>,
    turns: &'a [Turn<'a>],
) -> Option<Vec<Event>> {
    let first = turns.first()?;
    let prompt = first.text();
    let mut follower = Follower {
        known: Known::new(conversation, Cow::Borrowed(prompt)),
        turns,
        calls: 0,
        room: limits::REPLY_BYTES,
        events: Vec::new(),
    };
    let captures = rule.pattern.captures(turn::searched(prompt))?;
    let names = rule.pattern.capture_names().enumerate();
    for (number, name) in names {
        let text = captures.get(number).map_or("", |group| group.as_str());
        follower.known.learn(&number.to_string(), text);
        if let Some(name) = name {
            follower.known.learn(name, text);
        }
    }
    let stop = match follower.steps(&rule.steps) {
        Ok(Flow::On) => Stop::EndTurn,
        Ok(Flow::Stopped(stop)) => stop,
        // The calls, or the crash, are the last that is heard.
        Ok(Flow::Open) => return Some(follower.events),
        Err(why) => Stop::Failed(format!("the rule in line {}: {why}", rule.line)),
    };
    follower.events.push(Event::Stop(stop));
    Some(follower.events)
}

/// How it goes on behind a step.
enum Flow {
    /// With the next step.
    On,
    /// Not at all: results have to come first.
    Open,
    /// Not at all: the turn is over.
    Stopped(Stop),
}

struct Follower<'a> {
    known: Known<'a>,
    /// This turn, and those behind it, in which questions were answered.
    turns: &'a [Turn<'a>],
    /// How many calls came before.
    calls: usize,
    /// How many bytes of text the reply may still hold.
    room: usize,
    /// What is said behind the last result.
    events: Vec<Event>,
}

impl<'a> Follower<'a> {
    fn steps(&mut self, steps: &'a [Step]) -> Result<Flow, String> {
        for step in steps {
            match self.step(step)? {
                Flow::On => {}
                flow => return Ok(flow),
            }
        }
        Ok(Flow::On)
    }

    fn step(&mut self, step: &'a Step) -> Result<Flow, String> {
        match step {
            Step::Say(said) => self.said(said, |event| event)?,
            Step::Think(said) => self.said(said, thought)?,
            Step::Stream(chunks) => {
                let chunks = (1..=*chunks).map(|number| Event::Text(format!("{number}\n")));
                self.events.extend(chunks);
            }
            Step::Plan(entries) => {
                let entries = entries.iter().map(|entry| {
                    Ok(PlanEntry {
                        content: entry.content.fill(&self.known, &mut self.room)?,
                        priority: entry.priority,
                        status: entry.status,
                    })
                });
                let entries = entries.collect::<Result<_, String>>()?;
                self.events.push(Event::Plan(entries));
            }
            Step::Calls(calls) => return self.calls(calls),
            Step::Ask(ask) => return self.ask(ask),
            Step::Image { colour, side } => {
                let data = square(*colour, *side).ok_or("the image could not be drawn")?;
                let mime_type = "image/png".to_owned();
                self.events
                    .push(Event::Show(Part::Image { mime_type, data }));
            }
            Step::Resource { uri, text } => {
                let uri = uri.fill(&self.known, &mut self.room)?;
                let text = text.fill(&self.known, &mut self.room)?;
                self.events.push(Event::Show(Part::Resource { uri, text }));
            }
            Step::Link { name, uri } => {
                let name = name.fill(&self.known, &mut self.room)?;
                let uri = uri.fill(&self.known, &mut self.room)?;
                let path = None;
                self.events
                    .push(Event::Show(Part::ResourceLink { name, uri, path }));
            }
            Step::Usage { used, size } => self.events.push(Event::Usage {
                used: *used,
                size: *size,
            }),
            Step::Wait(duration) => self.events.push(Event::Wait(*duration)),
            Step::Fail(why) => {
                let why = why.fill(&self.known, &mut self.room)?;
                return Ok(Flow::Stopped(Stop::Failed(why)));
            }
            Step::Stop(stop) => return Ok(Flow::Stopped(stop.clone())),
            Step::Crash => {
                self.events.push(Event::Crash);
                return Ok(Flow::Open);
            }
        }
        Ok(Flow::On)
    }

    fn said(&mut self, said: &Said, kind: fn(Event) -> Event) -> Result<(), String> {
        match said {
            Said::Whole(text) => {
                let text = text.fill(&self.known, &mut self.room)?;
                self.events.extend(speak::pieces(text).map(kind));
            }
            Said::Pieces(pieces) => {
                for piece in pieces {
                    let piece = piece.fill(&self.known, &mut self.room)?;
                    self.events.push(kind(Event::Text(piece)));
                }
            }
        }
        Ok(())
    }

    fn calls(&mut self, calls: &'a [Call]) -> Result<Flow, String> {
        let first = self.calls;
        self.calls += calls.len();
        let results: Vec<_> = (first..self.calls)
            .map(|number| self.result(number))
            .collect();
        if results.iter().any(Option::is_none) {
            for (number, call) in (first..).zip(calls) {
                let tool = call.tool.fill(&self.known, &mut self.room)?;
                let arguments = self.arguments(&call.arguments)?;
                self.events.push(tool_call(number, tool, arguments));
            }
            return Ok(Flow::Open);
        }
        self.events.clear();
        let mut instead = None;
        for (call, result) in calls.iter().zip(results.into_iter().flatten()) {
            self.known.learn_result(call.name.as_deref(), result);
            if result.outcome != Outcome::Completed && instead.is_none() {
                instead = call.otherwise.as_ref();
            }
        }
        self.instead(instead)
    }

    fn ask(&mut self, ask: &'a Ask) -> Result<Flow, String> {
        let number = self.calls;
        self.calls += 1;
        let question = ask.question.fill(&self.known, &mut self.room)?;
        let options = ask.options.iter();
        let options = options.map(|option| option.fill(&self.known, &mut self.room));
        let options = options.collect::<Result<Vec<_>, _>>()?;
        let Some(result) = self.result(number) else {
            let mut arguments = json!({ "question": question });
            if let Some(url) = &ask.url {
                arguments["url"] = url.fill(&self.known, &mut self.room)?.into();
            } else if !options.is_empty() {
                arguments["options"] = options.into();
            }
            self.events
                .push(tool_call(number, ASK.to_owned(), arguments));
            return Ok(Flow::Open);
        };
        self.events.clear();
        self.known.learn_result(ask.name.as_deref(), result);
        if !turn::asks_in_words(result) {
            if let Some(answer) = result.text.strip_prefix(ANSWERED) {
                self.answered(ask, answer.trim());
            }
            let declined = result.outcome != Outcome::Completed;
            return self.instead(ask.otherwise.as_ref().filter(|_| declined));
        }
        match self.turns.split_first() {
            Some((_, rest)) if !rest.is_empty() => {
                self.turns = rest;
                self.answered(ask, rest.first().map_or("", Turn::text));
                Ok(Flow::On)
            }
            _ => {
                let question = match options.as_slice() {
                    [] => question,
                    options => format!("{question} ({})", options.join(", ")),
                };
                self.events.extend(speak::pieces(question));
                Ok(Flow::Stopped(Stop::EndTurn))
            }
        }
    }

    /// The answer alone, whichever way it came.
    fn answered(&mut self, ask: &Ask, answer: &'a str) {
        for name in ask.name.as_deref().into_iter().chain([RESULT]) {
            self.known.learn(name, answer);
        }
    }

    /// Other steps and then the end of the turn, where there are any.
    fn instead(&mut self, steps: Option<&'a Vec<Step>>) -> Result<Flow, String> {
        match steps {
            None => Ok(Flow::On),
            Some(steps) => Ok(match self.steps(steps)? {
                Flow::On => Flow::Stopped(Stop::EndTurn),
                flow => flow,
            }),
        }
    }

    fn result(&self, number: usize) -> Option<&'a ToolResult> {
        self.turns.first()?.result(&id(number))
    }

    fn arguments(&mut self, arguments: &Arguments) -> Result<Value, String> {
        Ok(match arguments {
            // A value that stands alone stays what it is: a number, a list.
            Arguments::Text(text) => match text.alone() {
                Some(name) if !name.path.is_empty() => self.known.value(name)?.into_owned(),
                _ => Value::String(text.fill(&self.known, &mut self.room)?),
            },
            Arguments::List(items) => {
                let items = items.iter().map(|item| self.arguments(item));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Arguments::Members(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), self.arguments(value)?)));
                Value::Object(members.collect::<Result<Map<_, _>, String>>()?)
            }
            Arguments::Other(value) => value.clone(),
        })
    }
}

fn thought(event: Event) -> Event {
    match event {
        Event::Text(text) => Event::Thought(text),
        other => other,
    }
}

fn tool_call(number: usize, name: String, arguments: Value) -> Event {
    Event::ToolCall(ToolCall {
        id: id(number),
        name,
        arguments,
    })
}

/// The id of a call, by its place in the rule.
fn id(number: usize) -> String {
    format!("{}{number}", turn::CALL)
}
