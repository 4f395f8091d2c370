//! From the outbox to the stream.
//!
//! Apart from the outbox because only this part can block. One batch is one write,
//! followed by one flush: a message is never held back to wait for company.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncWrite, AsyncWriteExt};

use crate::connection::Connection;
use crate::error::End;
use crate::limits::BUFFER_KEPT;

/// Writes until the outbox ends or the stream fails.
pub(crate) async fn write<W: AsyncWrite + Unpin>(connection: Arc<Connection>, mut writer: W) {
    let outbox = &connection.outbox;
    let mut batch = Vec::new();
    while outbox.next_batch(&mut batch).await {
        let written = tokio::select! {
            biased;
            written = write_batch(&mut writer, &batch) => written,
            () = outbox.closed().cancelled() => return,
        };
        match written {
            Ok(()) => outbox.wrote(batch.len()),
            Err(error) => return outbox.close(End::WriteFailed(Arc::new(error))),
        }
        batch.clear();
        batch.shrink_to(BUFFER_KEPT);
    }
    // Everything is written or given up; there is nobody left to tell about a failure.
    let _ = writer.shutdown().await;
}

async fn write_batch<W: AsyncWrite + Unpin>(writer: &mut W, batch: &[u8]) -> io::Result<()> {
    writer.write_all(batch).await?;
    writer.flush().await
}
