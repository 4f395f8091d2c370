//! Composes the answer at the end of a turn.
//!
//! Apart from progress, because it speaks: of what was asked for, of what a tool said, and of what
//! did not work.
//!
//! Must stay true: nothing is claimed that no result bears out. A demanded answer is withheld when
//! a step that it stands for did not work.

use std::cell::OnceCell;

use crate::calls::{Known, offered};
use crate::conversation::{Conversation, Message, Part};
use crate::image;
use crate::instruction::{Action, Request, Want};
use crate::memory;
use crate::progress::{Step, current_turn};
use crate::prompt::{Prompt, user_messages};
use crate::reader::MAX_NUMBERS;
use crate::report::{MAX_QUOTE, clipped, failure, shortened, success, word_in};
use crate::result;
use crate::telling::Fact;
use crate::text::Words;

const ABILITIES: &str = "I can reply with the words you give me, remember what you tell me, run shell commands, read, write, edit, list and search files, tell the colour of a PNG image, call the tools I am offered, save and read plans, and count.";

/// All that an answer is made of.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    pub(crate) conversation: Conversation<'a>,
    pub(crate) prompt: &'a Prompt<'a>,
    pub(crate) request: &'a Request,
    pub(crate) steps: Vec<Step<'a>>,
    pub(crate) known: Known,
    /// What the user told, found when it is first asked for.
    pub(crate) told: OnceCell<Vec<Fact>>,
}

impl Turn<'_> {
    /// The whole answer.
    pub(crate) fn answer(&self) -> String {
        let mut parts: Vec<String> = self.request.problems.clone();
        let failures = self.failures();
        if self.request.wants.is_empty() {
            parts.extend(self.report());
        } else {
            let single = self.request.wants.len() == 1 && failures.is_empty() && parts.is_empty();
            let withheld = !failures.is_empty() && !self.request.regardless;
            for want in &self.request.wants {
                if !(withheld && needs_steps(want)) {
                    parts.extend(self.say(want, single));
                }
            }
            parts.extend(failures);
        }
        let unreadable = self.prompt.unreadable.iter();
        parts.extend(unreadable.map(|what| format!("I cannot read all of it: there was {what}.")));
        parts.retain(|part| !part.is_empty());
        let separator = if parts.iter().any(|part| part.contains('\n'))
            || parts.iter().all(|part| part.len() > 60)
        {
            "\n\n"
        } else {
            "\n"
        };
        parts.join(separator)
    }

    /// Sentences on the steps that did not work.
    fn failures(&self) -> Vec<String> {
        self.each_step()
            .filter_map(|(action, step)| failure(action, step))
            .collect()
    }

    fn each_step(&self) -> impl Iterator<Item = (&Action, &Step<'_>)> {
        self.request.actions.iter().zip(&self.steps)
    }

    /// What is said when nothing particular was asked for.
    fn report(&self) -> Vec<String> {
        let mut parts: Vec<String> = self
            .each_step()
            .map(|(action, step)| failure(action, step).unwrap_or_else(|| success(action, step)))
            .collect();
        if let Some(steps) = &self.request.plan {
            let numbered = steps
                .iter()
                .enumerate()
                .map(|(at, step)| format!("{}. {step}", at + 1));
            parts.insert(
                0,
                format!("The plan:\n{}", numbered.collect::<Vec<_>>().join("\n")),
            );
        }
        if parts.is_empty() && !self.request.remembered.is_empty() {
            parts.push(format!(
                "I will remember {}.",
                self.request.remembered.join(", ")
            ));
        }
        if parts.is_empty() && !self.request.understood {
            parts.extend(self.attachments());
        }
        if parts.is_empty() && self.request.problems.is_empty() {
            parts.push(
                if self.request.understood && !self.prompt.text.trim().is_empty() {
                    "Nothing was to be done.".to_owned()
                } else {
                    ABILITIES.to_owned()
                },
            );
        }
        parts.extend(self.notes());
        parts
    }

    /// What the agent told since the user spoke, when a tool was missed.
    fn notes(&self) -> Vec<String> {
        let missed = self.steps.iter().any(|step| matches!(step, Step::Left(_)));
        let notes = current_turn(self.conversation.messages)
            .iter()
            .filter_map(|message| match message {
                Message::Note(note) if missed => Some(note.clone()),
                _ => None,
            });
        notes.collect()
    }

    /// What came along with the prompt, when nothing was asked about it.
    fn attachments(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.prompt.images.is_empty() {
            parts.push(self.colours(false));
        }
        parts.extend(
            self.prompt
                .resources
                .iter()
                .map(|(name, text)| format!("{name} says:\n{}", shortened(text))),
        );
        parts.extend(
            self.prompt
                .links
                .iter()
                .map(|link| format!("I did not follow the link {link}: I open local files only.")),
        );
        parts
    }

    /// One thing that was asked for; alone, it is said without a sentence around it.
    fn say(&self, want: &Want, alone: bool) -> Option<String> {
        Some(match want {
            Want::Literal(text) => text.clone(),
            Want::Fact(question) => self
                .recall(question)
                .unwrap_or_else(|| self.unknown(question)),
            Want::FileWord => self.file_word(alone),
            Want::FileContent => self.file_contents(),
            Want::Colour => self.colours(alone),
            Want::PlanId => match &self.known.plan_id {
                Some(id) if alone => id.clone(),
                Some(id) => format!("The plan ID is {id}."),
                None => "I know of no plan.".to_owned(),
            },
            Want::Output => {
                let outputs = self
                    .each_step()
                    .map(|(action, step)| success(action, step))
                    .filter(|text| !text.is_empty());
                outputs.collect::<Vec<_>>().join("\n\n")
            }
            Want::Requests(count) => self.requests(*count),
            Want::LastAnswer => self.last_answer(),
            Want::Numbers { first, last, after } => numbers(*first, *last, after.as_deref()),
            Want::Tools => offered(self.conversation.tools),
            Want::Mode => format!("The mode is {}.", self.conversation.mode),
            Want::Folder => format!(
                "The working directory is {}.",
                self.conversation.cwd.display()
            ),
        })
    }

    fn recall(&self, question: &str) -> Option<String> {
        let messages = self.conversation.messages;
        memory::recall(
            question,
            self.told.get_or_init(|| memory::told(messages)),
            messages,
        )
    }

    /// The answer to a question that nothing the user said answers.
    fn unknown(&self, question: &str) -> String {
        let words = Words::new(question);
        let recalls = (0..words.len()).any(|at| {
            words.is(
                at,
                "word code secret name remember remembered told gave asked value my token \
                    password",
            )
        });
        if recalls || question.len() < 20 {
            "I do not know: you have not told me.".to_owned()
        } else if !self.prompt.links.is_empty() {
            self.attachments().join("\n")
        } else {
            format!("I do not know the answer to that. {ABILITIES}")
        }
    }

    /// Everything that was read: file contents from tools, and contents that came along.
    fn readings(&self) -> Vec<(String, String)> {
        let mut readings: Vec<(String, String)> = self
            .prompt
            .resources
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let from_steps = self
            .each_step()
            .filter_map(|(action, step)| match (action, step) {
                (Action::Read { path, .. }, Step::Ran(result)) => {
                    Some((path.clone(), result::output(result)))
                }
                (Action::Shell { command, .. }, Step::Ran(result)) => {
                    Some((command.clone(), result::output(result)))
                }
                _ => None,
            });
        let from_steps: Vec<(String, String)> = from_steps.collect();
        if !from_steps.is_empty() {
            readings = from_steps;
        }
        readings
    }

    fn file_word(&self, alone: bool) -> String {
        let said: Vec<String> = self
            .readings()
            .into_iter()
            .map(|(name, text)| match word_in(&text) {
                Some(word) if alone => word,
                Some(word) => format!("The word in {name} is {word}."),
                None => format!("{name} says:\n{}", shortened(&text)),
            })
            .collect();
        if said.is_empty() {
            "There was no file to read.".to_owned()
        } else {
            said.join("\n")
        }
    }

    fn file_contents(&self) -> String {
        let readings = self.readings();
        match readings.as_slice() {
            [] => "There was nothing to read.".to_owned(),
            [(_, text)] if text.trim().is_empty() => "It is empty.".to_owned(),
            [(_, text)] => shortened(text),
            several => several
                .iter()
                .map(|(name, text)| format!("{name} says:\n{}", shortened(text)))
                .collect::<Vec<_>>()
                .join("\n\n"),
        }
    }

    /// The colours of all images of the prompt, or else of those that came last.
    fn colours(&self, alone: bool) -> String {
        let mut images = self.prompt.images.clone();
        if images.is_empty() {
            let earlier = user_messages(self.conversation.messages)
                .rev()
                .map(Prompt::new_images)
                .find(|images| !images.is_empty());
            images = earlier.unwrap_or_default();
        }
        let several = images.len() > 1;
        let said = images.iter().enumerate().map(|(at, (_, data))| {
            let name = if several {
                format!("Image {}", at + 1)
            } else {
                "The image".to_owned()
            };
            match image::colour(data) {
                Ok(colour) if alone && !several => colour.to_owned(),
                Ok(colour) => format!("{name} is {colour}."),
                Err(reason) => format!(
                    "I cannot tell the colour of {}: {reason}.",
                    name.replace("The", "the").replace("Image", "image")
                ),
            }
        });
        let said: Vec<String> = said.collect();
        if said.is_empty() {
            "No image came with the prompt.".to_owned()
        } else {
            said.join(" ")
        }
    }

    fn requests(&self, count: usize) -> String {
        let mut earlier = user_messages(self.conversation.messages).rev().skip(1);
        let mut said: Vec<String> = earlier.by_ref().take(count.min(100)).map(quoted).collect();
        said.reverse();
        match said.len() {
            0 => "There is no earlier request in this session.".to_owned(),
            1 if count == 1 => said.join(""),
            _ => said
                .iter()
                .enumerate()
                .map(|(at, text)| format!("{}. {text}", at + 1))
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }

    fn last_answer(&self) -> String {
        let messages = self.conversation.messages;
        let before = messages.len() - current_turn(messages).len();
        let last = messages
            .iter()
            .take(before)
            .rev()
            .find_map(|message| match message {
                Message::Assistant(text) if !text.trim().is_empty() => Some(text.clone()),
                _ => None,
            });
        last.unwrap_or_else(|| "I have not answered anything in this session yet.".to_owned())
    }
}

/// Whether a want stands for the steps before it: `reply DONE` is only true when they worked.
fn needs_steps(want: &Want) -> bool {
    !matches!(
        want,
        Want::Fact(_)
            | Want::Colour
            | Want::Requests(_)
            | Want::LastAnswer
            | Want::Tools
            | Want::Mode
            | Want::Folder
    )
}

fn numbers(first: i64, last: i64, after: Option<&str>) -> String {
    let count = first.abs_diff(last).saturating_add(1);
    if count > MAX_NUMBERS.unsigned_abs() {
        return format!(
            "I count at most {MAX_NUMBERS} numbers in one answer, and these would be {count}."
        );
    }
    let up: Vec<i64> = (first.min(last)..=first.max(last)).collect();
    let ordered: Box<dyn Iterator<Item = i64>> = if first <= last {
        Box::new(up.into_iter())
    } else {
        Box::new(up.into_iter().rev())
    };
    let mut lines: Vec<String> = ordered.map(|number| number.to_string()).collect();
    lines.extend(after.map(str::to_owned));
    lines.join("\n")
}

/// An earlier request, as a short quotation.
fn quoted(parts: &[Part]) -> String {
    let prompt = Prompt::new(parts);
    let text = clipped(prompt.text.trim(), MAX_QUOTE);
    if text.len() < prompt.text.trim().len() {
        format!("{text}…")
    } else {
        text.to_owned()
    }
}
