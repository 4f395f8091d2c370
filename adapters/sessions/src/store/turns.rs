//! Turns in the store.

use rusqlite::{Connection, OptionalExtension as _, Row, named_params, params};

use super::{
    ItemWrite, NewItem, Store, StoreError, counter, items, now, number,
    sessions::{FromWord, Word},
};
use crate::api::{Outcome, Role, SessionId};

/// A turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRow {
    /// Its place in the order of acceptance, from 1.
    pub ordinal: u64,
    /// The prompt.
    pub text: String,
    /// Whether it was sent to the harness.
    pub is_started: bool,
    /// How it ended.
    pub end: Option<TurnEnd>,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnEnd {
    /// In one word.
    pub outcome: Outcome,
    /// The harness's own word.
    pub stop_reason: Option<String>,
    /// What went wrong.
    pub message: Option<String>,
    /// The agent's last message.
    pub final_message: Option<String>,
}

/// A prompt that was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Its ordinal.
    pub ordinal: u64,
    /// Whether it was stored now; else the same command came before.
    pub is_new: bool,
}

impl Store {
    /// Stores a prompt as the session's next turn, or finds the one with the same command id. With
    /// `starts` it is noted as started at once, see [`start_turn`](Self::start_turn).
    ///
    /// # Errors
    /// The store failed.
    pub async fn accept_turn(
        &self,
        session: SessionId,
        text: String,
        command_id: Option<String>,
        starts: bool,
    ) -> Result<Accepted, StoreError> {
        self.write("accept a prompt", move |connection| {
            if let Some(ordinal) = by_command(connection, &session, command_id.as_deref())? {
                let is_new = false;
                return Ok(Accepted { ordinal, is_new });
            }
            let last: i64 = connection
                .prepare_cached("SELECT coalesce(max(ordinal), 0) FROM turns WHERE session_id = ?")?
                .query_row([&session], |row| row.get(0))?;
            connection
                .prepare_cached(
                    "INSERT INTO turns (session_id, ordinal, command_id, text, accepted_at)
                     VALUES (?, ?, ?, ?, ?)",
                )?
                .execute(params![session, last + 1, command_id, text, now()])?;
            let (ordinal, is_new) = (counter(last + 1), true);
            if starts {
                start(connection, &session, ordinal)?;
            }
            Ok(Accepted { ordinal, is_new })
        })
        .await
    }

    /// The turn that a command made.
    ///
    /// # Errors
    /// The store failed.
    pub async fn turn_of_command(
        &self,
        session: SessionId,
        command_id: String,
    ) -> Result<Option<u64>, StoreError> {
        self.read("find a prompt", move |connection| {
            by_command(connection, &session, Some(&command_id))
        })
        .await
    }

    /// Notes that a turn is sent to the harness, and writes its prompt into the transcript. It must
    /// be on the disk before the harness sees the prompt: a turn that is not noted as started runs
    /// again after a crash.
    ///
    /// # Errors
    /// The store failed.
    pub async fn start_turn(&self, session: SessionId, ordinal: u64) -> Result<(), StoreError> {
        self.write("start a turn", move |connection| {
            start(connection, &session, ordinal)
        })
        .await
    }

    /// Writes what was said last in a turn, and notes how it ended, both or neither. One that has
    /// ended already keeps its end.
    ///
    /// # Errors
    /// The store failed.
    pub async fn end_turn(
        &self,
        session: SessionId,
        ordinal: u64,
        end: TurnEnd,
        last: Vec<ItemWrite>,
    ) -> Result<(), StoreError> {
        self.write("end a turn", move |connection| {
            for item in &last {
                items::write(connection, &session, item)?;
            }
            connection
                .prepare_cached(
                    "UPDATE turns SET ended_at = :now, outcome = :outcome,
                        stop_reason = :stop_reason, message = :message,
                        final_message = :final_message
                     WHERE session_id = :session AND ordinal = :ordinal AND outcome IS NULL",
                )?
                .execute(named_params! {
                    ":now": now(),
                    ":outcome": end.outcome.as_str(),
                    ":stop_reason": end.stop_reason,
                    ":message": end.message,
                    ":final_message": end.final_message,
                    ":session": session,
                    ":ordinal": number(ordinal),
                })?;
            Ok(())
        })
        .await
    }

    /// A turn.
    ///
    /// # Errors
    /// The store failed.
    pub async fn turn(
        &self,
        session: SessionId,
        ordinal: u64,
    ) -> Result<Option<TurnRow>, StoreError> {
        self.read("find a turn", move |connection| {
            connection
                .prepare_cached("SELECT * FROM turns WHERE session_id = ? AND ordinal = ?")?
                .query_row(params![session, number(ordinal)], turn)
                .optional()
        })
        .await
    }

    /// The turns of a session that have not ended, and the latest one, in order.
    ///
    /// # Errors
    /// The store failed.
    pub async fn open_turns(&self, session: SessionId) -> Result<Vec<TurnRow>, StoreError> {
        self.read("list the open turns", move |connection| {
            connection
                .prepare_cached(
                    "SELECT * FROM turns WHERE session_id = ?1 AND (outcome IS NULL OR ordinal =
                        (SELECT max(ordinal) FROM turns WHERE session_id = ?1 AND outcome IS NOT NULL))
                     ORDER BY ordinal",
                )?
                .query_map([session], turn)?
                .collect()
        })
        .await
    }
}

fn start(connection: &Connection, session: &SessionId, ordinal: u64) -> rusqlite::Result<()> {
    let text: String = connection
        .prepare_cached(
            "UPDATE turns SET started_at = ? WHERE session_id = ? AND ordinal = ? RETURNING text",
        )?
        .query_row(params![now(), session, number(ordinal)], |row| row.get(0))?;
    let (turn, role) = (ordinal, Role::User);
    let item = ItemWrite::Append(NewItem { turn, role, text });
    items::write(connection, session, &item).map(drop)
}

fn by_command(
    connection: &Connection,
    session: &SessionId,
    command_id: Option<&str>,
) -> rusqlite::Result<Option<u64>> {
    let Some(command_id) = command_id else {
        return Ok(None);
    };
    connection
        .prepare_cached("SELECT ordinal FROM turns WHERE session_id = ? AND command_id = ?")?
        .query_row(params![session, command_id], |row| row.get(0).map(counter))
        .optional()
}

fn turn(row: &Row<'_>) -> rusqlite::Result<TurnRow> {
    let outcome: Option<Word<Outcome>> = row.get("outcome")?;
    let end = match outcome {
        Some(Word(outcome)) => Some(TurnEnd {
            outcome,
            stop_reason: row.get("stop_reason")?,
            message: row.get("message")?,
            final_message: row.get("final_message")?,
        }),
        None => None,
    };
    let started: Option<i64> = row.get("started_at")?;
    Ok(TurnRow {
        ordinal: row.get("ordinal").map(counter)?,
        text: row.get("text")?,
        is_started: started.is_some(),
        end,
    })
}

impl FromWord for Outcome {
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
    }
}
