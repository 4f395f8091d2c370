//! Transcripts in the store. What is written here can be found at once: the index is written with it.

use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::{
    Store, StoreError, counter, now, number,
    sessions::{FromWord, Word},
    timestamp,
};
use crate::api::{Item, Role, SessionId};

/// An item to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewItem {
    /// The turn; 0 outside of turns.
    pub turn: u64,
    /// What it is.
    pub role: Role,
    /// As text.
    pub text: String,
}

/// How an item is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemWrite {
    /// Behind all others.
    Append(NewItem),
    /// In place of what this item said until now.
    Replace {
        /// Which.
        seq: u64,
        /// Its whole new text.
        text: String,
    },
}

impl Store {
    /// Writes an item, and says its number.
    ///
    /// # Errors
    /// The store failed.
    pub async fn write_item(
        &self,
        session: SessionId,
        write: ItemWrite,
    ) -> Result<u64, StoreError> {
        self.write("write to the transcript", move |connection| {
            self::write(connection, &session, &write)
        })
        .await
    }

    /// Up to `limit` items behind `after`, in order; of one role or of all.
    ///
    /// # Errors
    /// The store failed.
    pub async fn items(
        &self,
        session: SessionId,
        after: u64,
        limit: u64,
        role: Option<Role>,
    ) -> Result<Vec<Item>, StoreError> {
        self.read("read the transcript", move |connection| {
            connection
                .prepare_cached(
                    "SELECT seq, turn, role, text, at FROM items
                     WHERE session_id = ?1 AND seq > ?2 AND (?3 IS NULL OR role = ?3)
                     ORDER BY seq LIMIT ?4",
                )?
                .query_map(
                    params![
                        session,
                        number(after),
                        role.map(Role::as_str),
                        number(limit)
                    ],
                    item,
                )?
                .collect()
        })
        .await
    }
}

/// Writes an item as a part of a larger write.
pub(super) fn write(
    connection: &Connection,
    session: &SessionId,
    write: &ItemWrite,
) -> rusqlite::Result<u64> {
    match write {
        ItemWrite::Append(item) => append(connection, session, item),
        ItemWrite::Replace { seq, text } => {
            replace(connection, session, *seq, text)?;
            Ok(*seq)
        }
    }
}

fn append(connection: &Connection, session: &SessionId, item: &NewItem) -> rusqlite::Result<u64> {
    let last: i64 = connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM items WHERE session_id = ?")?
        .query_row([session], |row| row.get(0))?;
    let seq = last + 1;
    connection
        .prepare_cached(
            "INSERT INTO items (session_id, seq, turn, role, text, at) VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            session,
            seq,
            number(item.turn),
            item.role.as_str(),
            item.text,
            now()
        ])?;
    connection
        .prepare_cached("INSERT INTO said (rowid, text, session_id) VALUES (?, ?, ?)")?
        .execute(params![connection.last_insert_rowid(), item.text, session])?;
    Ok(counter(seq))
}

fn replace(
    connection: &Connection,
    session: &SessionId,
    seq: u64,
    text: &str,
) -> rusqlite::Result<()> {
    let id: Option<i64> = connection
        .prepare_cached("UPDATE items SET text = ? WHERE session_id = ? AND seq = ? RETURNING id")?
        .query_row(params![text, session, number(seq)], |row| row.get(0))
        .optional()?;
    connection
        .prepare_cached("UPDATE said SET text = ? WHERE rowid = ?")?
        .execute(params![text, id])?;
    Ok(())
}

fn item(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        seq: row.get(0).map(counter)?,
        turn_id: row.get(1).map(counter)?,
        role: row.get::<_, Word<_>>(2)?.0,
        text: row.get(3)?,
        at: timestamp(row.get(4)?),
    })
}

impl FromWord for Role {
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}
