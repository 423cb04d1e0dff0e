//! Connections of a server: authentication state, stalls, and the size of unread answers. Idle connections that
//! occupy a slot are closed.

use std::{
    io,
    net::Shutdown,
    pin::Pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use crate::{limits::Limits, unread::Unread};

/// Interval for checking deadlines of connections.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// State of a connection.
pub(crate) struct Link {
    stream: TcpStream,
    since: Instant,
    let_in: AtomicBool,
    /// True once a request was received after authentication.
    has_sent_message: AtomicBool,
    /// Time since which writes have been blocked.
    stalled: Mutex<Option<Instant>>,
    pub(crate) unread: Unread,
    /// Number of calls in progress.
    pub(crate) calls: Arc<AtomicUsize>,
    /// True once this server has closed the connection.
    closed: AtomicBool,
}

impl Link {
    fn stalled(&self) -> MutexGuard<'_, Option<Instant>> {
        self.stalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a valid message was received.
    pub(crate) fn record_message(&self) {
        self.has_sent_message.store(true, Ordering::Relaxed);
    }

    fn is_unauthenticated(&self) -> bool {
        !self.let_in.load(Ordering::Relaxed)
    }

    /// Closes the connection, once. Pending reads and writes fail, and calls no longer wait for the client to read.
    pub(crate) fn close(&self, why: &str) {
        if self.closed.swap(true, Ordering::Relaxed) {
            return;
        }
        self.unread.close();
        match self.stream.peer_addr() {
            Ok(peer) => tracing::warn!("the connection of {peer} is closed: {why}"),
            // The client has already closed the connection.
            Err(_) => return,
        }
        // This fails if the client has closed the connection meanwhile, which does no harm.
        let _ = SockRef::from(&self.stream).shutdown(Shutdown::Both);
    }

    /// Returns the reason to close the connection, if a deadline has passed.
    fn close_reason(&self, limits: &Limits) -> Option<&'static str> {
        if self.closed.load(Ordering::Relaxed) {
            return None;
        }
        let stalled = self.stalled().is_some_and(|since| since.elapsed() > limits.stalled);
        if stalled {
            return Some("the client does not read the answers");
        }
        if self.is_unauthenticated() {
            return (self.since.elapsed() > limits.authentication_time).then_some("it did not authenticate");
        }
        let silent = !self.has_sent_message.load(Ordering::Relaxed) && self.since.elapsed() > limits.first_message;
        silent.then_some("it sent nothing")
    }
}

/// Stream for the protocol libraries that updates its `Link`.
pub(crate) struct Socket(pub(crate) Arc<Link>);

impl Socket {
    fn record_write(&self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match &result {
            Poll::Ready(Ok(bytes)) => {
                *self.0.stalled() = None;
                self.0.unread.written(*bytes);
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => drop(self.0.stalled().get_or_insert_with(Instant::now)),
        }
        result
    }

    fn write(
        &self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            if self.0.stream.poll_write_ready(context)?.is_pending() {
                return self.record_write(Poll::Pending);
            }
            match write(&self.0.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return self.record_write(Poll::Ready(done)),
            }
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let stream = &self.0.stream;
        loop {
            ready!(stream.poll_read_ready(context))?;
            match stream.try_read(buffer.initialize_unfilled()) {
                Ok(bytes) => {
                    buffer.advance(bytes);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.write(context, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(context, |stream| stream.try_write_vectored(parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// TCP sockets have no buffer to flush.
    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(&self.0.stream).shutdown(Shutdown::Write))
    }
}

/// All connections of a server.
#[derive(Clone)]
pub(crate) struct Links(Arc<Mutex<Vec<Weak<Link>>>>, Limits);

impl Links {
    pub(crate) fn new(limits: Limits) -> Links {
        Links(Arc::default(), limits)
    }

    /// Returns the open connections, oldest first.
    fn open_links(&self) -> Vec<Arc<Link>> {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| link.strong_count() > 0);
        links.iter().filter_map(Weak::upgrade).collect()
    }

    /// Adds a connection. If there are too many unauthenticated ones, closes the oldest.
    pub(crate) fn add(&self, stream: TcpStream) -> Arc<Link> {
        self.close_oldest(self.1.unauthenticated.saturating_sub(1));
        let link = Arc::new(Link {
            stream,
            since: Instant::now(),
            let_in: AtomicBool::new(false),
            has_sent_message: AtomicBool::new(false),
            stalled: Mutex::default(),
            unread: Unread::default(),
            calls: Arc::default(),
            closed: AtomicBool::new(false),
        });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&link));
        link
    }

    /// Closes the oldest unauthenticated connections until at most this many are left.
    pub(crate) fn close_oldest(&self, most: usize) {
        let unauthenticated: Vec<_> = self.open_links().into_iter().filter(|link| link.is_unauthenticated()).collect();
        for link in &unauthenticated[..unauthenticated.len().saturating_sub(most)] {
            link.close("too many connections, and it did not authenticate");
        }
    }

    /// Marks a connection as authenticated. Returns false if there are too many authenticated connections.
    pub(crate) fn authenticate(&self, link: &Link) -> bool {
        if !link.is_unauthenticated() {
            return true;
        }
        let inside = self.open_links().iter().filter(|link| !link.is_unauthenticated()).count();
        let has_room = inside < self.1.connections;
        link.let_in.store(has_room, Ordering::Relaxed);
        has_room
    }

    /// Closes connections whose deadline has passed. Runs forever.
    pub(crate) async fn watch_deadlines(self) {
        let shortest = self.1.authentication_time.min(self.1.stalled).min(self.1.first_message);
        loop {
            tokio::time::sleep(CHECK_INTERVAL.min(shortest / 4)).await;
            for link in self.open_links() {
                if let Some(why) = link.close_reason(&self.1) {
                    link.close(why);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
