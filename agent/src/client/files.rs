//! Files as the client has them: with the changes that the user has not saved.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/file-system>

use std::{path::Path, time::Duration};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{Client, ClientError};
use crate::acp;

/// How long a write that has been asked for may go on after a stop. It may have happened already,
/// so it is waited for, but not by a user who has pressed stop.
const LAST_WRITE: Duration = Duration::from_millis(1_000);

impl Client {
    /// Lines of a text file: `count` of them from the line `first` on, counted from 1.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn read_lines(
        &self,
        path: &Path,
        first: u32,
        count: u32,
        stop: &CancellationToken,
    ) -> Result<String, ClientError> {
        let request = acp::ReadTextFileRequest::new(self.session_id(), path)
            .line((first > 1).then_some(first))
            .limit(count);
        self.read(&request, stop).await
    }

    /// A whole text file.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn read_whole(
        &self,
        path: &Path,
        stop: &CancellationToken,
    ) -> Result<String, ClientError> {
        let request = acp::ReadTextFileRequest::new(self.session_id(), path);
        self.read(&request, stop).await
    }

    async fn read(
        &self,
        request: &acp::ReadTextFileRequest,
        stop: &CancellationToken,
    ) -> Result<String, ClientError> {
        let method = acp::CLIENT_METHOD_NAMES.fs_read_text_file;
        let answer: acp::ReadTextFileResponse = self.request(method, request, stop).await?;
        Ok(answer.content)
    }

    /// Writes a text file.
    ///
    /// # Errors
    /// See [`ClientError`]. After a `Cancelled` it is not known whether it was written.
    pub async fn write(
        &self,
        path: &Path,
        content: &str,
        stop: &CancellationToken,
    ) -> Result<(), ClientError> {
        let method = acp::CLIENT_METHOD_NAMES.fs_write_text_file;
        let request = acp::WriteTextFileRequest::new(self.session_id(), path, content);
        // Clients answer with null or with an object; both say that it is done.
        let writing = self.updates.peer().request::<Value>(method, &request);
        tokio::pin!(writing);
        let written = tokio::select! {
            biased;
            written = &mut writing => written,
            () = stop.cancelled() => tokio::time::timeout(LAST_WRITE, writing)
                .await
                .map_err(|_| ClientError::Cancelled)?,
        };
        written.map(drop).map_err(ClientError::from)
    }
}
