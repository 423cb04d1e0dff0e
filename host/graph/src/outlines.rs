//! Cache of outlines on disk, by content. A search uses it to show the symbol around each match without starting a
//! pack.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Mutex, MutexGuard, PoisonError},
};

use marquetry_model::{
    Span,
    pack::Node,
    ports::{Files, Packs, Source},
};
use serde::{Deserialize, Serialize};

use crate::{
    store::{SCHEMA, Store},
    workspace::Graph,
};

/// File extension.
pub(crate) const EXTENSION: &str = "outlines";
/// Maximum size in bytes of the addresses and kinds for one root. Reading this much takes a millisecond or two.
const MAX_BYTES: usize = 4 << 20;

/// A node of an outline, with the data that a search shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutlineNode {
    /// Address that finds the node.
    pub address: String,
    /// Kind: `method`, `heading` …
    pub kind: String,
    start: u32,
    end: u32,
}

impl OutlineNode {
    /// Span in the text, in bytes.
    pub fn span(&self) -> Span {
        Span { start: self.start as usize, end: self.end as usize }
    }
}

impl From<&Node> for OutlineNode {
    fn from(node: &Node) -> OutlineNode {
        // A text is smaller than 4 GiB.
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (start, end) = (offset(node.span.start), offset(node.span.end));
        OutlineNode { address: node.address.clone(), kind: node.kind.clone(), start, end }
    }
}

type ByContent = HashMap<u64, Vec<OutlineNode>>;

/// Outlines of one root: those loaded from disk, and those used since.
pub struct Outlines {
    /// Hash of the packs that created the outlines.
    packs: u64,
    known: ByContent,
    /// Outlines that were used, including new ones.
    used: Mutex<ByContent>,
}

#[derive(Serialize, Deserialize)]
struct StoredOutlines {
    schema: u32,
    root: String,
    packs: u64,
    outlines: ByContent,
}

fn hash_of(thing: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

fn outline_size(outline: &[OutlineNode]) -> usize {
    outline.iter().map(|node| node.address.len() + node.kind.len() + size_of::<OutlineNode>()).sum()
}

impl Outlines {
    fn load(store: &Store, root: &str, packs: u64) -> Outlines {
        let kept: Option<StoredOutlines> = store.read(root, EXTENSION);
        let kept = kept.filter(|kept| kept.schema == SCHEMA && kept.root == root && kept.packs == packs);
        Outlines { packs, known: kept.map(|kept| kept.outlines).unwrap_or_default(), used: Mutex::default() }
    }

    fn used(&self) -> MutexGuard<'_, ByContent> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the outline of a file in document order, from the cache or from `make`.
    ///
    /// # Errors
    /// Fails if `make` fails; nothing is cached in that case.
    pub fn outline<E>(
        &self,
        source: &Source,
        make: impl FnOnce() -> Result<Vec<Node>, E>,
    ) -> Result<Vec<OutlineNode>, E> {
        // Two files with the same content can have different formats.
        let key = hash_of(&(&source.path, &source.hash));
        let known = self.known.get(&key).or(self.used().get(&key)).cloned();
        let outline = match known {
            Some(known) => known,
            None => make()?.iter().map(OutlineNode::from).collect(),
        };
        self.used().insert(key, outline.clone());
        Ok(outline)
    }

    /// Writes the outlines if some are new. Outlines that were used come first, until the size limit is reached.
    fn save(self, store: &Store, root: &str) {
        let used = self.used.into_inner().unwrap_or_else(PoisonError::into_inner);
        if used.keys().all(|key| self.known.contains_key(key)) {
            return;
        }
        let mut room = MAX_BYTES;
        let mut outlines = ByContent::new();
        for (key, outline) in used.into_iter().chain(self.known) {
            let bytes = outline_size(&outline);
            if bytes <= room && !outlines.contains_key(&key) {
                room -= bytes;
                outlines.insert(key, outline);
            }
        }
        store.write(
            root,
            EXTENSION,
            &StoredOutlines { schema: SCHEMA, root: root.to_owned(), packs: self.packs, outlines },
        );
    }
}

impl Graph {
    /// Loads the outlines of a root.
    pub fn outlines(&self, files: &std::sync::Arc<dyn Files>, packs: &dyn Packs) -> Outlines {
        Outlines::load(&self.store, files.root(), hash_of(&packs.identities(files)))
    }

    /// Writes new outlines to disk.
    pub fn keep_outlines(&self, files: &dyn Files, outlines: Outlines) {
        outlines.save(&self.store, files.root());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, hash: &str) -> Source {
        Source { path: path.to_owned(), text: "".into(), hash: hash.to_owned(), size: 0 }
    }

    fn node(address: &str) -> Node {
        let span = Span { start: 1, end: 4 };
        Node { address: address.to_owned(), kind: "method".to_owned(), span, ..Node::default() }
    }

    fn ask(outlines: &Outlines, source: &Source, made: &str) -> String {
        let outline = outlines.outline(source, || Ok::<_, ()>(vec![node(made)])).expect("made");
        outline.into_iter().map(|node| node.address).collect()
    }

    #[test]
    fn outlines_are_cached_by_content_and_pack() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(Some(folder.path().to_owned()));
        let first = Outlines::load(&store, "/root", 1);
        assert_eq!(ask(&first, &source("a.ts", "1"), "new"), "new");
        assert_eq!(ask(&first, &source("a.ts", "1"), "again"), "new");
        assert_eq!(ask(&first, &source("a.js", "1"), "js"), "js");
        assert!(first.outline(&source("c.ts", "1"), || Err::<Vec<Node>, _>(())).is_err());
        first.save(&store, "/root");
        let again = Outlines::load(&store, "/root", 1);
        assert_eq!(ask(&again, &source("a.ts", "1"), "changed"), "new");
        assert_eq!(ask(&again, &source("a.ts", "2"), "changed"), "changed");
        assert_eq!(ask(&again, &source("c.ts", "1"), "made"), "made", "a failure is not cached");
        for (root, packs) in [("/root", 2), ("/other", 1)] {
            assert_eq!(ask(&Outlines::load(&store, root, packs), &source("a.ts", "1"), "changed"), "changed");
        }
    }

    #[test]
    fn most_recently_used_outlines_are_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(Some(folder.path().to_owned()));
        let long = "x".repeat(MAX_BYTES * 2 / 3);
        let outlines = Outlines::load(&store, "/root", 1);
        ask(&outlines, &source("a.ts", "1"), &long);
        outlines.save(&store, "/root");
        let outlines = Outlines::load(&store, "/root", 1);
        ask(&outlines, &source("b.ts", "1"), &long);
        outlines.save(&store, "/root");
        let outlines = Outlines::load(&store, "/root", 1);
        assert_eq!(ask(&outlines, &source("a.ts", "1"), "gone"), "gone");
        assert_eq!(ask(&outlines, &source("b.ts", "1"), "gone"), long);
    }
}
