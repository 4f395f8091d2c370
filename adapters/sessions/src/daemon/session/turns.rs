//! The turns of a session in memory: those that wait, the one that runs, how the latest ended.

use std::collections::VecDeque;

use crate::{
    api::Outcome,
    store::{TurnEnd, TurnRow},
};

/// How many ended turns are remembered; older ones are looked up in the store.
const REMEMBERED: usize = 16;

/// The turns of a session.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The ordinal of the last accepted one.
    pub(crate) last: u64,
    /// Accepted and not yet sent to the harness, in order.
    pub(crate) queue: VecDeque<Queued>,
    /// The one that the harness works on.
    pub(crate) running: Option<RunningTurn>,
    /// The latest ones that have ended, in the order of their ends.
    ended: VecDeque<(u64, TurnEnd)>,
}

/// A prompt that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Queued {
    pub(crate) ordinal: u64,
    pub(crate) text: String,
    /// It is noted as started already.
    pub(crate) is_started: bool,
}

/// A turn that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunningTurn {
    pub(crate) ordinal: u64,
    /// Somebody wants it to end.
    pub(crate) is_interrupted: bool,
}

impl Turns {
    /// What the store remembers: the turns that have not ended, and the latest one that has. Those
    /// that were started are given back; they were interrupted.
    pub(crate) fn restore(rows: Vec<TurnRow>) -> (Self, Vec<u64>) {
        let mut turns = Self::default();
        let mut interrupted = Vec::new();
        for row in rows {
            turns.last = turns.last.max(row.ordinal);
            match row.end {
                Some(end) => turns.remember(row.ordinal, end),
                None if row.is_started => interrupted.push(row.ordinal),
                None => turns.queue.push_back(Queued {
                    ordinal: row.ordinal,
                    text: row.text,
                    is_started: false,
                }),
            }
        }
        (turns, interrupted)
    }

    /// A prompt was stored.
    pub(crate) fn accept(&mut self, queued: Queued) {
        self.last = self.last.max(queued.ordinal);
        self.queue.push_back(queued);
    }

    /// Takes the next one, if none runs.
    pub(crate) fn begin(&mut self) -> Option<Queued> {
        if self.running.is_some() {
            return None;
        }
        let next = self.queue.pop_front()?;
        self.running = Some(RunningTurn {
            ordinal: next.ordinal,
            is_interrupted: false,
        });
        Some(next)
    }

    /// A turn has ended, and that is stored.
    pub(crate) fn end(&mut self, ordinal: u64, end: TurnEnd) {
        self.running = self.running.filter(|running| running.ordinal != ordinal);
        self.queue.retain(|queued| queued.ordinal != ordinal);
        self.remember(ordinal, end);
    }

    fn remember(&mut self, ordinal: u64, end: TurnEnd) {
        if self.ended.len() == REMEMBERED {
            self.ended.pop_front();
        }
        self.ended.push_back((ordinal, end));
    }

    /// Whether a turn has not ended.
    pub(crate) fn is_open(&self, ordinal: u64) -> bool {
        self.running
            .is_some_and(|running| running.ordinal == ordinal)
            || self.queue.iter().any(|queued| queued.ordinal == ordinal)
    }

    /// How a turn ended, if that is remembered.
    pub(crate) fn ending(&self, ordinal: u64) -> Option<&TurnEnd> {
        let found = self.ended.iter().rev().find(|(ended, _)| *ended == ordinal);
        found.map(|(_, end)| end)
    }

    /// How the latest one that ended did.
    pub(crate) fn last_outcome(&self) -> Option<Outcome> {
        self.ended.back().map(|(_, end)| end.outcome)
    }
}
