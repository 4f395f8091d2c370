//! A blocking stream that passes for an async one.
//!
//! Apart, and only for threads that run nothing else: it blocks inside `poll`. So the
//! reader and the writer are written once, for threads and for tasks. Plain threads
//! are worth it for stdin and stdout, which tokio would hand to its pool and back with
//! every read and write.

use std::io::{self, ErrorKind, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How long to wait before a stream in non-blocking mode is tried again. The other side
/// shares the mode of a pipe or a terminal with us and may have set it.
const RETRY: Duration = Duration::from_millis(1);

/// Blocks wherever it should return `Pending`.
pub(crate) struct Blocking<T>(pub(crate) T);

// Nothing in it is ever pinned.
impl<T> Unpin for Blocking<T> {}

impl<R: Read> AsyncRead for Blocking<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let count = persist(|| self.0.read(buffer.initialize_unfilled()))?;
        buffer.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl<W: Write> AsyncWrite for Blocking<W> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(persist(|| self.0.write(bytes)))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(persist(|| self.0.flush()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}

/// Repeats what was only interrupted, or told to come back later.
fn persist<T>(mut attempt: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(RETRY),
            done => return done,
        }
    }
}
