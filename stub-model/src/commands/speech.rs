//! Commands that need no tool: words, thoughts, plans, pauses, and the ways in which a reply ends.

use std::time::Duration;

use super::call::{Call, say};
use crate::conversation::{Event, PlanEntry, Priority, Progress, Stop};

/// The most chunks of one reply: enough to meet every queue on the way, and memory is spared.
const MAX_CHUNKS: u64 = 100_000;

/// The longest pause. Whoever wants a longer one wants `/hang`.
const MAX_PAUSE: Duration = Duration::from_secs(10 * 60);

/// Longer than anybody waits.
const FOR_EVER: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The size of the context that is pretended, in tokens.
pub(crate) const CONTEXT: u64 = 200_000;

pub(super) fn stream(call: &Call<'_>) -> Vec<Event> {
    let chunks = call.number(100, MAX_CHUNKS);
    let mut events: Vec<_> = (1..=chunks)
        .map(|number| Event::Text(format!("{number}\n")))
        .collect();
    events.push(Event::Stop(Stop::EndTurn));
    events
}

pub(super) fn think(_: &Call<'_>) -> Vec<Event> {
    let thoughts = [
        "The user wants to see thoughts. ",
        "They are shown apart from the answer. ",
        "This is the last one.",
    ];
    let mut events: Vec<_> = thoughts
        .map(|thought| Event::Thought(thought.to_owned()))
        .into();
    events.extend(say("I have thought about it."));
    events
}

pub(super) fn plan(_: &Call<'_>) -> Vec<Event> {
    let steps = [
        ("Look", Priority::High),
        ("Change", Priority::Medium),
        ("Check", Priority::Low),
    ];
    let at = |done: usize| {
        let entries = steps
            .iter()
            .enumerate()
            .map(|(number, (step, priority))| PlanEntry {
                content: (*step).to_owned(),
                priority: *priority,
                status: match number {
                    number if number < done => Progress::Completed,
                    number if number == done => Progress::InProgress,
                    _ => Progress::Pending,
                },
            });
        Event::Plan(entries.collect())
    };
    let mut events: Vec<_> = (0..=steps.len()).map(at).collect();
    events.extend(say("The plan is done."));
    events
}

pub(super) fn usage(call: &Call<'_>) -> Vec<Event> {
    let used = call.number(150_000, CONTEXT);
    let mut events = vec![Event::Usage {
        used,
        size: CONTEXT,
    }];
    events.extend(say(&format!("{used} of {CONTEXT} tokens are used.")));
    events
}

pub(super) fn slow(call: &Call<'_>) -> Vec<Event> {
    let pause = duration(call.argument).unwrap_or(Duration::from_secs(2));
    let mut events = vec![
        Event::Text("One moment. ".to_owned()),
        Event::Wait(pause.min(MAX_PAUSE)),
    ];
    events.extend(say("Here I am again."));
    events
}

pub(super) fn hang(_: &Call<'_>) -> Vec<Event> {
    let mut events = vec![
        Event::Text("Nothing comes after this.".to_owned()),
        Event::Wait(FOR_EVER),
    ];
    events.push(Event::Stop(Stop::EndTurn));
    events
}

pub(super) fn error(call: &Call<'_>) -> Vec<Event> {
    let why = match call.argument {
        "" => "it was asked to",
        why => why,
    };
    vec![Event::Stop(Stop::Failed(why.to_owned()))]
}

pub(super) fn refuse(_: &Call<'_>) -> Vec<Event> {
    vec![
        Event::Text("I will not do this.".to_owned()),
        Event::Stop(Stop::Refusal),
    ]
}

pub(super) fn max_tokens(_: &Call<'_>) -> Vec<Event> {
    vec![
        Event::Text("This reply is cut off in the mid".to_owned()),
        Event::Stop(Stop::MaxTokens),
    ]
}

pub(super) fn crash(_: &Call<'_>) -> Vec<Event> {
    vec![
        Event::Text("This is the last that is heard of me.".to_owned()),
        Event::Crash,
    ]
}

/// `2`, `2s`, `500ms`, `1m`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    match text[digits..].trim() {
        "ms" => Some(Duration::from_millis(number)),
        "" | "s" => Some(Duration::from_secs(number)),
        "m" | "min" => Some(Duration::from_secs(number.checked_mul(60)?)),
        _ => None,
    }
}
