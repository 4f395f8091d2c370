//! Slash commands: one for each behaviour that somebody may want to see on demand.
//!
//! A prompt that begins with a command is followed here and goes no further; everything else is
//! read as an instruction. The table below is all there is: what is offered to the client and
//! what is followed are the same rows and cannot differ.
//!
//! Must stay true: a command is a function of the conversation like everything else. Waiting is
//! an [`Event::Wait`], which whoever streams the reply carries out.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/slash-commands>

mod ask;
mod call;
mod content;
mod speech;
mod tools;

use call::Call;

pub(crate) use ask::{ANSWERED, in_words};
pub(crate) use content::square;
pub(crate) use speech::{CONTEXT, duration};

use crate::conversation::{Conversation, Event};

/// A command: how it is offered, and what it does.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Its name, without the slash.
    pub name: &'static str,
    /// What it shows, for people.
    pub description: &'static str,
    /// What may be typed behind the name; nothing for commands without an argument.
    pub hint: Option<&'static str>,
    follow: fn(&Call<'_>) -> Vec<Event>,
}

/// The commands of this model, in the order in which they are offered.
pub const COMMANDS: &[Command] = &[
    command("stream", "A reply in many chunks", speech::stream).with("how many, 100"),
    command("think", "Thoughts before the reply", speech::think),
    command("plan", "A plan that makes progress", speech::plan),
    command("usage", "A full context", speech::usage).with("tokens, 150000"),
    command("slow", "A pause in the reply", speech::slow).with("how long, 2s"),
    command("hang", "A reply that never goes on", speech::hang),
    command("error", "A model that fails", speech::error).with("what it says"),
    command("refuse", "A refusal", speech::refuse),
    command("max-tokens", "A reply that is cut off", speech::max_tokens),
    command("crash", "The agent's process ends, at once", speech::crash),
    command("image", "An image", content::image),
    command("resource", "A resource and a link", content::resource),
    command("permission", "A question for permission", tools::permission),
    command(
        "diff",
        "A file written and edited: acp-demo.txt",
        tools::diff,
    ),
    command("terminal", "A command with live output", tools::terminal).with("the command"),
    command(
        "big-output",
        "A command with a lot of output",
        tools::big_output,
    )
    .with("size, 10MB"),
    command(
        "parallel",
        "Several tool calls in one reply",
        tools::parallel,
    )
    .with("how many, 5"),
    command("switch-mode", "Another mode", tools::switch_mode).with("the mode"),
    command("ask", "A question for the user", ask::ask)
        .with("the question, and answers: Which one? red | blue; or a URL"),
];

const fn command(
    name: &'static str,
    description: &'static str,
    follow: fn(&Call<'_>) -> Vec<Event>,
) -> Command {
    Command {
        name,
        description,
        hint: None,
        follow,
    }
}

impl Command {
    const fn with(self, hint: &'static str) -> Self {
        let hint = Some(hint);
        Self { hint, ..self }
    }
}

/// What a command makes of a conversation; nothing when the prompt is no known command.
pub(crate) fn follow(conversation: &Conversation<'_>) -> Option<Vec<Event>> {
    if let Some(reply) = ask::answered(conversation) {
        return Some(reply);
    }
    let (name, call) = Call::of(conversation)?;
    let command = COMMANDS.iter().find(|command| command.name == name)?;
    Some((command.follow)(&call))
}

/// Whether the conversation is at a command, or at the answer to the question of one.
pub(crate) fn follows(conversation: &Conversation<'_>) -> bool {
    ask::answered(conversation).is_some()
        || Call::of(conversation)
            .is_some_and(|(name, _)| COMMANDS.iter().any(|command| command.name == name))
}

#[cfg(test)]
mod commands_tests;
