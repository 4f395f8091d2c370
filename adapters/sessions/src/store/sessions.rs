//! Sessions in the store.

use std::{path::PathBuf, str::FromStr};

use rusqlite::{
    OptionalExtension as _, Row, ToSql, named_params, params,
    types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef},
};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError, counter, now, number};
use crate::api::{LifecycleError, SessionId, State};

/// Everything that is stored about a session itself.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// What was asked for; never changed.
    pub asked: NewSession,
    /// For people.
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// What failed last, and the sentence about it.
    pub error: Option<(LifecycleError, String)>,
    /// The harness's own id of its session.
    pub native_id: Option<String>,
    /// Where its place is, as JSON; there before the place is made.
    pub locator: Option<String>,
    /// What was checked out there, as JSON.
    pub checkout: Option<String>,
    /// From what it can be resumed.
    pub checkpoint: Option<Checkpoint>,
    /// Counts the changes, so that an older write never undoes a newer one.
    pub revision: u64,
    /// Milliseconds since 1970.
    pub created_at: i64,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}

/// What a session is made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewSession {
    /// The workspace.
    pub workspace_id: String,
    /// The client's own name of the request.
    pub request_id: Option<String>,
    /// What the profile said its harness was.
    pub harness_kind: String,
    /// The profile.
    pub profile_id: String,
    /// The target.
    pub target_id: String,
    /// The bundle of a managed session.
    pub bundle_id: Option<String>,
    /// The directory of a bare session.
    pub project_directory: Option<PathBuf>,
    /// The commit, lower-case.
    pub at: Option<String>,
    /// The branch.
    pub branch: Option<String>,
    /// The base, as it was asked for.
    pub base: Option<String>,
    /// The runtime without which nothing may run.
    pub expected_runtime: Option<String>,
}

/// Saved work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Checkpoint {
    /// The work lies in the user's own directory and was never taken away.
    Directory,
    /// An archive, as JSON of the git module's own.
    Archive {
        /// Where, with its digest.
        archive: serde_json::Value,
    },
}

impl Store {
    /// Stores a session, or finds the one that the same request made before. Says which session,
    /// and whether it is new.
    ///
    /// # Errors
    /// The store failed.
    pub async fn create_session(&self, row: SessionRow) -> Result<(SessionId, bool), StoreError> {
        self.write("make a session", move |connection| {
            if let Some(request_id) = &row.asked.request_id {
                let earlier = connection
                    .prepare_cached("SELECT id FROM sessions WHERE request_id = ?")?
                    .query_row([request_id], |row| row.get::<_, Word<SessionId>>(0))
                    .optional()?;
                if let Some(Word(id)) = earlier {
                    return Ok((id, false));
                }
            }
            connection
                .prepare_cached(
                    "INSERT INTO sessions (id, workspace_id, request_id, title, harness_kind,
                        profile_id, target_id, bundle_id, project_directory, at, branch, base,
                        expected_runtime, state, revision, created_at, updated_at)
                     VALUES (:id, :workspace_id, :request_id, :title, :harness_kind,
                        :profile_id, :target_id, :bundle_id, :project_directory, :at, :branch, :base,
                        :expected_runtime, :state, :revision, :created_at, :created_at)",
                )?
                .execute(named_params! {
                    ":id": row.id.as_str(),
                    ":workspace_id": row.asked.workspace_id,
                    ":request_id": row.asked.request_id,
                    ":title": row.title,
                    ":harness_kind": row.asked.harness_kind,
                    ":profile_id": row.asked.profile_id,
                    ":target_id": row.asked.target_id,
                    ":bundle_id": row.asked.bundle_id,
                    ":project_directory": row.asked.project_directory.as_ref().map(|path| path.to_string_lossy()),
                    ":at": row.asked.at,
                    ":branch": row.asked.branch,
                    ":base": row.asked.base,
                    ":expected_runtime": row.asked.expected_runtime,
                    ":state": row.state.as_str(),
                    ":revision": number(row.revision),
                    ":created_at": row.created_at,
                })?;
            connection
                .prepare_cached("UPDATE workspaces SET opened_at = ? WHERE id = ?")?
                .execute(params![now(), row.asked.workspace_id])?;
            super::search::title(connection, &row)?;
            Ok((row.id, true))
        })
        .await
    }

    /// Stores what can change of a session, unless something newer is stored already.
    ///
    /// # Errors
    /// The store failed.
    pub async fn save_session(&self, row: SessionRow) -> Result<(), StoreError> {
        self.write("save a session", move |connection| {
            let checkpoint = row.checkpoint.as_ref().map(json).transpose()?;
            let changed = connection
                .prepare_cached(
                    "UPDATE sessions SET title = :title, state = :state, error = :error,
                        error_kind = :error_kind, native_id = :native_id, locator = :locator,
                        checkout = :checkout, checkpoint = :checkpoint, revision = :revision,
                        updated_at = :updated_at
                     WHERE id = :id AND revision < :revision",
                )?
                .execute(named_params! {
                    ":id": row.id.as_str(),
                    ":title": row.title,
                    ":state": row.state.as_str(),
                    ":error": row.error.as_ref().map(|(_, text)| text),
                    ":error_kind": row.error.as_ref().map(|(kind, _)| kind.as_str()),
                    ":native_id": row.native_id,
                    ":locator": row.locator,
                    ":checkout": row.checkout,
                    ":checkpoint": checkpoint,
                    ":revision": number(row.revision),
                    ":updated_at": row.updated_at,
                })?;
            if changed > 0 {
                super::search::title(connection, &row)?;
            }
            Ok(())
        })
        .await
    }

    /// All sessions, the newest first.
    ///
    /// # Errors
    /// The store failed.
    pub async fn sessions(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.read("list the sessions", |connection| {
            connection
                .prepare("SELECT * FROM sessions ORDER BY created_at DESC, rowid DESC")?
                .query_map([], session)?
                .collect()
        })
        .await
    }

    /// Removes a session with its turns, its transcript and its receipts. What was said can still be
    /// found.
    ///
    /// # Errors
    /// The store failed.
    pub async fn remove_session(&self, id: SessionId) -> Result<(), StoreError> {
        self.write("remove a session", move |connection| {
            connection
                .prepare_cached("DELETE FROM sessions WHERE id = ?")?
                .execute([id.as_str()])?;
            Ok(())
        })
        .await
    }
}

fn json(value: &impl Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
}

fn session(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    let error: Option<String> = row.get("error")?;
    let error_kind: Option<Word<LifecycleError>> = row.get("error_kind")?;
    let checkpoint: Option<String> = row.get("checkpoint")?;
    let revision: i64 = row.get("revision")?;
    let directory: Option<String> = row.get("project_directory")?;
    Ok(SessionRow {
        id: row.get::<_, Word<_>>("id")?.0,
        asked: NewSession {
            workspace_id: row.get("workspace_id")?,
            request_id: row.get("request_id")?,
            harness_kind: row.get("harness_kind")?,
            profile_id: row.get("profile_id")?,
            target_id: row.get("target_id")?,
            bundle_id: row.get("bundle_id")?,
            project_directory: directory.map(PathBuf::from),
            at: row.get("at")?,
            branch: row.get("branch")?,
            base: row.get("base")?,
            expected_runtime: row.get("expected_runtime")?,
        },
        title: row.get("title")?,
        state: row.get::<_, Word<_>>("state")?.0,
        error: error_kind.map(|Word(kind)| (kind, error.unwrap_or_default())),
        native_id: row.get("native_id")?,
        locator: row.get("locator")?,
        checkout: row.get("checkout")?,
        checkpoint: match checkpoint {
            Some(text) => Some(serde_json::from_str(&text).map_err(|error| {
                let kind = rusqlite::types::Type::Text;
                rusqlite::Error::FromSqlConversionFailure(0, kind, Box::new(error))
            })?),
            None => None,
        },
        revision: counter(revision),
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}

/// One of a set of words, as it stands on the wire too.
pub(super) struct Word<T>(pub(super) T);

impl<T: FromWord> FromSql for Word<T> {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let text = value.as_str()?;
        T::from_word(text).map(Self).ok_or_else(|| {
            FromSqlError::Other(format!("{text:?} is not known to this version").into())
        })
    }
}

/// What stands in the store as a word.
pub(super) trait FromWord: Sized {
    fn from_word(word: &str) -> Option<Self>;
}

impl FromWord for State {
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }
}

impl FromWord for LifecycleError {
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl FromWord for SessionId {
    fn from_word(word: &str) -> Option<Self> {
        Self::from_str(word).ok()
    }
}

impl ToSql for SessionId {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        self.as_str().to_sql()
    }
}
