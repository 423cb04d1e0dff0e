//! Limit for the memory of large texts over all calls of the process. A text counts from the time before it is read
//! until it is dropped or its call ends.

use std::sync::{
    Arc, Mutex, PoisonError, Weak,
    atomic::{AtomicUsize, Ordering},
};

use marquetry_model::{Error, Kind, Result, limits};

/// Memory limit that all calls share.
#[derive(Debug)]
pub(crate) struct MemoryLimit {
    most: usize,
    used: AtomicUsize,
}

/// Limit of this process.
pub(crate) static PROCESS_LIMIT: MemoryLimit = MemoryLimit::new(limits::CALL_TEXTS);

impl MemoryLimit {
    pub(crate) const fn new(most: usize) -> MemoryLimit {
        MemoryLimit { most, used: AtomicUsize::new(0) }
    }

    fn try_reserve(&self, bytes: usize) -> bool {
        let more = |reserved: usize| reserved.checked_add(bytes).filter(|reserved| *reserved <= self.most);
        self.used.try_update(Ordering::SeqCst, Ordering::SeqCst, more).is_ok()
    }

    fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::SeqCst);
    }
}

/// The large texts of one call.
pub(crate) struct CallTexts {
    total: &'static MemoryLimit,
    known: Mutex<Vec<(Weak<str>, usize)>>,
}

/// Memory reserved for a text that will be read; released on drop unless `keep_for` is called.
pub(crate) struct Reservation<'a> {
    texts: &'a CallTexts,
    bytes: usize,
}

impl CallTexts {
    pub(crate) fn within(total: &'static MemoryLimit) -> CallTexts {
        CallTexts { total, known: Mutex::default() }
    }

    /// Reserves memory for a text of this size.
    pub(crate) fn reserve(&self, size: u64) -> Result<Reservation<'_>> {
        if size < limits::LARGE_FILE {
            return Ok(Reservation { texts: self, bytes: 0 });
        }
        if size > limits::LARGEST_DOCUMENT {
            let (large, most) = (size >> 20, limits::LARGEST_DOCUMENT >> 20);
            let message = format!("the file is {large} MiB; at most {most} MiB can be opened");
            return Err(Error::new(Kind::LimitExceeded, message).hint("use another program for this file, or split it"));
        }
        let bytes = usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(limits::CALL_TEXT_COPIES);
        if self.total.try_reserve(bytes) {
            return Ok(Reservation { texts: self, bytes });
        }
        self.release_dropped();
        if self.total.try_reserve(bytes) {
            return Ok(Reservation { texts: self, bytes });
        }
        let most = self.total.most >> 20;
        let message = format!("the large files of all running calls would need more than {most} MiB of memory");
        Err(Error::new(Kind::LimitExceeded, message)
            .hint("repeat the call when other calls on large files are done, or name fewer files"))
    }

    /// Releases the memory of dropped texts.
    fn release_dropped(&self) {
        let mut texts = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        texts.retain(|(text, bytes)| {
            let is_held = text.strong_count() > 0;
            if !is_held {
                self.total.release(*bytes);
            }
            is_held
        });
    }
}

impl Reservation<'_> {
    /// Keeps the memory reserved until the text is dropped.
    pub(crate) fn keep_for(mut self, text: &Arc<str>) {
        if self.bytes > 0 {
            // A weak reference keeps the memory of a dropped text allocated, so it is removed here.
            self.texts.release_dropped();
            let bytes = std::mem::take(&mut self.bytes);
            self.texts.known.lock().unwrap_or_else(PoisonError::into_inner).push((Arc::downgrade(text), bytes));
        }
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.texts.total.release(self.bytes);
    }
}

impl Drop for CallTexts {
    fn drop(&mut self) {
        let texts = self.known.get_mut().unwrap_or_else(PoisonError::into_inner);
        texts.iter().for_each(|(_, bytes)| self.total.release(*bytes));
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
        static TOTAL: MemoryLimit = MemoryLimit::new(usize::MAX);
        let texts = CallTexts::within(&TOTAL);
        assert!(texts.reserve(limits::LARGEST_DOCUMENT).is_ok());
        let error = texts.reserve(10 << 30).map(drop).expect_err("too large");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        assert!(error.to_string().contains("10240 MiB") && !error.to_string().contains("again"), "{error}");
    }

    #[test]
    fn large_texts_share_one_memory_limit() {
        static TOTAL: MemoryLimit = MemoryLimit::new(3 * EACH);
        let used = || TOTAL.used.load(Ordering::SeqCst);
        let (one, other) = (CallTexts::within(&TOTAL), CallTexts::within(&TOTAL));
        let text: Arc<str> = Arc::from("text");
        one.reserve(LARGE).expect("room").keep_for(&text);
        other.reserve(LARGE).expect("room").keep_for(&text);
        drop(one.reserve(LARGE).expect("room"));
        assert_eq!(used(), 2 * EACH, "an unused reservation is released");
        let error = other.reserve(2 * LARGE).map(drop).expect_err("too much");
        assert_eq!(error.kind(), Kind::LimitExceeded);
        assert!(other.reserve(LARGE - 1).is_ok() && used() == 2 * EACH, "small texts are not counted");
        drop(one);
        assert_eq!(used(), EACH);
        let gone: Arc<str> = Arc::from("another");
        other.reserve(2 * LARGE).expect("room").keep_for(&gone);
        drop(gone);
        other.reserve(2 * LARGE).expect("texts without users are released").keep_for(&text);
        drop(other);
        assert_eq!(used(), 0);
    }
}
