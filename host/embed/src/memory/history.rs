//! The history of files in memory. An undo is a change, too, and can be undone.

use std::time::{SystemTime, UNIX_EPOCH};

use marquetry_files::hash;
use marquetry_model::{
    Error, FileEffect, Kind, Origin, Result,
    ports::{PastChange, ReplacedFile, StoredContent},
};

use super::{Content, Tree};

/// Maximum number of changes that are kept.
const MAX_CHANGES: usize = 100;

/// One file before and after a change.
#[derive(Debug, Clone)]
pub(crate) struct Replaced {
    /// The path and the contents before; `None` for a new file.
    pub(crate) before: Option<(String, Content)>,
    /// The path and the contents after; `None` for a deleted file.
    pub(crate) after: Option<(String, Content)>,
}

impl Replaced {
    /// Returns the effect for the answer.
    pub(crate) fn effect(&self) -> FileEffect {
        let path = |side: &Option<(String, Content)>| side.as_ref().map(|(path, _)| path.clone());
        let bytes = self.after.as_ref().map(|(_, content)| &content.bytes);
        FileEffect {
            before: path(&self.before),
            after: path(&self.after),
            hash: bytes.map(|bytes| hash(bytes)),
            size: bytes.map_or(0, |bytes| bytes.len() as u64),
        }
    }

    /// The path by which changes are sorted: the new one, or that of a deleted file.
    pub(crate) fn name(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |(path, _)| path)
    }
}

/// A past change.
#[derive(Debug, Clone)]
pub(crate) struct PastEntry {
    past: PastChange,
    undoes: Option<String>,
    replaced: Vec<Replaced>,
}

/// The changes, oldest first.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<PastEntry>,
    last: u64,
}

impl PastEntry {
    pub(crate) fn past_change(&self) -> PastChange {
        self.past.clone()
    }

    /// Returns the tree without the change, and the files that this replaces.
    ///
    /// # Errors
    /// Fails with `Stale` if a file has changed since, and with `OverwriteBlocked` if another file has its old path.
    pub(crate) fn inverse(&self, tree: &Tree) -> Result<(Tree, Vec<Replaced>)> {
        let mut new = tree.clone();
        for (path, content) in self.replaced.iter().filter_map(|one| one.after.as_ref()) {
            let is_unchanged = new.remove(path).is_some_and(|now| now.bytes == content.bytes);
            if !is_unchanged {
                return Err(Error::new(Kind::Stale, format!("`{path}` changed since the change `{}`", self.past.id))
                    .hint("edit it instead, or undo the later changes first; nothing was written")
                    .candidates([path.clone()]));
            }
        }
        for (path, content) in self.replaced.iter().filter_map(|one| one.before.as_ref()) {
            if new.insert(path.clone(), Content::new(&content.bytes)).is_some() {
                return Err(Error::new(Kind::OverwriteBlocked, format!("`{path}` exists again"))
                    .hint("move or delete it first; nothing was written"));
            }
        }
        let swapped = |one: &Replaced| Replaced { before: one.after.clone(), after: one.before.clone() };
        Ok((new, self.replaced.iter().map(swapped).collect()))
    }
}

impl History {
    /// Adds a change and returns its id.
    pub(crate) fn add(
        &mut self,
        title: &str,
        undoes: Option<&str>,
        replaced: Vec<Replaced>,
        origin: Option<Origin>,
    ) -> String {
        self.last += 1;
        let id = format!("m{}", self.last);
        // An undo of an undo restores the first change.
        let restored =
            undoes.and_then(|undone| self.entries.iter().find(|entry| entry.past.id == undone)?.undoes.clone());
        for entry in &mut self.entries {
            if Some(entry.past.id.as_str()) == undoes {
                entry.past.undone = true;
            } else if Some(&entry.past.id) == restored.as_ref() {
                entry.past.undone = false;
            }
        }
        let mut files: Vec<String> = replaced.iter().map(|one| one.name().to_owned()).collect();
        // A move over a file is listed once, like the same change on disk.
        files.dedup();
        let past = PastChange {
            id: id.clone(),
            title: title.to_owned(),
            time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            files,
            undone: false,
            interrupted: None,
            origin,
            purged: Vec::new(),
        };
        self.entries.push(PastEntry { past, undoes: undoes.map(str::to_owned), replaced });
        if self.entries.len() > MAX_CHANGES {
            self.entries.remove(0);
        }
        id
    }

    /// Returns a change to undo: the given one, or the latest that is neither undone nor an undo.
    pub(crate) fn find(&self, id: Option<&str>) -> Result<PastEntry> {
        let mut latest = self.entries.iter().rev().filter(|entry| !entry.past.undone);
        let candidates =
            || self.entries.iter().rev().filter(|entry| !entry.past.undone).map(|entry| entry.past.id.clone());
        let Some(id) = id else {
            let found = latest.find(|entry| entry.undoes.is_none()).cloned();
            return found.ok_or_else(|| {
                Error::argument("the history has no change to undo").hint("list the history to see what was done")
            });
        };
        let found = self.entries.iter().find(|entry| entry.past.id == id);
        let entry = found.ok_or_else(|| {
            Error::argument(format!("the history has no change `{id}`"))
                .hint("the history keeps the latest changes only; use one of the candidates")
                .candidates(candidates())
        })?;
        if !entry.past.undone {
            return Ok(entry.clone());
        }
        let by = self.entries.iter().rev().find(|entry| entry.undoes.as_deref() == Some(id) && !entry.past.undone);
        let by = by.map_or_else(String::new, |entry| entry.past.id.clone());
        Err(Error::argument(format!("the change `{id}` was already undone"))
            .hint(format!("undo `{by}` to redo it"))
            .candidates([by]))
    }

    /// Returns the changes, latest first.
    pub(crate) fn latest_first(&self) -> impl Iterator<Item = PastChange> {
        self.entries.iter().rev().map(PastEntry::past_change)
    }

    /// Returns the contents before and after a change.
    pub(crate) fn replaced_files(&self, id: &str) -> Result<Vec<ReplacedFile>> {
        let found = self.entries.iter().find(|entry| entry.past.id == id);
        let entry = found.ok_or_else(|| Error::argument(format!("`{id}` is not a change of the history")))?;
        let content = |side: &Option<(String, Content)>| match side {
            Some((_, content)) => StoredContent::Bytes(content.bytes.to_vec()),
            None => StoredContent::Absent,
        };
        let path = |side: &Option<(String, Content)>| side.as_ref().map(|(path, _)| path.clone());
        let replaced = |one: &Replaced| ReplacedFile {
            before: path(&one.before),
            after: path(&one.after),
            old: content(&one.before),
            new: content(&one.after),
        };
        Ok(entry.replaced.iter().map(replaced).collect())
    }
}
