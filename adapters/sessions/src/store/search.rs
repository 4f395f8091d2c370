//! The search in everything that was said, also in sessions that were destroyed.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{SessionRow, Store, StoreError, number};
use crate::api::SearchRow;

impl Store {
    /// The sessions in which all of the words stand in one item, the best first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn search(&self, words: &str, limit: u64) -> Result<Vec<SearchRow>, StoreError> {
        let Some(query) = query(words) else {
            return Ok(Vec::new());
        };
        self.read("search", move |connection| {
            // Which item of a session is shown is up to the best rank, which `min` picks.
            connection
                .prepare_cached(
                    "WITH hits AS MATERIALIZED (
                        SELECT session_id, rank, snippet(said, 0, '[', ']', '…', 16) AS snippet
                        FROM said WHERE said MATCH ?1 ORDER BY rank LIMIT 10000)
                     SELECT wiki.tool, wiki.title, hits.snippet, hits.session_id, min(hits.rank),
                        EXISTS (SELECT 1 FROM sessions WHERE sessions.id = hits.session_id)
                     FROM hits JOIN wiki USING (session_id)
                     GROUP BY hits.session_id ORDER BY 5 LIMIT ?2",
                )?
                .query_map(params![query, number(limit)], |row| {
                    Ok(SearchRow {
                        tool: row.get(0)?,
                        title: row.get(1)?,
                        snippet: row.get(2)?,
                        session_id: row.get(3)?,
                        exists: row.get(5)?,
                    })
                })?
                .collect()
        })
        .await
    }
}

/// Words as an FTS5 expression that has no operators, whatever the words are. None without any.
fn query(words: &str) -> Option<String> {
    let mut phrases = Vec::new();
    for (index, part) in words.split('"').enumerate() {
        // Every second part stood in quotes.
        match index % 2 {
            1 => phrases.push(part.trim()),
            _ => phrases.extend(part.split_whitespace()),
        }
    }
    phrases.retain(|phrase| phrase.chars().any(char::is_alphanumeric));
    let quoted: Vec<String> = phrases
        .iter()
        .map(|phrase| format!("\"{phrase}\""))
        .collect();
    (!quoted.is_empty()).then(|| quoted.join(" "))
}

/// Brings the entry of a session up to date, so that it is found by its title and its directory.
pub(super) fn title(connection: &Connection, row: &SessionRow) -> rusqlite::Result<()> {
    let stored: Option<String> = connection
        .prepare_cached("SELECT title FROM wiki WHERE session_id = ?")?
        .query_row([&row.id], |row| row.get(0))
        .optional()?;
    if stored.as_ref() == Some(&row.title) {
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT INTO wiki (session_id, tool, title) VALUES (?, ?, ?)
             ON CONFLICT (session_id) DO UPDATE SET title = excluded.title",
        )?
        .execute(params![row.id, row.asked.harness_kind, row.title])?;
    let place: i64 = connection
        .prepare_cached("SELECT -rowid FROM wiki WHERE session_id = ?")?
        .query_row([&row.id], |row| row.get(0))?;
    let directory = row
        .asked
        .project_directory
        .as_deref()
        .unwrap_or("".as_ref());
    let text = format!("{} {}", row.title, directory.display());
    connection
        .prepare_cached("DELETE FROM said WHERE rowid = ?")?
        .execute([place])?;
    connection
        .prepare_cached("INSERT INTO said (rowid, text, session_id) VALUES (?, ?, ?)")?
        .execute(params![place, text.trim(), row.id])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::query;

    #[test]
    fn words_never_become_operators() {
        //  words                     expression
        let table = [
            ("one", Some("\"one\"")),
            ("one two", Some("\"one\" \"two\"")),
            ("\"one two\" three", Some("\"one two\" \"three\"")),
            ("a OR b*", Some("\"a\" \"OR\" \"b*\"")),
            ("marker-12_x", Some("\"marker-12_x\"")),
            ("\"open end", Some("\"open end\"")),
            ("  - () *", None),
            ("", None),
        ];
        for (words, expected) in table {
            assert_eq!(query(words).as_deref(), expected, "{words}");
        }
    }
}
