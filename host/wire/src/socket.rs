//! Connections of a server as bytes: which of them are strangers, which have hung, and what each left unread. Those that keep
//! a place without using it are closed.

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

/// How often it is looked which connections have had their time.
const LOOK: Duration = Duration::from_secs(1);

/// What is known of one connection.
pub(crate) struct Link {
    stream: TcpStream,
    since: Instant,
    let_in: AtomicBool,
    /// It said something after it was let in.
    spoke: AtomicBool,
    /// Since when it has taken nothing of what waits for it.
    stalled: Mutex<Option<Instant>>,
    pub(crate) unread: Unread,
    /// Its calls in progress.
    pub(crate) calls: Arc<AtomicUsize>,
    /// It was told to go.
    closed: AtomicBool,
}

impl Link {
    fn stalled(&self) -> MutexGuard<'_, Option<Instant>> {
        self.stalled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It said something that is worth an answer.
    pub(crate) fn spoke(&self) {
        self.spoke.store(true, Ordering::Relaxed);
    }

    fn is_stranger(&self) -> bool {
        !self.let_in.load(Ordering::Relaxed)
    }

    /// End it, once. Whoever reads or writes finds that out, and nobody waits for what it does not read.
    pub(crate) fn close(&self, why: &str) {
        if self.closed.swap(true, Ordering::Relaxed) {
            return;
        }
        self.unread.give_up();
        match self.stream.peer_addr() {
            Ok(peer) => tracing::warn!("the connection of {peer} is closed: {why}"),
            // It went by itself.
            Err(_) => return,
        }
        // One that went by itself meanwhile is closed as well.
        let _ = SockRef::from(&self.stream).shutdown(Shutdown::Both);
    }

    /// Why it has to go, if it has.
    fn overdue(&self, limits: &Limits) -> Option<&'static str> {
        if self.closed.load(Ordering::Relaxed) {
            return None;
        }
        let stalled = self.stalled().is_some_and(|since| since.elapsed() > limits.stalled);
        if stalled {
            return Some("its client does not read what it asked for");
        }
        if self.is_stranger() {
            return (self.since.elapsed() > limits.to_be_let_in).then_some("it did not say who it is");
        }
        let silent = !self.spoke.load(Ordering::Relaxed) && self.since.elapsed() > limits.first_message;
        silent.then_some("it said nothing")
    }
}

/// A connection, as the libraries of the protocols read and write it.
pub(crate) struct Socket(pub(crate) Arc<Link>);

impl Socket {
    fn wrote(&self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
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
                return self.wrote(Poll::Pending);
            }
            match write(&self.0.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                done => return self.wrote(Poll::Ready(done)),
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

    /// A socket of the system keeps nothing back.
    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(SockRef::from(&self.0.stream).shutdown(Shutdown::Write))
    }
}

/// The connections that there are.
#[derive(Clone)]
pub(crate) struct Links(Arc<Mutex<Vec<Weak<Link>>>>, Limits);

impl Links {
    pub(crate) fn new(limits: Limits) -> Links {
        Links(Arc::default(), limits)
    }

    /// Those that are still there, the oldest first.
    fn all(&self) -> Vec<Arc<Link>> {
        let mut links = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        links.retain(|link| link.strong_count() > 0);
        links.iter().filter_map(Weak::upgrade).collect()
    }

    /// A connection came. Where there are too many that nobody let in, the oldest of them goes.
    pub(crate) fn add(&self, stream: TcpStream) -> Arc<Link> {
        self.make_room(self.1.strangers.saturating_sub(1));
        let link = Arc::new(Link {
            stream,
            since: Instant::now(),
            let_in: AtomicBool::new(false),
            spoke: AtomicBool::new(false),
            stalled: Mutex::default(),
            unread: Unread::default(),
            calls: Arc::default(),
            closed: AtomicBool::new(false),
        });
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&link));
        link
    }

    /// Keep no more strangers than this.
    pub(crate) fn make_room(&self, most: usize) {
        let strangers: Vec<_> = self.all().into_iter().filter(|link| link.is_stranger()).collect();
        for link in &strangers[..strangers.len().saturating_sub(most)] {
            link.close("others come, and it did not say who it is");
        }
    }

    /// Let a connection in; false where there are too many.
    pub(crate) fn let_in(&self, link: &Link) -> bool {
        if !link.is_stranger() {
            return true;
        }
        let inside = self.all().iter().filter(|link| !link.is_stranger()).count();
        let has_room = inside < self.1.connections;
        link.let_in.store(has_room, Ordering::Relaxed);
        has_room
    }

    /// Close those that have had their time, for ever.
    pub(crate) async fn watch(self) {
        let shortest = self.1.to_be_let_in.min(self.1.stalled).min(self.1.first_message);
        loop {
            tokio::time::sleep(LOOK.min(shortest / 4)).await;
            for link in self.all() {
                if let Some(why) = link.overdue(&self.1) {
                    link.close(why);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
