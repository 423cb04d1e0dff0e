//! Tracks answers that a client has not read. A client with too many of them has to wait with its next call, so that
//! answers do not pile up in memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Counts the bytes of answers that were produced, and of those that were written.
#[derive(Default)]
pub(crate) struct Unread {
    bytes: Mutex<Bytes>,
    /// Wakes tasks and threads that wait for room.
    changed: Notify,
    changed_for_threads: Condvar,
}

#[derive(Default, Clone, Copy)]
struct Bytes {
    answered: u64,
    written: u64,
    /// True once the client has disconnected. Then calls no longer wait for it to read.
    closed: bool,
}

impl Bytes {
    fn unread(self) -> u64 {
        if self.closed { 0 } else { self.answered - self.written }
    }
}

impl Unread {
    fn bytes(&self) -> MutexGuard<'_, Bytes> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the size of an answer that is about to be written.
    pub(crate) fn answered(&self, bytes: usize) {
        self.bytes().answered += bytes as u64;
    }

    /// Subtracts bytes that were written. Framing that the transport adds is not counted.
    pub(crate) fn written(&self, bytes: usize) {
        let mut state = self.bytes();
        state.written = (state.written + bytes as u64).min(state.answered);
        drop(state);
        self.changed.notify_waiters();
        self.changed_for_threads.notify_all();
    }

    /// Marks the connection as closed.
    pub(crate) fn close(&self) {
        self.bytes().closed = true;
        self.changed.notify_waiters();
        self.changed_for_threads.notify_all();
    }

    pub(crate) fn exceeds(&self, most: usize) -> bool {
        self.bytes().unread() > most as u64
    }

    /// Waits until at most `most` bytes are unread.
    pub(crate) async fn wait_until_read(&self, most: usize) {
        loop {
            let moved = self.changed.notified();
            tokio::pin!(moved);
            // After `enable`, no notification is missed.
            moved.as_mut().enable();
            if !self.exceeds(most) {
                return;
            }
            moved.await;
        }
    }

    /// Like [`Unread::wait_until_read`], for threads.
    pub(crate) fn block_until_read(&self, most: usize) {
        let full = |bytes: &mut Bytes| bytes.unread() > most as u64;
        drop(self.changed_for_threads.wait_while(self.bytes(), full).unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn writer_waits_until_unread_answers_are_read() {
        let unread = Arc::new(Unread::default());
        unread.written(1000);
        unread.answered(10);
        unread.wait_until_read(10).await;
        unread.answered(1);
        assert!(unread.exceeds(10) && !unread.exceeds(11), "bytes written before the first answer do not count");
        let threads = Arc::clone(&unread);
        let thread = std::thread::spawn(move || threads.block_until_read(10));
        let room = unread.wait_until_read(10);
        tokio::pin!(room);
        tokio::select! {
            biased;
            () = &mut room => panic!("11 bytes are unread, and the limit is 10"),
            () = std::future::ready(()) => {}
        }
        unread.written(1);
        room.await;
        thread.join().expect("no panic");
        unread.written(1_000_000);
        unread.answered(11);
        assert!(unread.exceeds(10), "bytes that were written in excess must not count for later answers");
    }

    #[tokio::test]
    async fn closed_connection_does_not_block_others() {
        let unread = Arc::new(Unread::default());
        unread.answered(100);
        let waiting = tokio::spawn({
            let unread = Arc::clone(&unread);
            async move { unread.wait_until_read(10).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        unread.close();
        waiting.await.expect("closing the connection ends the wait");
        unread.answered(100);
        unread.block_until_read(10);
    }
}
