//! The file tools over the client's files, so that they see what the user has not saved.
//!
//! Apart from the tools because what differs from the disk is the same for all of them: a text
//! instead of bytes, no stamp but the text itself, and answers that take time.
//!
//! Must stay true: a text that is not what the user was shown the diff of is not overwritten. The
//! path is located anew before it is used: the client follows links that we do not see.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/file-system>

use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::{
    Job, RunContext, ToolError, ToolOutcome,
    excerpt::{self, Excerpt, Wanted},
    replace::{Before, EDIT_LIMIT, before},
};
use crate::{
    client::{Client, ClientError},
    roots::{Located, Roots},
};

/// What a file held when the call was prepared: nothing, or this text.
pub(crate) type Text = Option<String>;

/// The new content, and what the model is told.
pub(crate) type Changed = (String, String);

/// A text file as the client has it. What the client cannot read and the disk has not is absent.
pub(crate) async fn text_of(
    client: &Client,
    located: &Located,
    stop: &CancellationToken,
) -> Result<Text, ToolError> {
    if client.reads_files() {
        match client.read_whole(&located.shown, stop).await {
            Ok(text) if text.len() as u64 <= EDIT_LIMIT => return Ok(Some(text)),
            Ok(text) => {
                return Err(ToolError::TooLarge {
                    path: located.shown.clone(),
                    size: text.len() as u64,
                    limit: EDIT_LIMIT,
                });
            }
            // Clients have no common error for a file that does not exist.
            Err(ClientError::Answer(_)) if is_absent(located).await => return Ok(None),
            Err(error) => return Err(failure(located, error)),
        }
    }
    let path = located.path.clone();
    let seen = tokio::task::spawn_blocking(move || before(&path)).await;
    let seen = seen.map_err(|_| ToolError::Changed(located.path.clone()))??;
    on_disk(&seen, located)
}

/// The same of a file that was read from the disk.
pub(crate) fn on_disk(seen: &Before, located: &Located) -> Result<Text, ToolError> {
    match seen {
        Before::Absent => Ok(None),
        Before::File {
            content: Some(content),
            ..
        } => Ok(Some(String::from_utf8_lossy(content).into_owned())),
        Before::File {
            content: None,
            stamp,
        } => Err(ToolError::TooLarge {
            path: located.shown.clone(),
            size: stamp.size(),
            limit: EDIT_LIMIT,
        }),
    }
}

fn failure(located: &Located, error: ClientError) -> ToolError {
    ToolError::Client {
        path: located.shown.clone(),
        error,
    }
}

async fn is_absent(located: &Located) -> bool {
    let path = located.path.clone();
    let found = tokio::task::spawn_blocking(move || path.symlink_metadata().is_ok()).await;
    !found.unwrap_or(true)
}

/// A job that changes a file through the client if it writes files, else on the disk.
///
/// `expected` is what the user was shown the change of, if it was looked at; `change` makes the
/// new content from what is there.
pub(crate) fn changing(
    located: Located,
    roots: Roots,
    expected: Option<Text>,
    change: impl FnOnce(Text) -> Result<Changed, ToolError> + Send + 'static,
    local: Job,
) -> Job {
    Box::new(
        move |context: RunContext| match context.client.clone().filter(Client::writes_files) {
            None => local(context),
            Some(client) => async move {
                let stop = context.cancel;
                match write(&client, &located, &roots, expected, change, &stop).await {
                    Ok(told) => ToolOutcome::announced(told),
                    Err(_) if stop.is_cancelled() => ToolOutcome::cancelled("cancelled"),
                    Err(error) => ToolOutcome::failed(error.to_string()),
                }
            }
            .boxed(),
        },
    )
}

async fn write(
    client: &Client,
    located: &Located,
    roots: &Roots,
    expected: Option<Text>,
    change: impl FnOnce(Text) -> Result<Changed, ToolError>,
    stop: &CancellationToken,
) -> Result<String, ToolError> {
    let path = &located.shown;
    let fail = |error| failure(located, error);
    if stop.is_cancelled() {
        return Err(fail(ClientError::Cancelled));
    }
    still_there(located, roots)?;
    let now = text_of(client, located, stop).await?;
    if expected.is_some_and(|expected| expected != now) {
        return Err(ToolError::Changed(path.clone()));
    }
    let (content, told) = change(now)?;
    client.write(path, &content, stop).await.map_err(fail)?;
    Ok(told)
}

/// Reads lines through the client if it reads files, else from the disk.
pub(crate) fn reading(
    located: Located,
    roots: Roots,
    wanted: Wanted,
    answer: fn(Excerpt, Wanted) -> ToolOutcome,
    local: Job,
) -> Job {
    Box::new(
        move |context: RunContext| match context.client.clone().filter(Client::reads_files) {
            None => local(context),
            Some(client) => async move {
                let stop = context.cancel;
                match lines(&client, &located, &roots, wanted, &stop).await {
                    Ok(excerpt) => answer(excerpt, wanted),
                    Err(_) if stop.is_cancelled() => ToolOutcome::cancelled("cancelled"),
                    Err(error) => ToolOutcome::failed(error.to_string()),
                }
            }
            .boxed(),
        },
    )
}

async fn lines(
    client: &Client,
    located: &Located,
    roots: &Roots,
    wanted: Wanted,
    stop: &CancellationToken,
) -> Result<Excerpt, ToolError> {
    still_there(located, roots)?;
    let first = u32::try_from(wanted.first).unwrap_or(u32::MAX);
    // One more than wanted, to learn whether the file goes on.
    let count = u32::try_from(wanted.lines.saturating_add(1)).unwrap_or(u32::MAX);
    let text = match client.read_lines(&located.shown, first, count, stop).await {
        Ok(text) => text,
        Err(ClientError::Answer(_)) if is_absent(located).await => {
            return Err(ToolError::Missing(located.shown.clone()));
        }
        Err(error) => return Err(failure(located, error)),
    };
    let fetched = Wanted { first: 1, ..wanted };
    let mut excerpt = excerpt::read(text.as_bytes(), fetched, stop)
        .map_err(|source| super::anchor::io_failure(&located.path, source))?;
    if excerpt.last > 0 {
        excerpt.last += wanted.first - 1;
    }
    Ok(excerpt)
}

/// Whether the path, as the client spells it, still leads to the file that was judged.
fn still_there(located: &Located, roots: &Roots) -> Result<(), ToolError> {
    let now = roots.locate(&located.shown)?;
    if now.path == located.path && now.inside == located.inside {
        Ok(())
    } else {
        Err(ToolError::Changed(located.shown.clone()))
    }
}
