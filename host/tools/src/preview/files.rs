//! Overlay of a change that is not written yet. Packs read these files while the change is checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use marquetry_model::{
    Change, ChangeEffects, Error, Kind, Relocation, Result, Step, Work, is_below,
    lookups::Lookups,
    ports::{EntryKind, FileStamp, Files, PastChange, Source, new_layout},
};

/// The files of a root with the overlay of a change.
pub(crate) struct PreviewFiles {
    below: Arc<dyn Files>,
    steps: Vec<Step>,
    /// New and changed texts, by their path after the change.
    texts: BTreeMap<String, Source>,
    /// Paths that exist only after the change, including directories.
    made: BTreeSet<String>,
    layout: u64,
}

impl PreviewFiles {
    /// Creates the overlay. `edited` contains the new texts of edited files, by their path before the change.
    pub(crate) fn new(below: &Arc<dyn Files>, edited: Vec<(Source, String)>, steps: &[Step]) -> Result<PreviewFiles> {
        let mut changed = PreviewFiles {
            below: Arc::clone(below),
            steps: steps.to_vec(),
            texts: BTreeMap::new(),
            made: BTreeSet::new(),
            layout: new_layout(),
        };
        for (source, text) in edited {
            if let Some(path) = changed.after(&source.path) {
                changed.put_text(&path, text);
            }
        }
        for step in steps {
            match step {
                Step::Create { path, content, .. } => {
                    // A file that is not text still exists.
                    changed.add_path(path);
                    if let Ok(text) = below.decode(path, content) {
                        changed.put_text(path, text);
                    }
                }
                Step::Copy { from, to, edits: Some((_, edits)), .. } => {
                    let text = edits.apply(&below.text(from)?);
                    changed.put_text(to, text);
                    changed.add_path(to);
                }
                Step::Copy { to, .. } | Step::Move { to, .. } => changed.add_path(to),
                Step::Edit { .. } | Step::Delete { .. } => {}
            }
        }
        Ok(changed)
    }

    fn put_text(&mut self, path: &str, text: String) {
        let size = text.len() as u64;
        // A unique hash, so that packs do not reuse an open document for this text.
        let hash = format!("tried {} {path}", self.layout);
        self.texts.insert(path.to_owned(), Source { path: path.to_owned(), text: Arc::from(text), hash, size });
    }

    fn add_path(&mut self, path: &str) {
        let mut path = path;
        while !path.is_empty() && self.made.insert(path.to_owned()) {
            path = path.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    /// Returns the path after the change; `None` if it is deleted.
    pub(crate) fn after(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for step in &self.steps {
            match step {
                Step::Move { from, to, .. } => {
                    let relocation = Relocation { from: from.clone(), to: to.clone() };
                    if relocation.affects(&path) {
                        path = relocation.path_after(&path);
                    } else if path == *to {
                        return None;
                    }
                }
                Step::Delete { path: gone, .. } if path == *gone || is_below(&path, gone) => return None,
                _ => {}
            }
        }
        Some(path)
    }

    /// Returns the path before the change; `None` if the file did not exist before, or does not exist after the change.
    fn before(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        for step in self.steps.iter().rev() {
            match step {
                Step::Move { from, to, .. } => {
                    let back = Relocation { from: to.clone(), to: from.clone() };
                    if back.affects(&path) {
                        path = back.path_after(&path);
                    } else if path == *from || is_below(&path, from) {
                        return None;
                    }
                }
                Step::Delete { path: gone, .. } if path == *gone || is_below(&path, gone) => return None,
                Step::Copy { from, to, .. } if path == *to => path.clone_from(from),
                Step::Create { path: made, .. } if path == *made => return None,
                _ => {}
            }
        }
        Some(path)
    }

    /// Returns whether the change creates the file or copies it there.
    pub(crate) fn is_new(&self, path: &str) -> bool {
        let puts = |step: &Step| match step {
            Step::Create { path: made, .. } | Step::Copy { to: made, .. } => made == path,
            _ => false,
        };
        self.steps.iter().any(puts)
    }

    /// Returns the stamps of a walk after the change, sorted by path.
    pub(crate) fn stamps(&self, walked: impl Iterator<Item = FileStamp>) -> Vec<FileStamp> {
        let kept = walked.filter_map(|stamp| Some(FileStamp { path: self.after(&stamp.path)?, ..stamp }));
        let made = self.texts.values().map(|source| (source.path.clone(), source.size));
        let made = made.map(|(path, size)| FileStamp { path, size, modified: u128::from(self.layout) });
        let all: BTreeMap<String, FileStamp> = kept.chain(made).map(|stamp| (stamp.path.clone(), stamp)).collect();
        all.into_values().collect()
    }

    /// Returns whether the change may affect a path.
    fn affects(&self, path: &str) -> bool {
        let is_at = |place: &str| path == place || is_below(path, place);
        let is_in = |step: &Step| match step {
            Step::Move { from, to, .. } => is_at(from) || is_at(to),
            Step::Delete { path, .. } => is_at(path),
            _ => false,
        };
        self.made.contains(path) || self.texts.contains_key(path) || self.steps.iter().any(is_in)
    }

    fn existing(&self, path: &str) -> Result<String> {
        self.before(path)
            .ok_or_else(|| Error::new(Kind::FileNotFound, format!("`{path}` does not exist after the change")))
    }
}

impl Files for PreviewFiles {
    fn root(&self) -> &str {
        self.below.root()
    }

    fn is_on_disk(&self) -> bool {
        self.below.is_on_disk()
    }

    fn locate(&self, path: &str) -> Result<String> {
        self.below.locate(path)
    }

    fn read(&self, path: &str) -> Result<Source> {
        if let Some(source) = self.texts.get(path) {
            return Ok(source.clone());
        }
        let source = self.below.read(&self.existing(path)?)?;
        Ok(Source { path: path.to_owned(), ..source })
    }

    fn read_bytes(&self, path: &str) -> Result<Vec<u8>> {
        match self.texts.get(path) {
            Some(source) => Ok(source.text.as_bytes().to_vec()),
            None => self.below.read_bytes(&self.existing(path)?),
        }
    }

    fn decode(&self, path: &str, bytes: &[u8]) -> Result<String> {
        self.below.decode(path, bytes)
    }

    fn stat(&self, path: &str) -> Option<EntryKind> {
        if self.texts.contains_key(path) {
            return Some(EntryKind::File);
        }
        let before = self.before(path).and_then(|path| self.below.stat(&path));
        let is_above = || self.made.iter().any(|made| is_below(made, path));
        before.or_else(|| match (self.made.contains(path), is_above()) {
            (_, true) => Some(EntryKind::Directory),
            (true, false) => Some(EntryKind::File),
            (false, false) => None,
        })
    }

    fn entries(&self, path: &str) -> Vec<(String, EntryKind)> {
        let before = self.before(path).map(|path| self.below.entries(&path)).unwrap_or_default();
        let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let folder = |made: &String| made.rsplit_once('/').map_or("", |(above, _)| above) == path;
        let made = self.made.iter().filter(|made| folder(made));
        let made = made.map(|made| made.rsplit('/').next().unwrap_or(made).to_owned());
        let names: BTreeSet<String> = before.into_iter().map(|(name, _)| name).chain(made).collect();
        names.into_iter().filter_map(|name| self.stat(&at(&name)).map(|kind| (name, kind))).collect()
    }

    fn version(&self, path: &str) -> Option<u64> {
        match self.texts.get(path) {
            Some(source) => Some(source.version()),
            None => self.below.version(&self.before(path)?),
        }
    }

    fn size(&self, path: &str) -> Option<u64> {
        match self.texts.get(path) {
            Some(source) => Some(source.size),
            None => self.below.size(&self.before(path)?),
        }
    }

    /// Only paths that the change may affect can differ.
    fn changed_lookups(&self, lookups: &mut Lookups) -> Vec<String> {
        let changed = |(path, known): &(String, Option<EntryKind>)| self.affects(path) && self.stat(path) != *known;
        lookups.iter().filter(changed).map(|(path, _)| path).collect()
    }

    fn layout(&self) -> u64 {
        self.layout
    }

    fn exporters(&self, name: &str) -> Vec<String> {
        self.below.exporters(name).into_iter().filter_map(|path| self.after(&path)).collect()
    }

    fn work(&self) -> Option<&Work> {
        self.below.work()
    }

    fn resolve_links(&self, path: &str) -> String {
        self.below.resolve_links(path)
    }

    fn is_ignored(&self, path: &str) -> bool {
        self.below.is_ignored(path)
    }

    fn walk(&self, below: &str) -> Result<Vec<FileStamp>> {
        let all = self.stamps(self.below.walk("")?.into_iter());
        Ok(all.into_iter().filter(|stamp| is_below(&stamp.path, below)).collect())
    }

    fn apply(&self, _: &Change, _: bool, _: &Work) -> Result<ChangeEffects> {
        Err(Error::internal("a preview cannot change files"))
    }

    fn undo(&self, _: Option<&str>, _: bool, _: &Work) -> Result<(PastChange, ChangeEffects)> {
        Err(Error::internal("a preview cannot undo changes"))
    }

    fn history(&self, limit: usize) -> Result<Vec<PastChange>> {
        self.below.history(limit)
    }
}
