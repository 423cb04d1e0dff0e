//! Cache of texts with their hashes, reused for files with the same hash.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use marquetry_model::{
    budget::{Budget, BudgetedCache},
    limits,
    ports::Source,
};

/// The texts of one root.
#[derive(Default)]
pub(crate) struct Texts(Mutex<TextMap>);

#[derive(Default)]
struct TextMap {
    /// The texts by path, each with the time of its last use.
    sources: HashMap<String, (u64, Source)>,
    bytes: usize,
}

impl Texts {
    fn lock(&self) -> MutexGuard<'_, TextMap> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, path: &str, hash: &str) -> Option<Source> {
        self.lock().get_and_touch(path, hash).cloned()
    }

    pub(crate) fn text(&self, path: &str, hash: &str) -> Option<Arc<str>> {
        self.lock().get_and_touch(path, hash).map(|source| Arc::clone(&source.text))
    }

    pub(crate) fn keep(&self, source: &Source) {
        let mut shelf = self.lock();
        let bytes = source_size(source);
        if bytes > limits::CACHE_TEXT {
            return;
        }
        while shelf.bytes + bytes > limits::CACHE_TEXT && !shelf.sources.is_empty() {
            shelf.let_go();
        }
        shelf.bytes += bytes;
        if let Some((_, before)) =
            shelf.sources.insert(source.path.clone(), (Budget::global().next_timestamp(), source.clone()))
        {
            shelf.bytes -= source_size(&before);
        }
        drop(shelf);
        Budget::global().trim();
    }
}

fn source_size(source: &Source) -> usize {
    source.text.len() + source.path.len() + source.hash.len()
}

impl TextMap {
    fn get_and_touch(&mut self, path: &str, hash: &str) -> Option<&Source> {
        let (used, source) = self.sources.get_mut(path).filter(|(_, source)| source.hash == hash)?;
        *used = Budget::global().next_timestamp();
        Some(source)
    }

    /// Drops the least recently used quarter of the texts. Finding only the single least recently used text would take
    /// as long.
    fn let_go(&mut self) {
        let mut times: Vec<u64> = self.sources.values().map(|(used, _)| *used).collect();
        let Some(last) = times.len().checked_sub(1) else { return };
        let (_, until, _) = times.select_nth_unstable(last / 4);
        let until = *until;
        self.sources.retain(|_, (used, _)| *used > until);
        self.bytes = self.sources.values().map(|(_, source)| source_size(source)).sum();
    }
}

impl BudgetedCache for Texts {
    fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn oldest_use(&self) -> Option<u64> {
        self.lock().sources.values().map(|(used, _)| *used).min()
    }

    fn evict_oldest(&self) {
        self.lock().let_go();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, bytes: usize) -> Source {
        Source { path: path.to_owned(), text: Arc::from("x".repeat(bytes)), hash: path.to_owned(), size: bytes as u64 }
    }

    #[test]
    fn least_recently_used_texts_are_dropped_first() {
        let texts = Texts::default();
        let eighth = limits::CACHE_TEXT / 8 - 100;
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            texts.keep(&source(name, eighth));
        }
        assert!(texts.get("a", "a").is_some() && texts.get("a", "other").is_none());
        texts.keep(&source("i", eighth));
        let is_kept = |name: &&str| texts.get(name, name).is_some();
        let kept: Vec<&str> = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].into_iter().filter(is_kept).collect();
        assert_eq!(kept, ["a", "d", "e", "f", "g", "h", "i"]);
        assert!(texts.bytes() <= limits::CACHE_TEXT);
        texts.keep(&source("a", 10));
        assert_eq!(texts.bytes(), 6 * (eighth + 2) + 12, "a newer text replaces the older one");
        texts.keep(&source("huge", limits::CACHE_TEXT));
        assert!(texts.get("huge", "huge").is_none(), "a text that would evict all others is not kept");
        while texts.oldest_use().is_some() {
            texts.evict_oldest();
        }
        assert_eq!(texts.bytes(), 0);
    }
}
