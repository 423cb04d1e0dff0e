//! Tracks answers that a client has not read. A client with too many of them has to wait with its next call, so that
//! answers do not pile up in memory.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Bytes of answers that were produced, and that were written.
#[derive(Default)]
pub(crate) struct Unread {
    bytes: Mutex<Bytes>,
    /// Wakes tasks and threads that wait for room.
    moved: Notify,
    moved_for_threads: Condvar,
}

#[derive(Default, Clone, Copy)]
struct Bytes {
    answered: u64,
    written: u64,
    /// True once the client has disconnected: nothing has to wait for it.
    given_up: bool,
}

impl Bytes {
    fn unread(self) -> u64 {
        if self.given_up { 0 } else { self.answered - self.written }
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
        self.moved.notify_waiters();
        self.moved_for_threads.notify_all();
    }

    /// Marks the connection as closed.
    pub(crate) fn give_up(&self) {
        self.bytes().given_up = true;
        self.moved.notify_waiters();
        self.moved_for_threads.notify_all();
    }

    pub(crate) fn is_more_than(&self, most: usize) -> bool {
        self.bytes().unread() > most as u64
    }

    /// Waits until at most `most` bytes are unread.
    pub(crate) async fn room(&self, most: usize) {
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            // From here on no notification is missed.
            moved.as_mut().enable();
            if !self.is_more_than(most) {
                return;
            }
            moved.await;
        }
    }

    /// Like [`Unread::room`], for threads.
    pub(crate) fn wait_for_room(&self, most: usize) {
        let full = |bytes: &mut Bytes| bytes.unread() > most as u64;
        drop(self.moved_for_threads.wait_while(self.bytes(), full).unwrap_or_else(PoisonError::into_inner));
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
        unread.room(10).await;
        unread.answered(1);
        assert!(
            unread.is_more_than(10) && !unread.is_more_than(11),
            "what was written before any answer is none of it"
        );
        let threads = Arc::clone(&unread);
        let thread = std::thread::spawn(move || threads.wait_for_room(10));
        let room = unread.room(10);
        tokio::pin!(room);
        tokio::select! {
            biased;
            () = &mut room => panic!("there is none"),
            () = std::future::ready(()) => {}
        }
        unread.written(1);
        room.await;
        thread.join().expect("no panic");
        unread.written(1_000_000);
        unread.answered(11);
        assert!(unread.is_more_than(10), "a frame's head pays for no answer");
    }

    #[tokio::test]
    async fn closed_connection_blocks_nobody() {
        let unread = Arc::new(Unread::default());
        unread.answered(100);
        let waiting = tokio::spawn({
            let unread = Arc::clone(&unread);
            async move { unread.room(10).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        unread.give_up();
        waiting.await.expect("it goes on");
        unread.answered(100);
        unread.wait_for_room(10);
    }
}
