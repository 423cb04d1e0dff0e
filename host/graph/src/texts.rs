//! Cache of texts with their hashes, reused for files with the same hash.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use marquetry_model::{
    budget::{Budget, Keeper},
    limits,
    ports::Source,
};

/// The texts of one root.
#[derive(Default)]
pub(crate) struct Texts(Mutex<Shelf>);

#[derive(Default)]
struct Shelf {
    /// By path, with the time of the last use.
    sources: HashMap<String, (u64, Source)>,
    bytes: usize,
}

impl Texts {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, path: &str, hash: &str) -> Option<Source> {
        self.shelf().used(path, hash).cloned()
    }

    pub(crate) fn text(&self, path: &str, hash: &str) -> Option<Arc<str>> {
        self.shelf().used(path, hash).map(|source| Arc::clone(&source.text))
    }

    pub(crate) fn keep(&self, source: &Source) {
        let mut shelf = self.shelf();
        let bytes = size(source);
        if bytes > limits::KEPT_TEXT {
            return;
        }
        while shelf.bytes + bytes > limits::KEPT_TEXT && !shelf.sources.is_empty() {
            shelf.let_go();
        }
        shelf.bytes += bytes;
        if let Some((_, before)) =
            shelf.sources.insert(source.path.clone(), (Budget::of_process().now(), source.clone()))
        {
            shelf.bytes -= size(&before);
        }
        drop(shelf);
        Budget::of_process().trim();
    }
}

fn size(source: &Source) -> usize {
    source.text.len() + source.path.len() + source.hash.len()
}

impl Shelf {
    fn used(&mut self, path: &str, hash: &str) -> Option<&Source> {
        let (used, source) = self.sources.get_mut(path).filter(|(_, source)| source.hash == hash)?;
        *used = Budget::of_process().now();
        Some(source)
    }

    /// Drops the least recently used quarter: finding a single text would cost as much.
    fn let_go(&mut self) {
        let mut times: Vec<u64> = self.sources.values().map(|(used, _)| *used).collect();
        let Some(last) = times.len().checked_sub(1) else { return };
        let (_, until, _) = times.select_nth_unstable(last / 4);
        let until = *until;
        self.sources.retain(|_, (used, _)| *used > until);
        self.bytes = self.sources.values().map(|(_, source)| size(source)).sum();
    }
}

impl Keeper for Texts {
    fn bytes(&self) -> usize {
        self.shelf().bytes
    }

    fn oldest(&self) -> Option<u64> {
        self.shelf().sources.values().map(|(used, _)| *used).min()
    }

    fn let_go(&self) {
        self.shelf().let_go();
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
        let eighth = limits::KEPT_TEXT / 8 - 100;
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            texts.keep(&source(name, eighth));
        }
        assert!(texts.get("a", "a").is_some() && texts.get("a", "other").is_none());
        texts.keep(&source("i", eighth));
        let is_kept = |name: &&str| texts.get(name, name).is_some();
        let kept: Vec<&str> = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].into_iter().filter(is_kept).collect();
        assert_eq!(kept, ["a", "d", "e", "f", "g", "h", "i"]);
        assert!(texts.bytes() <= limits::KEPT_TEXT);
        texts.keep(&source("a", 10));
        assert_eq!(texts.bytes(), 6 * (eighth + 2) + 12, "a newer text takes the place of the older");
        texts.keep(&source("huge", limits::KEPT_TEXT));
        assert!(texts.get("huge", "huge").is_none(), "it would push out all others");
        while texts.oldest().is_some() {
            texts.let_go();
        }
        assert_eq!(texts.bytes(), 0);
    }
}
