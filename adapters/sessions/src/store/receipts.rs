//! Receipts of runtimes in the store: appended, never rewritten.

use rusqlite::{OptionalExtension as _, params};

use super::{Store, StoreError, counter, number};
use crate::api::{Runtime, SessionId};

impl Store {
    /// Appends a receipt, whose `event_ordinal` is given here.
    ///
    /// # Errors
    /// The store failed.
    pub async fn append_receipt(
        &self,
        session: SessionId,
        mut receipt: Runtime,
    ) -> Result<Runtime, StoreError> {
        self.write("keep a runtime receipt", move |connection| {
            let last: i64 = connection
                .prepare_cached(
                    "SELECT coalesce(max(ordinal), 0) FROM runtime_receipts WHERE session_id = ?",
                )?
                .query_row([&session], |row| row.get(0))?;
            receipt.event_ordinal = counter(last + 1);
            let body = serde_json::to_string(&receipt)
                .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            connection
                .prepare_cached(
                    "INSERT INTO runtime_receipts (session_id, ordinal, body) VALUES (?, ?, ?)",
                )?
                .execute(params![session, number(receipt.event_ordinal), body])?;
            Ok(receipt)
        })
        .await
    }

    /// A receipt by its ordinal; the latest one without.
    ///
    /// # Errors
    /// The store failed.
    pub async fn receipt(
        &self,
        session: SessionId,
        ordinal: Option<u64>,
    ) -> Result<Option<Runtime>, StoreError> {
        self.read("find a runtime receipt", move |connection| {
            let body: Option<String> = connection
                .prepare_cached(
                    "SELECT body FROM runtime_receipts
                     WHERE session_id = ?1 AND (?2 IS NULL OR ordinal = ?2)
                     ORDER BY ordinal DESC LIMIT 1",
                )?
                .query_row(params![session, ordinal.map(number)], |row| row.get(0))
                .optional()?;
            Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
        })
        .await
    }
}
