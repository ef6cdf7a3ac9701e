//! A stream whose other side must take what is written to it, sooner or later.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Fails once nothing could be written for so long; reading is as it was.
pub(super) struct Patient<Stream> {
    stream: Stream,
    within: Duration,
    /// Runs while a write waits.
    end: Option<Pin<Box<Sleep>>>,
}

impl<Stream: AsyncWrite + Unpin> Patient<Stream> {
    pub(super) fn new(stream: Stream, within: Duration) -> Self {
        Self { stream, within, end: None }
    }

    fn step<T>(
        &mut self,
        context: &mut Context<'_>,
        write: impl FnOnce(Pin<&mut Stream>, &mut Context<'_>) -> Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if let Poll::Ready(done) = write(Pin::new(&mut self.stream), context) {
            self.end = None;
            return Poll::Ready(done);
        }
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(self.within)));
        ready!(end.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<Stream: AsyncRead + Unpin> AsyncRead for Patient<Stream> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<Stream: AsyncWrite + Unpin> AsyncWrite for Patient<Stream> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.step(context, |stream, context| stream.poll_write(context, bytes))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.step(context, |stream, context| stream.poll_write_vectored(context, parts))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.step(context, AsyncWrite::poll_flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.step(context, AsyncWrite::poll_shutdown)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn whoever_takes_nothing_is_given_up_and_whoever_takes_is_not() {
        let (ours, mut theirs) = duplex(8);
        let mut patient = Patient::new(ours, Duration::from_millis(20));
        patient.write_all(&[1; 8]).await.expect("there is room");
        let error = patient.write_all(&[2; 8]).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);

        let mut all = [0; 8];
        theirs.read_exact(&mut all).await.expect("what was written");
        let mut patient = Patient::new(patient.stream, Duration::from_hours(1));
        let (bytes, mut taken) = ([3; 64], [0; 64]);
        let (written, read) =
            tokio::join!(patient.write_all(&bytes), theirs.read_exact(&mut taken));
        assert!(written.is_ok() && read.is_ok() && patient.end.is_none());
    }
}
