//! Limit on the memory of large texts over all calls of the process. A text counts from before it is read until it is
//! dropped, at the latest until its call ends.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicUsize, Ordering},
};

use marquetry_model::{Error, Kind, Result, limits};

/// Memory limit that all calls share.
#[derive(Debug)]
pub(crate) struct Total {
    most: usize,
    held: AtomicUsize,
}

/// Limit of this process.
pub(crate) static OF_PROCESS: Total = Total::of(limits::CALL_TEXTS);

impl Total {
    pub(crate) const fn of(most: usize) -> Total {
        Total { most, held: AtomicUsize::new(0) }
    }

    fn take(&self, bytes: usize) -> bool {
        let more = |held: usize| held.checked_add(bytes).filter(|held| *held <= self.most);
        self.held.try_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::SeqCst);
    }
}

/// The large texts of one call.
pub(crate) struct CallTexts {
    total: &'static Total,
    known: Mutex<Vec<(Weak<str>, usize)>>,
}

/// Memory reserved for a text that will be read; released on drop unless `taken_by` is called.
pub(crate) struct Room<'a> {
    texts: &'a CallTexts,
    bytes: usize,
}

impl CallTexts {
    pub(crate) fn of(total: &'static Total) -> CallTexts {
        CallTexts { total, known: Mutex::default() }
    }

    /// Reserves memory for a text of this size.
    pub(crate) fn room(&self, size: u64) -> Result<Room<'_>> {
        if size < limits::LARGE_FILE {
            return Ok(Room { texts: self, bytes: 0 });
        }
        if size > limits::LARGEST_DOCUMENT {
            let (large, most) = (size >> 20, limits::LARGEST_DOCUMENT >> 20);
            let message = format!("the file is {large} MiB; at most {most} MiB can be opened");
            return Err(Error::new(Kind::LimitExceeded, message).hint("use another program for this file, or split it"));
        }
        let bytes = usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(limits::CALL_TEXT_COPIES);
        if self.total.take(bytes) {
            return Ok(Room { texts: self, bytes });
        }
        self.forget();
        if self.total.take(bytes) {
            return Ok(Room { texts: self, bytes });
        }
        let most = self.total.most >> 20;
        let message = format!("the large files of all running calls would need more than {most} MiB of memory");
        Err(Error::new(Kind::LimitExceeded, message)
            .hint("repeat the call when other calls on large files are done, or name fewer files"))
    }

    /// Releases the memory of dropped texts.
    fn forget(&self) {
        let mut texts = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        texts.retain(|(text, bytes)| {
            let is_held = text.strong_count() > 0;
            if !is_held {
                self.total.give_back(*bytes);
            }
            is_held
        });
    }
}

impl Room<'_> {
    /// Keeps the memory reserved until the text is dropped.
    pub(crate) fn taken_by(mut self, text: &Arc<str>) {
        if self.bytes > 0 {
            // A weak reference keeps the memory of a dropped text allocated, so it is removed here.
            self.texts.forget();
            let bytes = std::mem::take(&mut self.bytes);
            self.texts.known.lock().unwrap_or_else(PoisonError::into_inner).push((Arc::downgrade(text), bytes));
        }
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.texts.total.give_back(self.bytes);
    }
}

impl Drop for CallTexts {
    fn drop(&mut self) {
        let texts = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        texts.iter().for_each(|(_, bytes)| self.total.give_back(*bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: u64 = limits::LARGE_FILE;
    const EACH: usize = limits::LARGE_FILE as usize * limits::CALL_TEXT_COPIES;

    /// The message must not suggest to try again later.
    #[test]
    fn file_above_size_limit_is_refused() {
        static TOTAL: Total = Total::of(usize::MAX);
        let texts = CallTexts::of(&TOTAL);
        assert!(texts.room(limits::LARGEST_DOCUMENT).is_ok());
        let error = texts.room(10 << 30).map(drop).expect_err("too large");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        assert!(error.to_string().contains("10240 MiB") && !error.to_string().contains("again"), "{error}");
    }

    #[test]
    fn large_texts_share_one_memory_limit() {
        static TOTAL: Total = Total::of(3 * EACH);
        let held = || TOTAL.held.load(Ordering::SeqCst);
        let (one, other) = (CallTexts::of(&TOTAL), CallTexts::of(&TOTAL));
        let text: Arc<str> = Arc::from("text");
        one.room(LARGE).expect("room").taken_by(&text);
        other.room(LARGE).expect("room").taken_by(&text);
        drop(one.room(LARGE).expect("room"));
        assert_eq!(held(), 2 * EACH, "what no text takes is given back");
        let error = other.room(2 * LARGE).map(drop).expect_err("too much");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        assert!(other.room(LARGE - 1).is_ok() && held() == 2 * EACH, "small texts are not counted");
        drop(one);
        assert_eq!(held(), EACH);
        let gone: Arc<str> = Arc::from("another");
        other.room(2 * LARGE).expect("room").taken_by(&gone);
        drop(gone);
        other.room(2 * LARGE).expect("what nobody has any more gives way").taken_by(&text);
        drop(other);
        assert_eq!(held(), 0);
    }
}
